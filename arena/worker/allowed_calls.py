"""The system calls that a confined program may make, grouped by purpose.

Reasons are given where a call is left out or answered otherwise. Calls that are not listed are
answered with ENOSYS, as by a kernel that does not have them: newer calls, and all by which programs
administrate a machine. Runtimes have a way without them.

The kernel takes most arguments as 32 bits and does not look at the upper half of the register, so
conditions compare 32 bits.
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
    """The answer to a call for which all conditions hold. Rules of one call exclude one another."""

    call: str
    conditions: tuple[Bits, ...] = ()
    error: int | None = None
    """The call's `errno`; 0 does nothing and reports success. None lets the kernel do the call."""


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

Not: `sync`, which makes the whole machine write; `fadvise64`, `mincore` and `readahead`, by which
programs that see the same file could communicate; handles of files; mounts.
"""

_ATTRIBUTES: Final = tuple(
    f"{kind}{what}xattr" for kind in ("", "l", "f") for what in ("set", "get", "list", "remove")
)
"""Calls for extended attributes of files, which no size limit of a file system counts as memory.

They are answered as in a file system that has none.
"""

_MEMORY: Final = ("munmap", "mprotect", "mremap", "brk", "msync")
"""Calls for memory.

Not: memory of no process (`memfd_create`, `shmget`, `memfd_secret`), locked memory, policies of
memory, keys of pages.
"""

_PROCESSES: Final = (
    *("fork", "vfork", "execve", "exit", "exit_group", "wait4", "waitid", "getpid", "getppid"),
    *("gettid", "getpgid", "getpgrp", "setpgid", "getsid", "getuid", "geteuid", "getgid"),
    *("getegid", "getresuid", "getresgid", "getgroups", "capget", "uname", "sysinfo"),
    *("getrlimit", "setrlimit", "prlimit64", "getrusage", "times", "arch_prctl", "pidfd_open"),
    *("getpriority", "setpriority"),
)
"""Calls for processes.

Not: `clone3`, as a filter cannot inspect its argument; namespaces; tracing; other users;
`execveat`; `seccomp`, as filters are memory that no limit counts.
"""

_THREADS: Final = (
    *("futex", "set_tid_address", "set_robust_list", "get_robust_list", "rseq", "getcpu"),
    *("sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler"),
    *("sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval"),
)
"""Calls for threads.

Not: calls that would change their share of the processors.
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

Not: `io_uring`; `io_setup`, as its number is limited for the whole machine; `inotify` and
`fanotify`, whose watches are memory, and a quota of the user.
"""

_SOCKETS: Final = (
    *("bind", "listen", "accept", "accept4", "connect", "getsockname", "getpeername"),
    *("getsockopt", "shutdown", "sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg"),
    "recvmmsg",
)

_OTHER: Final = ("getrandom",)

_SPLICES: Final = ("splice", "tee", "vmsplice")
"""Calls that move pages between a pipe and a file.

They report that they cannot do so with these files, and programs copy instead: pages that a pipe
and a file share have been the kernel's weak place.
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
"""The flag for the machine's large pages, which do not count as memory of a process."""

_ADVICE: Final = (
    # Normal, random, sequential, will and won't need; free, (don't) fork, (no) huge pages.
    *(0, 1, 2, 3, 4, 8, 10, 11, 14, 15),
    # (Don't) dump, (don't) wipe on fork, cold, page out, populate, collapse, guard pages.
    *(16, 17, 18, 19, 20, 21, 22, 23, 25, 102, 103),
)
"""The allowed advice of `madvise`.

Not: MADV_MERGEABLE, for which the kernel keeps a list of pages.
"""

_FILE_COMMANDS: Final = (
    *(fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL),
    *(fcntl.F_SETFL, fcntl.F_GETLK, fcntl.F_OFD_GETLK, 1032),
)
"""The allowed commands of `fcntl`; the last is F_GETPIPE_SZ.

Not: larger pipes, leases, notices of a folder's changes, seals.
"""
_LOCKS: Final = (fcntl.F_SETLK, fcntl.F_SETLKW, fcntl.F_OFD_SETLK, fcntl.F_OFD_SETLKW)

