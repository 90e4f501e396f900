"""The filter of system calls of confined programs: none that bots need is in it.

What a kernel offers beyond computing, files, pipes and sockets is where its faults have been found:
the filter keeps programs away from it. Namespaces, and the rights of the user that they run as, are
what confines them.
"""

import errno
import fcntl
import mmap
import os
import socket
from typing import Final

_REFUSED: Final = (
    # File systems, roots and namespaces.
    *("mount", "umount2", "pivot_root", "chroot", "mount_setattr", "move_mount", "open_tree"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "unshare", "setns", "quotactl"),
    *("name_to_handle_at", "open_by_handle_at", "fanotify_init", "swapon", "swapoff", "acct"),
    # Other processes.
    *("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd"),
    # The kernel itself.
    *("bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "syslog"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot"),
    *("settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname"),
    *("setdomainname", "iopl", "ioperm", "modify_ldt", "personality"),
    # Memory that belongs to no process, so that no limit of a process counts it.
    *("shmget", "msgget", "semget", "mq_open", "memfd_secret"),
    # Their share of the processors is given to them.
    *("sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"),
)
_UNKNOWN: Final = (
    # Programs do without these where a kernel does not have them. A filter cannot look into what
    # clone3 is given.
    *("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_create"),
    # Watches hold the kernel's memory, and all programs of a user share one limit.
    *("inotify_init", "inotify_init1"),
    # The machine has a limited number of places for this, of all users.
    "io_setup",
)
_PRETENDED: Final = "setsid"
"""A session has a share of the processors of its own, however far its processes stand back: it
does nothing, and says that it did."""
_PART_LOCKS: Final = (fcntl.F_SETLK, fcntl.F_SETLKW, fcntl.F_OFD_SETLK, fcntl.F_OFD_SETLKW)
"""A file can have any number of locks, one for each of its bytes: memory that no limit counts. They
do nothing, and say that they did; SQLite goes on. flock(2) locks: once for each open file."""
_SHARED_MEMORY: Final = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
"""It is no process's own either."""
_BUFFER_SIZES: Final = (socket.SO_SNDBUF, socket.SO_RCVBUF, 32, 33)
"""And the same for those who may exceed the system's limits. Asked for is as much as is given: what
is in the buffers of sockets is memory that nobody counts."""
_NEW_NAMESPACES: Final = (
    *(0x00000080, 0x00020000, 0x02000000, 0x04000000, 0x08000000),
    *(0x10000000, 0x20000000, 0x40000000),
)
"""CLONE_NEW… for time, mounts, cgroups, names, ipc, users, processes and network."""
_FAMILIES: Final = sorted({0, socket.AF_UNIX, socket.AF_INET, socket.AF_INET6})
"""Of sockets. Others, as those to the host of a virtual machine, know no namespaces."""


def system_call_filter() -> int:
    """A file descriptor with the filter, for `bwrap --seccomp`; the caller closes it.

    Raises OSError, RuntimeError or ImportError where libseccomp is missing or does not know a call.
    """
    from pyseccomp import ALLOW, EQ, ERRNO, GT, MASKED_EQ, Arg, SyscallFilter

    calls = SyscallFilter(ALLOW)
    for name in _REFUSED:
        calls.add_rule(ERRNO(errno.EPERM), name)
    for name in _UNKNOWN:
        calls.add_rule(ERRNO(errno.ENOSYS), name)
    for flag in _NEW_NAMESPACES:
        calls.add_rule(ERRNO(errno.EPERM), "clone", Arg(0, MASKED_EQ, flag, flag))
    calls.add_rule(ERRNO(errno.EPERM), "mmap", Arg(3, MASKED_EQ, _SHARED_MEMORY, _SHARED_MEMORY))
    ignored = ERRNO(0)
    calls.add_rule(ignored, _PRETENDED)
    for command in _PART_LOCKS:
        calls.add_rule(ignored, "fcntl", Arg(1, EQ, command))
    for option in _BUFFER_SIZES:
        calls.add_rule(ignored, "setsockopt", Arg(1, EQ, socket.SOL_SOCKET), Arg(2, EQ, option))
    refused = ERRNO(errno.EAFNOSUPPORT)
    for family in set(range(max(_FAMILIES))) - set(_FAMILIES):
        calls.add_rule(refused, "socket", Arg(0, EQ, family))
    calls.add_rule(refused, "socket", Arg(0, GT, max(_FAMILIES)))
    file = os.memfd_create("system calls")
    with os.fdopen(os.dup(file), "wb") as exported:
        calls.export_bpf(exported)
    os.lseek(file, 0, os.SEEK_SET)
    return file
