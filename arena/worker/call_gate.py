"""`CallGate`, which limits the rate of a confined program's system calls, with a burst allowance.

A connection costs a referee far more than it costs the program that opens and drops it, and the
kernel limits only the number of open ones. `epoll` watches take kernel memory, and one processor
makes a million in a second. So the kernel asks us before each `connect`, and before each
`epoll_ctl` that adds a watch (seccomp_unotify(2), set up in stage.py). We answer a request when the
next call is due: until then the program waits in its call, and its further requests wait, too, at
no cost. We check only the number of the call: memory that a call points to could change after our
check.
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
"""The beginning of a request: an id, the process, flags, and the number of the call."""
_SEND: Final = 0xC0182101
"""SECCOMP_IOCTL_NOTIF_SEND: `struct seccomp_notif_resp`."""
_RESPONSE: Final = struct.Struct("=QqiI")
_CONTINUE: Final = 1
"""SECCOMP_USER_NOTIF_FLAG_CONTINUE: the kernel continues the call."""


class CallAllowance:
    """The allowed rate of a call: `at_once` calls, and then one every `each_seconds`."""

    def __init__(
        self, call: str, at_once: int, each_seconds: float, on_first_wait: Callable[[], None]
    ) -> None:
        self.call = call
        self._ahead = (at_once - 1) * each_seconds
        self._each_seconds = each_seconds
        self._on_first_wait = on_first_wait
        self._waited = False
        self._all_at = -math.inf
        """When the whole burst of `at_once` calls is available again."""

    def take(self, now: float) -> float:
        """Take one call. Return when it may be made; a time up to `now` means at once."""
        due = self._all_at - self._ahead
        self._all_at = max(self._all_at, now) + self._each_seconds
        if due > now and not self._waited:
            self._waited = True
            self._on_first_wait()
        return due

    def give_back(self) -> None:
        """Give back a call that was taken but not made."""
        self._all_at -= self._each_seconds


class CallGate:
    """The object that answers the kernel's requests for one program, in this event loop."""

    def __init__(self, listener: int, allowances: Sequence[CallAllowance]) -> None:
        """Answer on `listener`, the file on which the kernel asks about the allowances' calls.

        This object owns the file from now on.
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
        """Stop answering; the kernel refuses the program's calls from now on."""
        if self._timer is not None:
            self._timer.cancel()
        self._loop.remove_reader(self._listener)
        os.close(self._listener)

    def _receive(self) -> None:
        if not any(event & select.POLLIN for _, event in self._asked.poll(0)):
            # No process is left to ask; receiving would block.
            self._loop.remove_reader(self._listener)
            return
        # This fails if the asking process has ended, or was interrupted and will ask again.
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
            # As above. Give the call back, so that an interrupted process need not wait twice.
            allowance.give_back()

    def _answer_late(self, id_: int, allowance: CallAllowance) -> None:
        self._timer = None
        self._answer(id_, allowance)
        self._loop.add_reader(self._listener, self._receive)
