"""Keeping a stream to the referee open: reading, answering, and coming back after a loss.

Not with grpc.aio, although that takes a little less CPU for a message (measured: about 125 µs
against 150): there a write that meets the referee's goodbye turns every status into INTERNAL, and
a bot must know whether its token was refused or a newer copy took over. Reading ahead while a
batch is answered was measured too and brought nothing: batches are as large as the referee makes
them.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from random import uniform
from typing import TypeAlias

import grpc

from arena.bot.conversation import Conversation
from arena.errors import UserError
from arena.v1 import referee_pb2
from arena.v1.referee_pb2_grpc import RefereeServiceStub

_log = logging.getLogger("arena.bot")

FIRST_BACK_OFF_S = 0.5
BACK_OFF_GROWTH = 1.3
"""Slow enough that a referee that was away for seconds is found again within a second or two."""
LONGEST_BACK_OFF_S = 30.0

FLUSH_AFTER_S = 0.005
"""The answers to a batch leave together, but none waits longer than this for a slow thinker."""

_CHANNEL_OPTIONS = (
    # A vanished referee is noticed although a waiting bot sends nothing.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    # The back-off is ours; a shared subchannel would add its own.
    ("grpc.use_local_subchannel_pool", 1),
)

_Outgoing: TypeAlias = "SimpleQueue[referee_pb2.PlayRequest | None]"

_FINAL = {
    grpc.StatusCode.UNAUTHENTICATED: "The referee refused the token",
    grpc.StatusCode.PERMISSION_DENIED: "The referee refused this bot",
    grpc.StatusCode.INVALID_ARGUMENT: "The referee does not understand this bot",
    grpc.StatusCode.UNIMPLEMENTED: "There is no referee of this protocol",
}
"""Statuses that trying again does not heal, and what they mean."""


class RefusedError(UserError):
    """The referee will not let this bot play, now or later."""


class TakenOverError(Exception):
    """A newer run of the same bot has taken over the stream."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the referee is: `host:port`, or `https://host:port` for an encrypted connection."""

    target: str
    encrypted: bool = False

    @classmethod
    def parse(cls, text: str) -> "Address":
        scheme, separator, rest = text.rpartition("://")
        if not rest.rstrip("/").rpartition(":")[2].isdigit():
            raise RefusedError(f"{text!r} is no address: write HOST:PORT, as in 127.0.0.1:50051.")
        return cls(rest.rstrip("/"), separator != "" and scheme == "https")

    def channel(self) -> grpc.Channel:
        if self.encrypted:
            credentials = grpc.ssl_channel_credentials()
            return grpc.secure_channel(self.target, credentials, _CHANNEL_OPTIONS)
        return grpc.insecure_channel(self.target, _CHANNEL_OPTIONS)


class Line:
    """The stream of the moment, for whoever wants to say something in between."""

    def __init__(self) -> None:
        self._outgoing: _Outgoing | None = None

    @property
    def up(self) -> bool:
        """Whether there is a stream."""
        return self._outgoing is not None

    def say(self, request: referee_pb2.PlayRequest) -> None:
        """Send, if there is a stream. May be called by a signal's handler."""
        if self._outgoing is not None:
            self._outgoing.put(request)

    def connect(self, outgoing: "_Outgoing | None") -> None:
        """Another stream, or none."""
        self._outgoing = outgoing


def keep_playing(
    conversation: Conversation,
    address: Address,
    token: str,
    sleep: Callable[[float], None] = time.sleep,
    line: Line | None = None,
) -> None:
    """Play until the program is stopped, or the conversation is gone.

    Raises RefusedError, TakenOverError, and what a strict conversation raises.
    """
    back_off = FIRST_BACK_OFF_S
    while True:
        welcomed, why = _play_once(conversation, address, token, line or Line())
        if conversation.gone:
            return
        if welcomed:
            back_off = FIRST_BACK_OFF_S
        # Jitter, so that a thousand bots do not return to a restarted referee in step.
        pause = uniform(back_off / 2, back_off)
        back_off = min(BACK_OFF_GROWTH * back_off, LONGEST_BACK_OFF_S)
        _log.warning("%s Trying again in %.1f s.", why, pause)
        sleep(pause)


def _play_once(
    conversation: Conversation, address: Address, token: str, line: Line
) -> tuple[bool, str]:
    """Open a stream and play until it ends; whether the referee let us in, and why it ended."""
    welcomed = False
    outgoing: _Outgoing = SimpleQueue()
    outgoing.put(conversation.hello())
    with address.channel() as channel:
        call = RefereeServiceStub(channel).Play(
            iter(outgoing.get, None), metadata=(("authorization", f"Bearer {token}"),)
        )
        try:
            for response in call:
                if not welcomed:
                    welcomed = True
                    line.connect(outgoing)
                _reply(conversation, outgoing, response)
        except grpc.RpcError:
            pass  # the status below says it
        finally:
            line.connect(None)
            outgoing.put(None)  # lets gRPC's writing thread go
            call.cancel()
        if call.code() is grpc.StatusCode.OK and conversation.leaving:
            conversation.gone = True
        return welcomed, _reason(address, call.code(), call.details() or "")


def _reply(
    conversation: Conversation, outgoing: _Outgoing, response: referee_pb2.PlayResponse
) -> None:
    request = referee_pb2.PlayRequest()
    conversation.hear(response, request)
    heard = begun = time.monotonic()
    for turn in response.turns:
        conversation.answer(turn, request)
        now = time.monotonic()
        _warn_if_late(turn, now - heard)
        if now - begun > FLUSH_AFTER_S:
            outgoing.put(request)
            request, begun = referee_pb2.PlayRequest(), now
    if request.ByteSize():
        outgoing.put(request)
    for end in response.ends:
        conversation.end(end)
    if response.ends:
        conversation.tally.report(time.monotonic())


def _warn_if_late(turn: referee_pb2.Turn, seconds: float) -> None:
    """Say by how much: the referee's refusal left before the answer came."""
    taken, allowed = seconds * 1000, turn.turn_ms + turn.bank_ms
    if taken > allowed:
        _log.warning(
            "Turn %d of match %s was answered %.0f ms too late: after %.0f ms, %d were allowed. "
            "(Turns of other matches before it count, too.)",
            turn.turn_number,
            turn.match_id,
            taken - allowed,
            taken,
            allowed,
        )


def _reason(address: Address, status: grpc.StatusCode, details: str) -> str:
    """Why a stream ended, in a sentence. Raises RefusedError or TakenOverError for good."""
    if status in _FINAL:
        raise RefusedError(f"{_FINAL[status]}: {_sentence(details)}")
    if status is grpc.StatusCode.ABORTED:
        raise TakenOverError(_sentence(details) or "A newer run of this bot took over.")
    if status is grpc.StatusCode.OK:
        return "The referee closed the stream."
    if status is grpc.StatusCode.UNAVAILABLE:
        return (
            f"The referee at {address.target} cannot be reached or is stopping. "
            "(ARENA_ADDRESS or --address says which referee.)"
        )
    return f"The stream broke ({status.name}): {_sentence(details)}"


def _sentence(details: str) -> str:
    return details if not details or details.endswith((".", "!", "?")) else f"{details}."
