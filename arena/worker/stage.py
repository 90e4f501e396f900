"""Shows a program what it needs where `nobody` may see it, gives root up, lets the worker be asked
before each `connect`, and executes the program.

Run as a script in namespaces of its own, never imported, so that nothing of the worker is shared
with it:

    python -I -S stage.py LINE STAGE [SOURCE…] -- PROGRAM [ARGUMENT…]

LINE is the file number of a Unix socket, over which the worker gets the file at which the kernel
asks it (seccomp_unotify(2), arena.worker.connecting). As root a small file system at STAGE holds
the sources as 0, 1, 2, …; others have none, and see what they see. PROGRAM is bubblewrap. In a user
namespace of root's, root's files would still be the program's own.
"""

import ctypes
import os
import pwd
import socket
import sys

_MS_NOSUID, _MS_NODEV, _MS_BIND = 2, 4, 4096
_SCMP_ACT_ALLOW, _SCMP_ACT_NOTIFY = 0x7FFF0000, 0x7FC00000

_libc = ctypes.CDLL(None, use_errno=True)


def main(arguments: list[str]) -> None:
    """Prepare the process, then execute the program. Does not return."""
    split = arguments.index("--")
    line, stage, *sources = arguments[:split]
    program = arguments[split + 1 :]
    if stage:
        _give_root_up(stage, sources)
    with socket.socket(fileno=int(line)) as worker:
        socket.send_fds(worker, [b"."], [_asked_before_connect()])
    os.execv(program[0], program)  # noqa: S606  a program and its arguments, no shell


def _give_root_up(stage: str, sources: list[str]) -> None:
    nobody = pwd.getpwnam("nobody")
    _mount("tmpfs", stage, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755,size=64k")
    # Without pathlib: importing it takes longer than all of this.
    for number, source in enumerate(sources):
        place = f"{stage}/{number}"
        if os.path.isdir(source):  # noqa: PTH112  see above
            os.mkdir(place)  # noqa: PTH102  see above
        else:
            os.close(os.open(place, os.O_CREAT))
        _mount(source, place, "", _MS_BIND)
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)


def _asked_before_connect() -> int:
    """A file at which the kernel asks before this process, or what comes of it, connects. It is
    closed when the program is executed."""
    seccomp = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    calls = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(_SCMP_ACT_ALLOW)))
    connect = seccomp.seccomp_syscall_resolve_name(b"connect")
    added = seccomp.seccomp_rule_add(calls, ctypes.c_uint32(_SCMP_ACT_NOTIFY), connect, 0)
    failed = added or seccomp.seccomp_load(calls)
    if failed:
        # A kernel before 5.5, or a container whose own calls somebody else is asked about.
        sys.exit(f"the kernel does not ask before a program connects: {os.strerror(-failed)}")
    return int(seccomp.seccomp_notify_fd(calls))


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    words = (word.encode() or None for word in (source, target, kind))
    if _libc.mount(*words, ctypes.c_ulong(flags), data.encode() or None) != 0:
        sys.exit(f"mount {target}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    main(sys.argv[1:])