_PROCESS_OPTIONS: Final = (1, 2, 3, 15, 16, 23, 29, 30, 38, 39, 41, 42)
"""The allowed options of `prctl`.

They are: the signal of a parent's death, the query whether it may be dumped, names of threads, the
query for a capability, slack of timers, no new rights, no huge pages. Not: PR_SET_DUMPABLE, which
would hide a process from the worker's checks; filters; names of memory.
"""

_DEVICE_REQUESTS: Final = (
    *(termios.TCGETS, termios.TIOCGWINSZ, termios.TIOCGPGRP, termios.FIONREAD, termios.FIONBIO),
    *(termios.FIOCLEX, termios.FIONCLEX, termios.TIOCOUTQ),
)
"""Requests to pipes, sockets and terminals. There are no terminals."""

_SOCKET_OPTIONS: Final = (
    *(socket.SO_REUSEADDR, socket.SO_BROADCAST, socket.SO_KEEPALIVE, socket.SO_LINGER),
    *(socket.SO_REUSEPORT, socket.SO_PASSCRED, socket.SO_RCVLOWAT, socket.SO_OOBINLINE),
    # Time limits, by both of their numbers.
    *(20, 21, 66, 67),
)
"""The allowed options of `setsockopt`. Not: filters of received data, which are memory."""
_BUFFER_SIZES: Final = (socket.SO_SNDBUF, socket.SO_RCVBUF, 32, 33)
"""The options for buffer sizes, also those that may exceed the system's limits.

They do nothing: the buffers of sockets are memory that no limit counts.
"""


def rules() -> Iterator[Rule]:
    """Yield all rules, for each architecture: a call that an architecture lacks is left out."""
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
    # A thread with a table of files of its own would hide them from the worker's checks.
    yield Rule("clone", (Bits(0, spaces | shared, shared),))
    yield Rule("close_range", (Bits(2, _CLOSE_RANGE_UNSHARE, 0),))
    yield from _one_of("prctl", 0, _PROCESS_OPTIONS)
    # A new session would get its own share of the processors, whatever its processes' niceness.
    yield Rule("setsid", error=0)


def _of_memory() -> Iterator[Rule]:
    # Shared memory without a file belongs to no process, so that no limit counts it.
    unnamed = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
    yield Rule("mmap", (Bits(3, unnamed, unnamed),), errno.EPERM)
    for kind in (0, mmap.MAP_SHARED, mmap.MAP_ANONYMOUS):
        kinds = unnamed | _MAP_HUGETLB
        yield Rule("mmap", (Bits(3, kinds, kind),))
        yield Rule("mmap", (Bits(3, kinds, kind | _MAP_HUGETLB),), errno.ENOMEM)
    yield from _one_of("madvise", 2, _ADVICE)


def _of_files() -> Iterator[Rule]:
    yield from _one_of("fcntl", 1, _FILE_COMMANDS)
    # Programs that see the same file could communicate by its locks, and stop others that lock it;
    # locks of parts are memory that no limit counts. All do nothing and report success, as else
    # SQLite and installers of packages would stop. A program's own files exist for its shift only.
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
    """Yield the rules for sockets, which are of the family AF_UNIX alone.

    Buffers of other families are memory that no limit counts, and some families, such as that to
    the host of a virtual machine, know no namespaces.
    """
    yield from _one_of("socket", 0, [socket.AF_UNIX])
    yield from _one_of("socketpair", 0, [socket.AF_UNIX])
    for bit in range(32):
        other = Bits(0, 1 << bit, ~socket.AF_UNIX & 1 << bit)
        # The lowest bit that differs decides, so that a family has one rule.
        same = (1 << bit) - 1
        found = Bits(0, same | other.mask, socket.AF_UNIX & same | other.value)
        yield Rule("socket", (found,), errno.EAFNOSUPPORT)
    level = Bits(1, WHOLE, socket.SOL_SOCKET)
    yield from _one_of("setsockopt", 2, _SOCKET_OPTIONS, level)
    yield from _one_of("setsockopt", 2, _BUFFER_SIZES, level, error=0)


def _one_of(
    call: str, argument: int, values: Iterable[int], *others: Bits, error: int | None = None
) -> Iterator[Rule]:
    """Yield rules for a call if one of its arguments has one of these values."""
    for value in values:
        yield Rule(call, (*others, Bits(argument, WHOLE, value)), error)
