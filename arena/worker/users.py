"""Users of the machine as which programs run, one for each, where the worker may choose.

The kernel counts some memory that it keeps for programs by user only: watches of `epoll`, pages of
pipes, files that are sent. A program with a user of its own can use up only its own share, and not
that of the referee or of another program.
"""

import os
import pwd
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def program_user(users: range) -> Iterator[int | None]:
    """Hold one of these users, which no other program on this machine has until the block ends.

    Yields `nobody` where this machine does not have the users, and None where we are not root: then
    programs run as our user.

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
    """Return why programs have no users of their own; empty if they have."""
    if os.geteuid() != 0:
        return "the worker is not root"
    for name in ("uid_map", "gid_map"):
        if not any(first <= users.start and users.stop <= end for first, end in _known(name)):
            return f"this container lacks the users {users.start} to {users.stop - 1}"
    return ""


def _taken(users: range) -> tuple[int, socket.socket]:
    """Take a user, and return it with the socket that holds it.

    Other workers see by the socket's name that the user is taken; the kernel frees the name when we
    end.
    """
    for user in users:
        name = socket.socket(socket.AF_UNIX)
        with suppress(OSError):
            name.bind(f"\0arena-program-user-{user}")
            return user, name
        name.close()
    raise OSError(f"all users from {users.start} to {users.stop - 1} are taken")


def _known(name: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of users, or of groups, that our namespace has.

    A range is the first, and the one after the last.
    """
    for line in Path("/proc/self", name).read_text().splitlines():
        first, _, count = map(int, line.split())
        yield first, first + count
