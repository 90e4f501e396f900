"""A script that prepares the files that a program sees, drops root, and executes the program.

It collects the files where the program's user may read them, and makes the kernel ask the worker
before some calls. It runs as a script in its own namespaces and is never imported, so that it
shares nothing with the worker:

python -I -S stage.py LINE USER STAGE [SIZE,FILES…] -- [SOURCE…] -- PROGRAM [ARGUMENT…]

LINE is the file number of a Unix socket, over which the worker receives the file on which the
kernel asks it (seccomp_unotify(2), arena.worker.call_gate). A small file system at STAGE contains
the entries 0, 1, 2, …: first an empty file system in memory for each SIZE,FILES, with at most SIZE
bytes and FILES files, then the sources. Started as root, the script becomes the user with the
number USER: a user namespace of root's would not be enough, as the program would still own root's
files. PROGRAM is bubblewrap.
"""

import ctypes
import os
import socket
import stat
import sys

_MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_REC = 2, 4, 4096, 16384
_SCMP_ACT_ALLOW, _SCMP_ACT_NOTIFY = 0x7FFF0000, 0x7FC00000
_SCMP_CMP_MASKED_EQ, _EPOLL_CTL_ADD = 7, 1
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

_libc = ctypes.CDLL(None, use_errno=True)


def main(arguments: list[str]) -> None:
    """Prepare the process, then execute the program. Does not return."""
    line, user, stage, *rest = arguments
    split = rest.index("--")
    memory, rest = rest[:split], rest[split + 1 :]
    split = rest.index("--")
    sources, program = rest[:split], rest[split + 1 :]
    # Opened before the stage is mounted and hides the files below it.
    found = [os.open(source, os.O_PATH) for source in sources]
    _mount("tmpfs", stage, "tmpfs", "mode=755,size=64k")
    for number, most in enumerate(memory):
        size, files = most.split(",")
        # Without pathlib: its import takes longer than the rest of this script.
        os.mkdir(f"{stage}/{number}")  # noqa: PTH102  see above
        options = f"mode=1777,size={size},nr_inodes={files}"
        _mount("tmpfs", f"{stage}/{number}", "tmpfs", options)
    for number, source in enumerate(found, len(memory)):
        _bind(source, f"{stage}/{number}")
    if user:
        os.setgroups([])
        os.setgid(int(user))
        os.setuid(int(user))
    # Ambient capabilities allowed a user other than root to mount; bubblewrap refuses to have any.
    _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    with socket.socket(fileno=int(line)) as worker:
        socket.send_fds(worker, [b"."], [_asked_before_calls()])
    os.execv(program[0], program)  # noqa: S606  a program and its arguments, no shell


class _Condition(ctypes.Structure):
    """`struct scmp_arg_cmp`: the condition that the masked bits of an argument equal a value."""

    _fields_ = (
        ("argument", ctypes.c_uint),
        ("comparison", ctypes.c_int),
        ("mask", ctypes.c_uint64),
        ("value", ctypes.c_uint64),
    )


def _asked_before_calls() -> int:
    """Return a file on which the kernel asks before this process connects or adds an epoll watch.

    This applies to its descendants, too. The file is closed when the program is executed.
    """
    seccomp = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    calls = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(_SCMP_ACT_ALLOW)))
    # The operation of epoll_ctl has 32 bits.
    adds = _Condition(1, _SCMP_CMP_MASKED_EQ, 0xFFFFFFFF, _EPOLL_CTL_ADD)
    failed = 0
    for name, count in ((b"connect", 0), (b"epoll_ctl", 1)):
        failed = failed or seccomp.seccomp_rule_add_array(
            calls,
            ctypes.c_uint32(_SCMP_ACT_NOTIFY),
            seccomp.seccomp_syscall_resolve_name(name),
            ctypes.c_uint(count),
            ctypes.byref(adds),
        )
    failed = failed or seccomp.seccomp_load(calls)
    if failed:
        # A kernel before 5.5, or a container that already has such a filter.
        sys.exit(f"the kernel does not ask before a program connects: {os.strerror(-failed)}")
    return int(seccomp.seccomp_notify_fd(calls))


def _bind(source: int, place: str) -> None:
    """Mount an open file or folder at `place`, and close it."""
    if stat.S_ISDIR(os.fstat(source).st_mode):
        os.mkdir(place)  # noqa: PTH102  see above
    else:
        os.close(os.open(place, os.O_CREAT))
    _mount(f"/proc/self/fd/{source}", place, "", flags=_MS_BIND | _MS_REC)
    os.close(source)


def _mount(
    source: str, target: str, kind: str, data: str = "", flags: int = _MS_NOSUID | _MS_NODEV
) -> None:
    words = (word.encode() or None for word in (source, target, kind))
    if _libc.mount(*words, ctypes.c_ulong(flags), data.encode() or None) != 0:
        sys.exit(f"mount {target}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    main(sys.argv[1:])
