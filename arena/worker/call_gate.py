"""`CallGate`: lets a confined program make a call so many times at once, and then now and then.

A connection costs a referee far more than the program that opens and drops it, and the kernel
limits only how many are open. Watches of `epoll` are the kernel's memory, and one processor makes a
million in a second. So the kernel asks us before each `connect`, and before each `epoll_ctl` that
adds a watch (seccomp_unotify(2), set up in stage.py). What it asks is answered when the next one
is due: until then the program waits in its call, and so does whatever else it asks; nobody works
for it. We look at nothing but which call it is: memory that a call points to could be changed
behind our back.
"""

import asyncio
import math
import os
import select
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from fcntl import ioctl
from typing import Final

_RECEIVE: Final = 0xC0502100
"""SECCOMP_IOCTL_NOTIF_RECV: `struct seccomp_notif`, 80 bytes."""
_REQUEST_BYTES: Final = 80
_REQUEST: Final = struct.Struct("=QIIi")
"""Its beginning: an id, the process, flags, and the number of the call."""
_SEND: Final = 0xC0182101
"""SECCOMP_IOCTL_NOTIF_SEND: `struct seccomp_notif_resp`."""
_RESPONSE: Final = struct.Struct("=QqiI")
_CONTINUE: Final = 1
"""SECCOMP_USER_NOTIF_FLAG_CONTINUE: the kernel goes on with the call."""


class CallAllowance:
    """How often a call may be made: `at_once`, and then one in `each_seconds`."""

    def __init__(
        self, call: str, at_once: int, each_seconds: float, on_first_wait: Callable[[], None]
    ) -> None:
        self.call = call
        self._ahead = (at_once - 1) * each_seconds
        self._each_seconds = each_seconds
        self._on_first_wait = on_first_wait
        self._waited = False
        self._all_at = -math.inf
        """When as many as at first may be made at once again."""

    def take(self, now: float) -> float:
        """Take one. Returns when it may be made; a time before `now` is at once."""
        due = self._all_at - self._ahead
        self._all_at = max(self._all_at, now) + self._each_seconds
        if due > now and not self._waited:
            self._waited = True
            self._on_first_wait()
        return due

    def give_back(self) -> None:
        """One that was taken is not made."""
        self._all_at -= self._each_seconds


class CallGate:
    """Answers what the kernel asks for one program, in this event loop, until `close`."""

    def __init__(self, listener: int, allowances: Sequence[CallAllowance]) -> None:
        """Answer the kernel's questions about the calls of the allowances.

        `listener` is the file at which it asks; it is ours from now on.
        """
        from pyseccomp import Arch, resolve_syscall

        self._listener = listener
        self._allowances = {resolve_syscall(Arch.NATIVE, one.call): one for one in allowances}
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._asked = select.poll()
        self._asked.register(listener, select.POLLIN)
        self._loop.add_reader(listener, self._receive)

    def close(self) -> None:
        """Let the kernel refuse what the program asks from now on."""
        if self._timer is not None:
            self._timer.cancel()
        self._loop.remove_reader(self._listener)
        os.close(self._listener)

    def _receive(self) -> None:
        if not any(event & select.POLLIN for _, event in self._asked.poll(0)):
            # Nobody is left who could ask; receiving would block.
            self._loop.remove_reader(self._listener)
            return
        # It fails if the process that asked has ended, or was interrupted and will ask again.
        with suppress(OSError):
            asked = bytearray(_REQUEST_BYTES)
            ioctl(self._listener, _RECEIVE, asked)
            id_, _, _, number = _REQUEST.unpack_from(asked)
            allowance = self._allowances[number]
            now = self._loop.time()
            due = allowance.take(now)
            if due <= now:
                self._answer(id_, allowance)
            else:
                self._loop.remove_reader(self._listener)
                self._timer = self._loop.call_at(due, self._answer_late, id_, allowance)

    def _answer(self, id_: int, allowance: CallAllowance) -> None:
        try:
            ioctl(self._listener, _SEND, _RESPONSE.pack(id_, 0, 0, _CONTINUE))
        except OSError:
            # As above. Who is interrupted while it waits must not wait again.
            allowance.give_back()

    def _answer_late(self, id_: int, allowance: CallAllowance) -> None:
        self._timer = None
        self._answer(id_, allowance)
        self._loop.add_reader(self._listener, self._receive)
