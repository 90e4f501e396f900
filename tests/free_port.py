"""Ports for programs that tests start."""

import contextlib
import secrets
import socket

PORTS = range(20_000, 32_768)
"""Below those that a system chooses by itself, for connections above all: so none of these is taken
between its choice here and its use."""
_given: set[int] = set()
"""The ports given out in this process; none is given out twice."""


def free_port() -> int:
    """A port of this machine on which nothing listens."""
    return free_ports_in_a_row(1)


def free_ports_in_a_row(count: int) -> int:
    """Return the first of `count` consecutive ports on which nothing listens."""
    while True:
        first = PORTS.start + secrets.randbelow(len(PORTS) - count)
        row = range(first, first + count)
        if _given.isdisjoint(row) and _are_free(row):
            _given.update(row)
            return first


def _are_free(ports: range) -> bool:
    with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
        for port in ports:
            stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
        return True
    return False
