"""The machine's users under which programs run: one for each program, if the worker is root.

The kernel counts some memory only by user: watches of `epoll`, pages of pipes, files in transit. A
program with a user of its own can use up only its own share, not the share of the referee or of
another program.
"""

import os
import pwd
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def program_user(users: range) -> Iterator[int | None]:
    """Reserve one of these users, so that no other program on this machine gets it.

    Yields `nobody` if this container lacks the users, and None if we are not root: programs then
    run as our user. Raises OSError if all users are taken.
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
    """Return why programs do not get users of their own, or "" if they do."""
    if os.geteuid() != 0:
        return "the worker is not root"
    for name in ("uid_map", "gid_map"):
        if not any(first <= users.start and users.stop <= end for first, end in _known(name)):
            return f"this container lacks the users {users.start} to {users.stop - 1}"
    return ""


def _taken(users: range) -> tuple[int, socket.socket]:
    """Reserve a user, and return it with the socket that reserves it.

    The socket's name shows other workers that the user is taken. The kernel frees the name when
    this process ends.
    """
    for user in users:
        name = socket.socket(socket.AF_UNIX)
        with suppress(OSError):
            name.bind(f"\0arena-program-user-{user}")
            return user, name
        name.close()
    raise OSError(f"all users from {users.start} to {users.stop - 1} are taken")


def _known(name: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of users, or of groups, of our namespace.

    A range is the first number, and the number after the last.
    """
    for line in Path("/proc/self", name).read_text().splitlines():
        first, _, count = map(int, line.split())
        yield first, first + count
