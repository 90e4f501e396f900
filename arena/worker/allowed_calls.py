"""The system calls that a confined program may make, grouped by purpose.

Comments give the reasons where a call is left out or gets another answer. Calls that are not listed
return ENOSYS, as from a kernel that lacks them: newer calls, and all calls that administer a
machine. Runtimes have fallbacks for them.

The kernel takes most arguments as 32 bits and ignores the upper half of the register, so conditions
compare 32 bits.
"""

import errno
import fcntl
import mmap
import socket
import stat
import termios
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

WHOLE: Final = 0xFFFF_FFFF


@dataclass(frozen=True, slots=True)
class Bits:
    """The condition that the `mask` bits of an argument's lower half have this value."""

    argument: int
    mask: int
    value: int


@dataclass(frozen=True, slots=True)
class Rule:
    """The answer to a call for which all conditions hold. Rules of one call never overlap."""

    call: str
    conditions: tuple[Bits, ...] = ()
    error: int | None = None
    """The errno that the call returns; 0 skips it and reports success. None allows the call."""


_FILES: Final = (
    *("open", "openat", "creat", "close", "read", "write", "readv", "writev", "pread64"),
    *("pwrite64", "preadv", "pwritev", "lseek", "sendfile", "copy_file_range", "dup", "dup2"),
    *("dup3", "access", "faccessat", "faccessat2", "stat", "lstat", "fstat", "newfstatat"),
    *("statx", "statfs", "fstatfs", "readlink", "readlinkat", "getdents", "getdents64"),
    *("getcwd", "chdir", "fchdir", "umask", "truncate", "ftruncate", "fallocate", "fsync"),
    *("fdatasync", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat"),
    *("renameat2", "link", "linkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat"),
    *("chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat", "utimensat"),
)
"""Calls for files.

Not allowed: `sync`, which makes the whole machine write; `fadvise64`, `mincore` and `readahead`,
through which programs that see the same file could communicate; file handles; mounts.
"""

_ATTRIBUTES: Final = tuple(
    f"{kind}{what}xattr" for kind in ("", "l", "f") for what in ("set", "get", "list", "remove")
)
"""Calls for extended attributes of files, whose memory no size limit of a file system counts.

They fail as in a file system without extended attributes.
"""

_MEMORY: Final = ("munmap", "mprotect", "mremap", "brk", "msync")
"""Calls for memory.

Not allowed: memory that belongs to no process (`memfd_create`, `shmget`, `memfd_secret`), locked
memory, memory policies, page keys.
"""

_PROCESSES: Final = (
    *("fork", "vfork", "execve", "exit", "exit_group", "wait4", "waitid", "getpid", "getppid"),
    *("gettid", "getpgid", "getpgrp", "setpgid", "getsid", "getuid", "geteuid", "getgid"),
    *("getegid", "getresuid", "getresgid", "getgroups", "capget", "uname", "sysinfo"),
    *("getrlimit", "setrlimit", "prlimit64", "getrusage", "times", "arch_prctl", "pidfd_open"),
    *("getpriority", "setpriority"),
)
"""Calls for processes.

Not allowed: `clone3`, as a filter cannot inspect its argument; namespaces; tracing; other users;
`execveat`; `seccomp`, as filters are memory that no limit counts.
"""

_THREADS: Final = (
    *("futex", "set_tid_address", "set_robust_list", "get_robust_list", "rseq", "getcpu"),
    *("sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler"),
    *("sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval"),
)
"""Calls for threads.

Not allowed: calls that would change a thread's share of the processors.
"""

_TIME: Final = (
    *("clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time"),
    *("alarm", "getitimer", "setitimer", "timer_create", "timer_settime", "timer_gettime"),
    *("timer_getoverrun", "timer_delete", "timerfd_create", "timerfd_settime"),
    "timerfd_gettime",
)

_SIGNALS: Final = (
    *("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend"),
    *("rt_sigtimedwait", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "sigaltstack", "kill"),
    *("tkill", "tgkill", "pidfd_send_signal", "pause", "restart_syscall", "signalfd"),
    "signalfd4",
)

_POLLING: Final = (
    *("poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl"),
    *("epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "pipe", "pipe2"),
)
"""Calls to wait for files.

Not allowed: `io_uring`; `io_setup`, as the machine has a limit for all its programs together;
`inotify` and `fanotify`, whose watches take memory and count against a quota of the user.
"""

_SOCKETS: Final = (
    *("bind", "listen", "accept", "accept4", "connect", "getsockname", "getpeername"),
    *("getsockopt", "shutdown", "sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg"),
    "recvmmsg",
)

_OTHER: Final = ("getrandom",)

_SPLICES: Final = ("splice", "tee", "vmsplice")
"""Calls that move pages between a pipe and a file.

They report that these files do not support it, and programs copy instead: pages shared by a pipe
and a file have caused security bugs in the kernel.
"""

_NEW_NAMESPACES: Final = (
    *(0x0000_0080, 0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000),
    *(0x1000_0000, 0x2000_0000, 0x4000_0000),
)
"""CLONE_NEW… for time, mounts, cgroups, names, ipc, users, processes and network."""
_CLONE_FILES: Final = 0x0000_0400
_CLONE_THREAD: Final = 0x0001_0000
_CLOSE_RANGE_UNSHARE: Final = 2

_MAP_HUGETLB: Final = 0x4_0000
"""The flag for the machine's huge pages, which do not count as memory of a process."""

_ADVICE: Final = (
    # Normal, random, sequential, will and won't need; free, (don't) fork, (no) huge pages.
    *(0, 1, 2, 3, 4, 8, 10, 11, 14, 15),
    # (Don't) dump, (don't) wipe on fork, cold, page out, populate, collapse, guard pages.
    *(16, 17, 18, 19, 20, 21, 22, 23, 25, 102, 103),
)
"""The allowed advice of `madvise`.

Not allowed: MADV_MERGEABLE, for which the kernel keeps a list of pages.
"""

_FILE_COMMANDS: Final = (
    *(fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL),
    *(fcntl.F_SETFL, fcntl.F_GETLK, fcntl.F_OFD_GETLK, 1032),
)
"""The allowed commands of `fcntl`; the last is F_GETPIPE_SZ.

Not allowed: larger pipes, leases, notifications of changes in a folder, seals.
"""
_LOCKS: Final = (fcntl.F_SETLK, fcntl.F_SETLKW, fcntl.F_OFD_SETLK, fcntl.F_OFD_SETLKW)

_PROCESS_OPTIONS: Final = (1, 2, 3, 15, 16, 23, 29, 30, 38, 39, 41, 42)
"""The allowed options of `prctl`.

They are: the parent-death signal, reading whether the process may be dumped, thread names, reading
a capability, timer slack, no new privileges, no huge pages. Not allowed: PR_SET_DUMPABLE, which
would hide a process from the worker's checks; filters; names of memory regions.
"""

_DEVICE_REQUESTS: Final = (
    *(termios.TCGETS, termios.TIOCGWINSZ, termios.TIOCGPGRP, termios.FIONREAD, termios.FIONBIO),
    *(termios.FIOCLEX, termios.FIONCLEX, termios.TIOCOUTQ),
)
"""Requests to pipes, sockets and terminals. There are no terminals."""

_SOCKET_OPTIONS: Final = (
    *(socket.SO_REUSEADDR, socket.SO_BROADCAST, socket.SO_KEEPALIVE, socket.SO_LINGER),
    *(socket.SO_REUSEPORT, socket.SO_PASSCRED, socket.SO_RCVLOWAT, socket.SO_OOBINLINE),
    # SO_RCVTIMEO and SO_SNDTIMEO, each with both of its numbers.
    *(20, 21, 66, 67),
)
"""The allowed options of `setsockopt`.

Not allowed: filters of received data, which take memory.
"""
_BUFFER_SIZES: Final = (socket.SO_SNDBUF, socket.SO_RCVBUF, 32, 33)
"""The options for buffer sizes, including those that may exceed the system's limits.

They have no effect: socket buffers are memory that no limit counts.
"""


def rules() -> Iterator[Rule]:
    """Yield the rules for all architectures; rules for calls that one lacks have no effect."""
    groups = (_FILES, _MEMORY, _PROCESSES, _THREADS, _TIME, _SIGNALS, _POLLING, _SOCKETS, _OTHER)
    for group in groups:
        yield from map(Rule, group)
    yield from _of_processes()
    yield from _of_memory()
    yield from _of_files()
    yield from _of_sockets()


def _of_processes() -> Iterator[Rule]:
    spaces = sum(_NEW_NAMESPACES)
    shared = _CLONE_THREAD | _CLONE_FILES
    yield Rule("clone", (Bits(0, spaces | _CLONE_THREAD, 0),))
    # A thread must share its process's file table, or it could hide files from the worker's checks.
    yield Rule("clone", (Bits(0, spaces | shared, shared),))
    yield Rule("close_range", (Bits(2, _CLOSE_RANGE_UNSHARE, 0),))
    yield from _one_of("prctl", 0, _PROCESS_OPTIONS)
    # A new session would get its own share of the processors, regardless of niceness.
    yield Rule("setsid", error=0)


def _of_memory() -> Iterator[Rule]:
    # Shared memory without a file belongs to no process, so no limit counts it.
    unnamed = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
    yield Rule("mmap", (Bits(3, unnamed, unnamed),), errno.EPERM)
    for kind in (0, mmap.MAP_SHARED, mmap.MAP_ANONYMOUS):
        kinds = unnamed | _MAP_HUGETLB
        yield Rule("mmap", (Bits(3, kinds, kind),))
        yield Rule("mmap", (Bits(3, kinds, kind | _MAP_HUGETLB),), errno.ENOMEM)
    yield from _one_of("madvise", 2, _ADVICE)


def _of_files() -> Iterator[Rule]:
    yield from _one_of("fcntl", 1, _FILE_COMMANDS)
    # Programs that see the same file could communicate through locks on it, and block others that
    # lock it; locks on parts of a file are memory that no limit counts. All these calls do nothing
    # and report success, because SQLite and package installers would otherwise fail. A program's
    # own files exist only during its shift.
    yield from _one_of("fcntl", 1, _LOCKS, error=0)
    yield Rule("flock", error=0)
    for call, mode in (("mknod", 1), ("mknodat", 2)):
        for kind in (0, stat.S_IFREG, stat.S_IFIFO, stat.S_IFSOCK):
            yield Rule(call, (Bits(mode, stat.S_IFMT(WHOLE), kind),))
    yield from _one_of("ioctl", 1, _DEVICE_REQUESTS)
    for call in _SPLICES:
        yield Rule(call, error=errno.EINVAL)
    for call in _ATTRIBUTES:
        yield Rule(call, error=errno.EOPNOTSUPP)


def _of_sockets() -> Iterator[Rule]:
    """Yield the rules for sockets; only the family AF_UNIX is allowed.

    Buffers of other families are memory that no limit counts, and some families, such as AF_VSOCK
    to the host of a virtual machine, ignore namespaces.
    """
    yield from _one_of("socket", 0, [socket.AF_UNIX])
    yield from _one_of("socketpair", 0, [socket.AF_UNIX])
    for bit in range(32):
        other = Bits(0, 1 << bit, ~socket.AF_UNIX & 1 << bit)
        # One rule for each lowest bit that differs from AF_UNIX: a family matches one rule only.
        same = (1 << bit) - 1
        found = Bits(0, same | other.mask, socket.AF_UNIX & same | other.value)
        yield Rule("socket", (found,), errno.EAFNOSUPPORT)
    level = Bits(1, WHOLE, socket.SOL_SOCKET)
    yield from _one_of("setsockopt", 2, _SOCKET_OPTIONS, level)
    yield from _one_of("setsockopt", 2, _BUFFER_SIZES, level, error=0)


def _one_of(
    call: str, argument: int, values: Iterable[int], *others: Bits, error: int | None = None
) -> Iterator[Rule]:
    """Yield rules that apply if an argument of the call has one of these values."""
    for value in values:
        yield Rule(call, (*others, Bits(argument, WHOLE, value)), error)
