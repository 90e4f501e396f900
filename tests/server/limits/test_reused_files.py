"""A connection that gRPC closed meanwhile, and whose number another file has, is not cut."""

import os
import socket
import sys
import threading
from contextlib import ExitStack

import pytest

from arena.server.limits.connections import _Connection
from arena.server.limits.limits import Bucket
from tests.server.limits.test_cut_connections import opened

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux lists the sockets of a process"
)


def test_a_file_that_becomes_another_while_it_is_cut_is_left_alone() -> None:
    """gRPC's threads close and open files at any time: here one number is two files by turns."""
    with opened(connections_an_address=0) as port, ExitStack() as stack:
        port.guest()
        guest = port._accepted[0]
        other, far = (stack.enter_context(one) for one in socket.socketpair())
        far.setblocking(False)
        number = os.dup(guest.fileno())
        stack.callback(os.close, number)
        over = threading.Event()

        def change() -> None:
            while not over.is_set():
                os.dup2(other.fileno(), number)
                os.dup2(guest.fileno(), number)

        inode, bucket = os.fstat(guest.fileno()).st_ino, Bucket(1, 1)
        found = _Connection(number, inode, "peer", "address", guest.family, bucket)
        changing = threading.Thread(target=change)
        changing.start()
        try:
            for _ in range(20_000):
                port.connections._shut_down(found)
                with pytest.raises(BlockingIOError):  # it is open, and nothing was sent
                    far.recv(1)
        finally:
            over.set()
            changing.join()
