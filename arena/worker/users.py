"""Users of the machine as which programs run, one for each, where the worker may choose.

The kernel counts by user what it keeps for programs without counting it as memory: watches of
`epoll`, pages of pipes, files that are sent. A program with a user of its own can only use up its
own share, and not that of the referee or of another program.
"""

import os
import pwd
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def program_user(users: range) -> Iterator[int | None]:
    """One of these users that no other program on this machine has until the block ends.

    `nobody` where this machine does not have them; None where we are not root, and programs run as
    we do.

    Raises OSError if all are taken.
    """
    if os.geteuid() != 0:
        yield None
    elif why_shared(users):
        yield pwd.getpwnam("nobody").pw_uid
    else:
        user, taken = _taken(users)
        with taken:
            yield user


def why_shared(users: range) -> str:
    """Why programs have no users of their own; empty if they have."""
    if os.geteuid() != 0:
        return "the worker is not root"
    for name in ("uid_map", "gid_map"):
        if not any(first <= users.start and users.stop <= end for first, end in _known(name)):
            return f"this container lacks the users {users.start} to {users.stop - 1}"
    return ""


def _taken(users: range) -> tuple[int, socket.socket]:
    """Return a user, and what holds it.

    Other workers see by the name of a socket that it is taken, and the kernel frees the name when
    we end.
    """
    for user in users:
        name = socket.socket(socket.AF_UNIX)
        with suppress(OSError):
            name.bind(f"\0arena-program-user-{user}")
            return user, name
        name.close()
    raise OSError(f"all users from {users.start} to {users.stop - 1} are taken")


def _known(name: str) -> Iterator[tuple[int, int]]:
    """Ranges of users, or of groups, of our namespace: the first and the one after the last."""
    for line in Path("/proc/self", name).read_text().splitlines():
        first, _, count = map(int, line.split())
        yield first, first + count
