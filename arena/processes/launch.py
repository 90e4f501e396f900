"""The launcher of a child process: it sets parent-death signal and niceness, and drops root.

It is run as a script by `arena.processes.spawn`, never imported, so that it shares nothing with the
parent (threads, gRPC, locks):

    python -I -S launch.py PARENT SIGNAL NICENESS ROOT [DIRECTORY…] -- PROGRAM [ARGUMENT…]

The kernel sends the program SIGNAL when the parent ends, however that happens. On systems without
Linux's prctl only the parent's own clean-up ends it.

With ROOT = `drop` and started by root, it drops root, because Postgres refuses to run as root. It
first tries a user namespace in which root is mapped to `nobody`, so that files still belong to the
caller. If namespaces are denied it becomes the real `nobody`, which then owns the DIRECTORIES.
"""

import contextlib
import ctypes
import os
import pwd
import sys
import time
from pathlib import Path
from signal import SIG_DFL, SIGINT
from signal import signal as set_handler

_PR_SET_PDEATHSIG = 1
_CLONE_NEWUSER = 0x10000000
_NOBODY = 65534
_STAND_BACK_SECONDS = 2.0
"""The longest wait to set the niceness; enough for a dozen programs started at the same time."""


def main(arguments: list[str]) -> None:
    """Prepare the process, then execute the program. Does not return."""
    split = arguments.index("--")
    parent, signal, niceness, root, *directories = arguments[:split]
    program = arguments[split + 1 :]
    if root == "drop" and os.geteuid() == 0:
        _give_up_root([Path(directory) for directory in directories], program[0])
    _stand_back(int(niceness))
    # A process started with SIGINT ignored (nohup, a script's &) passes that on to its children.
    set_handler(SIGINT, SIG_DFL)
    # After the change of credentials, which would clear the signal; the program's exec keeps it.
    _die_with_parent(int(parent), int(signal))
    try:
        os.execvp(program[0], program)  # noqa: S606  a program and its arguments, no shell
    except OSError as error:
        sys.exit(f"Cannot start {program[0]}: {error.strerror}.")


def _die_with_parent(parent: int, signal: int) -> None:
    with contextlib.suppress(AttributeError):  # no prctl on this system
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal, 0, 0, 0)
    if os.getppid() != parent:  # it ended before prctl was called, so no signal would come
        sys.exit(1)


def _stand_back(niceness: int) -> None:
    if not niceness:
        return
    os.nice(niceness)
    # Linux shares the processor among sessions first, and we are a session of our own. It accepts
    # one such write per 100 ms from all processes that are not root's; the others must retry.
    deadline = time.monotonic() + _STAND_BACK_SECONDS
    with contextlib.suppress(OSError):  # not supported on this system
        while time.monotonic() < deadline:
            try:
                Path("/proc/self/autogroup").write_text(str(niceness))
            except BlockingIOError:
                time.sleep(0.02)
            else:
                return


def _give_up_root(directories: list[Path], program: str) -> None:
    user, group = os.geteuid(), os.getegid()
    if _namespaces_allowed(user, group):
        _hand_over(directories, user, group)
        _enter_user_namespace(user, group)
        return
    nobody = pwd.getpwnam("nobody")
    _hand_over(directories, nobody.pw_uid, nobody.pw_gid)
    _let_pass({directory.parent for directory in directories}, user)
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)
    for path in [Path(program), *directories]:
        if not os.access(path, os.X_OK):
            sys.exit(
                f"This must run as the user nobody, who cannot access {path}: "
                "move it to where every user has access, or do not start as root."
            )


def _namespaces_allowed(user: int, group: int) -> bool:
    """Return whether user namespaces work, by trying one in a forked process.

    A test is needed, because directories must be handed over before this process enters one.
    """
    child = os.fork()
    if child == 0:
        try:
            _enter_user_namespace(user, group)
        except (OSError, AttributeError):  # denied; no unshare on this system
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _enter_user_namespace(user: int, group: int) -> None:
    """Become `nobody` in a user namespace; outside it the process still runs as `user`."""
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{_NOBODY} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{_NOBODY} {group} 1")


def _hand_over(directories: list[Path], user: int, group: int) -> None:
    for directory in directories:
        if directory.stat().st_uid != user:
            for folder, _, files in os.walk(directory):
                for path in [folder, *(f"{folder}/{file}" for file in files)]:
                    os.chown(path, user, group, follow_symlinks=False)


def _let_pass(parents: set[Path], user: int) -> None:
    """Make the caller's own directories traversable for others, but not readable."""
    for parent in parents:
        found = parent.stat()
        if found.st_uid == user and not found.st_mode & 0o001:
            parent.chmod(found.st_mode & 0o7777 | 0o011)


if __name__ == "__main__":
    main(sys.argv[1:])
