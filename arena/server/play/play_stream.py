"""`PlayStream`: one stream of a bot, from its opening to its end.

The call's own task reads. Writing has no task: a callback resumes gRPC's coroutine that sends a
message when the future it waits for is done. A task for each message would double the cost of
sending it, and a waiting task takes as much memory as everything else about a bot.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, Final

import grpc
import grpc.aio
import structlog

from arena.records import Registered
from arena.server.limits.refusals import Context
from arena.server.play.lobby import Lobby
from arena.server.play.outbox import Outbox
from arena.server.play.session import Session
from arena.server.requests.errors import ProtocolError, internal_error
from arena.server.requests.parsing import parsed
from arena.v1 import referee_pb2

GOODBYE_SECONDS: Final = 0.05
"""How long the end of a bot's stream waits for grpc to report that the connection was lost."""

log = structlog.get_logger()

Greet = Callable[["PlayStream", referee_pb2.PlayRequest], None]
"""Handles the first message of a stream."""


class PlayStream:
    """One Play call: its caller, its outbox, and the session that its hello opened."""

    __slots__ = (
        *("_context", "_count", "_ended", "_ending", "_hello_timer", "_interruptible"),
        *("_lobby", "_may_write", "_queued", "_sent", "_task", "_writes"),
        *("outbox", "peer", "registered", "session", "spoke", "token"),
    )

    def __init__(
        self,
        context: Context,
        lobby: Lobby,
        token: str,
        registered: Registered,
        spoke: Callable[[], None],
        count: Callable[[int], None],
        queued: Callable[[float], None],
    ) -> None:
        """Create the stream; call this within the call's task.

        `count` counts the bytes of a message, and may raise ProtocolError; `queued` is called with
        the seconds that each message waited to be written.
        """
        self.token = token
        self.registered = registered
        self.spoke = spoke
        """A callback for when the hello has come or the stream has ended."""
        self.peer = context.peer()
        self.outbox = Outbox(self._overflow, self._write_soon)
        self.session: Session | None = None
        """The bot's session; None until the hello is accepted."""
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._context = context
        self._lobby = lobby
        self._count = count
        self._queued = queued
        self._hello_timer: asyncio.TimerHandle | None = None
        self._may_write = True
        """False once writing was stopped or has failed."""
        self._writes = False
        """Whether a message is being written, or is about to be."""
        self._sent: asyncio.Future[Any] | None = None
        """The future that the current write waits for."""
        self._interruptible = False
        """Whether the task only waits for the bot, so that `end` may cancel it."""
        self._ended = False
        self._ending: ProtocolError | None = None
        """The error that ended the stream; None if the bot closed it."""

    def end(self, error: ProtocolError | None) -> None:
        """End the stream; only the first reason counts."""
        self._greeted()
        if not self._ended:
            self._ended, self._ending = True, error
            if self._interruptible:
                self._task.cancel()

    def _greeted(self) -> None:
        """Stop waiting for the hello."""
        if self._hello_timer is not None:
            self._hello_timer.cancel()
            self._hello_timer = None

    def _overflow(self) -> None:
        self.end(_too_slow())

    def leave(self) -> None:
        """Leave the lobby: the bot closed the stream, the referee ended it, or it was cut."""
        if self.session is not None:
            goodbye = self._ended and self._ending is None
            self._lobby.leave(self.session, self.outbox, goodbye=goodbye)

    def stop_writing(self) -> None:
        """Write nothing more. A status may be sent afterwards."""
        self._may_write = False
        if self._sent is not None:
            self._sent.cancel()

    async def converse(self, greet: Greet, hello_seconds: float) -> None:
        """Handle messages until the stream ends.

        `greet` handles the first message, which must come within `hello_seconds`, and sets
        `session`. Raises the ProtocolError with which the stream ends.
        """
        # A timer, not a timeout around the read: cancelling a read breaks all further reads.
        self._hello_timer = asyncio.get_running_loop().call_later(
            hello_seconds, lambda: self.end(_no_hello())
        )
        # grpc.aio sends the initial metadata with the first message, and marks them as sent once
        # that is written. A writer cancelled before that makes it send them again with the status:
        # grpc refuses both, and the bot waits forever.
        with suppress(grpc.aio.InternalError):  # the bot is gone; grpc will cancel the call
            await self._context.send_initial_metadata(())
        try:
            # No variable refers to a message: it would keep its memory during the next read.
            while not self._ended:
                self._interruptible = True
                if not self._handled(await self._context.read(), greet):
                    break
            if not self._ended:
                # A lost connection looks as if the bot closed the stream, until grpc cancels the
                # call a moment later.
                await asyncio.sleep(GOODBYE_SECONDS)
                self.end(None)
        except ProtocolError as error:
            self.end(error)
        except asyncio.CancelledError:
            # Cancelled by `end`, or by grpc because the bot is gone.
            if not self._ended or self._task.uncancel():
                raise
        finally:
            self._interruptible = False
        if self._ending is not None:
            raise self._ending

    def _handled(self, data: Any, greet: Greet) -> bool:
        """Handle what was read. False if the bot closed its side."""
        self._interruptible = False
        if data is grpc.aio.EOF:
            if self.session is not None:
                self._lobby.offer_nothing_more(self.session, self.outbox)
            return False
        self._count(len(data))
        if self.session is None:
            self._greeted()
            greet(self, parsed(referee_pb2.PlayRequest, data))
        else:
            self.session.hear(data)
        return True

    def _write_soon(self) -> None:
        if self._writes:
            return
        self._writes = True
        loop = self._task.get_loop()
        if self.outbox.matches > 1:
            loop.call_later(self.outbox.gather_seconds, self._write)
        else:
            loop.call_soon(self._write)  # not at once: what is being handled may add more

    def _write(self) -> None:
        """Send all waiting parts in one message, or end the stream if there are none."""
        if not self._may_write:
            return
        if self.outbox.parts is not None:
            self._go_on(self._context.write(self.outbox.take()))
        else:
            self._writes = False
            self.end(None)

    def _go_on(self, writing: Coroutine[Any, Any, None], _sent: object = None) -> None:
        """Resume the coroutine that writes, as a task would, when its future is done."""
        try:
            self._sent = sent = writing.send(None)
            sent.add_done_callback(partial(self._go_on, writing))
        except StopIteration:
            self._sent = None
            self.outbox.writing = False
            self._queued(monotonic() - self.outbox.taken_begun)
            self._writes = False
            if self.outbox.parts is not None or self.outbox.closed:
                self._write_soon()
        except (grpc.aio.InternalError, asyncio.CancelledError):
            # The bot is gone, and grpc about to cancel the call; or writing was stopped.
            self._may_write = False
        except Exception:
            self._may_write = False
            log.exception("stream broken")
            self.end(internal_error())


# A new error each time: an error that is raised repeatedly keeps all its tracebacks.
def _no_hello() -> ProtocolError:
    return ProtocolError(grpc.StatusCode.DEADLINE_EXCEEDED, "no `hello` was sent in time")


def _too_slow() -> ProtocolError:
    return ProtocolError(
        grpc.StatusCode.RESOURCE_EXHAUSTED, "the bot does not read what it is sent"
    )
