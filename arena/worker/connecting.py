"""`ConnectGate`: lets a confined program connect, so many times at once and then now and then.

A connection costs a referee far more than the program that opens and drops it, and the kernel
limits only how many are open. So it asks us before each `connect` (seccomp_unotify(2), set up in
stage.py). What it asks is answered when the next one is due: until then the program waits in its
call, and nobody works for it. We look at nothing but the number of calls: what a call is given
could be changed behind our back.
"""

import asyncio
import math
import os
import select
import struct
from collections.abc import Callable
from contextlib import suppress
from fcntl import ioctl
from typing import Final

from arena.worker.limits import CONNECT_EACH_SECONDS, CONNECTS_AT_ONCE

_RECEIVE: Final = 0xC0502100
"""SECCOMP_IOCTL_NOTIF_RECV: `struct seccomp_notif`, 80 bytes, whose first 8 are its id."""
_REQUEST_BYTES: Final = 80
_SEND: Final = 0xC0182101
"""SECCOMP_IOCTL_NOTIF_SEND: `struct seccomp_notif_resp`."""
_RESPONSE: Final = struct.Struct("=QqiI")
_CONTINUE: Final = 1
"""SECCOMP_USER_NOTIF_FLAG_CONTINUE: the kernel goes on with the call."""


class ConnectGate:
    """Answers what the kernel asks for one program, in this event loop, until `close`."""

    def __init__(self, listener: int, on_first_wait: Callable[[], None]) -> None:
        """`listener` is the file at which the kernel asks; it is ours from now on."""
        self._listener = listener
        self._on_first_wait = on_first_wait
        self._waited = False
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._all_at = -math.inf
        """When as many as at first may connect at once again."""
        self._asked = select.poll()
        self._asked.register(listener, select.POLLIN)
        self._loop.add_reader(listener, self._answer)

    def close(self) -> None:
        """From now on the kernel refuses what the program asks."""
        if self._timer is not None:
            self._timer.cancel()
        self._loop.remove_reader(self._listener)
        os.close(self._listener)

    def _answer(self) -> None:
        if not any(event & select.POLLIN for _, event in self._asked.poll(0)):
            # Nobody is left who could ask; receiving would block.
            self._loop.remove_reader(self._listener)
            return
        now = self._loop.time()
        due = self._all_at - (CONNECTS_AT_ONCE - 1) * CONNECT_EACH_SECONDS
        if due > now:
            self._loop.remove_reader(self._listener)
            self._timer = self._loop.call_at(due, self._go_on)
            if not self._waited:
                self._waited = True
                self._on_first_wait()
            return
        # It fails if the process that asked has ended, or was interrupted and will ask again.
        with suppress(OSError):
            asked = bytearray(_REQUEST_BYTES)
            ioctl(self._listener, _RECEIVE, asked)
            id_ = int.from_bytes(asked[:8], "little")
            ioctl(self._listener, _SEND, _RESPONSE.pack(id_, 0, 0, _CONTINUE))
            self._all_at = max(self._all_at, now) + CONNECT_EACH_SECONDS

    def _go_on(self) -> None:
        self._timer = None
        self._loop.add_reader(self._listener, self._answer)
