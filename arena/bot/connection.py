"""A bot's stream to the referee: it reads, answers, and reconnects after a loss.

It does not use grpc.aio, although that takes a little less CPU per message (measured: about 125 µs
instead of 150). With grpc.aio, a write at the moment when the referee closes turns every status
into INTERNAL, but a bot must know whether its token was refused or a newer copy took over. Reading
ahead while a batch is answered was measured, too, and gained nothing: the referee determines the
batch size.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from random import uniform
from typing import Any

import grpc

from arena.bot.address import Address, AddressError
from arena.bot.conversation import Conversation
from arena.bot.line import Outgoing
from arena.bot.referees import Referees, RefereeStream
from arena.errors import UserError
from arena.v1 import referee_pb2
from arena.v1.referee_pb2_grpc import RefereeServiceStub

_log = logging.getLogger("arena.bot")

FIRST_BACK_OFF_S = 0.5
SOON_S = 5.0
"""The time within which a killed referee usually runs again, in seconds.

The pauses grow only after this time, so that the referee is found again within half a second.
"""
BACK_OFF_GROWTH = 1.3
LONGEST_BACK_OFF_S = 30.0
LASTING_S = 5.0
"""The duration of a stream, in seconds, after which the pauses start again at the shortest.

A shorter stream does not reset them, as the next one may end in the same way.
"""

FLUSH_AFTER_S = 0.005
"""The longest time that an answer waits for slower ones of its batch, in seconds.

The answers of a batch are sent together.
"""

GOODBYE_S = 2.0
"""The time that a leaving bot waits for the referee to close the stream, in seconds."""

_FINAL = {
    grpc.StatusCode.UNAUTHENTICATED: "The referee refused the token",
    grpc.StatusCode.PERMISSION_DENIED: "The referee refused this bot",
    grpc.StatusCode.INVALID_ARGUMENT: "The referee does not understand this bot",
    grpc.StatusCode.UNIMPLEMENTED: "There is no referee of this protocol",
}
"""The statuses after which reconnecting is useless, and their meaning."""
_OF_ONE = {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNIMPLEMENTED}
"""The final statuses that another referee may not return.

A referee of an older release does not know newer games.
"""


class RefusedError(UserError):
    """A permanent refusal of this bot by the referee."""


class TakenOverError(Exception):
    """The end of a stream that a newer run of the same bot has taken over."""


@dataclass(frozen=True, slots=True)
class _Ending:
    """The end of a stream that is not final: another stream may follow."""

    why: str
    lasted: float = 0.0
    """The time since the stream's welcome, in seconds."""
    retry_after: float = 0.0
    """The time for which the referee asks not to be called, in seconds."""


def keep_playing(
    referees: Referees,
    address: Address,
    token: str,
    sleep: Callable[[float], object] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Play with all referees of the arena until the program is stopped or the bot has left.

    Args:
        referees: The streams of the program.
        address: The address that the bot was given.
        token: The bot's token.
        sleep: Waits for a number of seconds; replaced in tests.
        clock: Returns the time in seconds; replaced in tests.

    Raises:
        RefusedError: The referee refuses the bot for good.
        TakenOverError: A newer run of the bot took over.
        CheckFailedError: A finished match failed verification and the conversation is strict.
    """

    def keep(stream: RefereeStream) -> None:
        _keep_stream(referees, stream, token, sleep, clock)

    referees.begin(address, keep)
    try:
        keep(referees.first)
        while referees.alone():
            sleep(_jittered(FIRST_BACK_OFF_S))
            keep(referees.first)
        if referees.failure is not None:
            raise referees.failure
        referees.join()
    finally:
        referees.close()


def _keep_stream(
    referees: Referees,
    stream: RefereeStream,
    token: str,
    sleep: Callable[[float], object],
    clock: Callable[[], float],
) -> None:
    """Keep a stream to one referee at a time, until the bot has left or no longer needs it."""
    back_off, away, told = FIRST_BACK_OFF_S, 0.0, ""
    while (address := referees.next_address(stream)) is not None:
        ending = _play_once(referees, stream, address, token, clock)
        if stream.conversation.gone or not referees.keeps(stream):
            return
        if ending.lasted >= LASTING_S:
            back_off, away, told = FIRST_BACK_OFF_S, 0.0, ""
        pause = max(_jittered(back_off), ending.retry_after)
        away += pause
        if away > SOON_S:
            back_off = min(BACK_OFF_GROWTH * back_off, LONGEST_BACK_OFF_S)
        if ending.why != told or away > SOON_S:  # avoids ten equal lines in the first seconds
            _log.warning("%s Trying again in %.1f s.", ending.why, pause)
            told = ending.why
        sleep(pause)


def _jittered(pause: float) -> float:
    """Return a random pause of half to all of `pause`, in seconds.

    It prevents a thousand bots from reconnecting to a restarted referee at once.
    """
    return uniform(pause / 2, pause)


def _play_once(
    referees: Referees,
    stream: RefereeStream,
    address: Address,
    token: str,
    clock: Callable[[], float],
) -> _Ending:
    """Play over one stream until it ends."""
    conversation, line = stream.conversation, stream.line
    outgoing: Outgoing = SimpleQueue()
    outgoing.put(conversation.hello())
    welcomed_at: float | None = None
    try:
        opened = address.channel()
    except AddressError as error:  # the files were readable at the start: they are being replaced
        referees.lost(stream)
        return _Ending(str(error))
    with opened as channel:
        call = RefereeServiceStub(channel).Play(
            iter(outgoing.get, None), metadata=(("authorization", f"Bearer {token}"),)
        )
        line.opening(call)
        try:
            for response in call:
                with referees.turn:
                    if not referees.keeps(stream):
                        break
                    if welcomed_at is None:
                        welcomed_at = clock()
                        line.opened(outgoing)
                    _reply(conversation, outgoing, response)
                    referees.heard(stream, response)
                if conversation.gone:
                    _say_goodbye(call, outgoing)
                    return _Ending("The bot has left.")
        except grpc.RpcError:
            pass  # the status is evaluated below
        finally:
            referees.lost(stream)
            outgoing.put(None)  # ends gRPC's writing thread
            call.cancel()
        if call.code() is grpc.StatusCode.OK and conversation.leaving:
            conversation.released = True
        lasted = 0.0 if welcomed_at is None else clock() - welcomed_at
        if call.code() in _OF_ONE and referees.several:
            why = f"{_FINAL[call.code()]}: {_sentence(call.details() or '')}"
        else:
            why = _reason(address, call.code(), call.details() or "")
        return _Ending(why, lasted, _retry_after(call))


def _say_goodbye(call: Any, outgoing: Outgoing) -> None:
    """Close the bot's side after everything sent, and wait for the referee to close the other.

    Cancelling the call could lose a decline, and would look like a crashed bot.
    """
    outgoing.put(None)
    patience = threading.Timer(GOODBYE_S, call.cancel)
    patience.start()
    try:
        for _ in call:
            pass
    finally:
        patience.cancel()


def _reply(
    conversation: Conversation, outgoing: Outgoing, response: referee_pb2.PlayResponse
) -> None:
    request = referee_pb2.PlayRequest()
    conversation.hear(response, request)
    heard = begun = time.monotonic()
    for turn in response.turns:
        conversation.answer(turn, request)
        now = time.monotonic()
        if request.answers[-1].HasField("action"):
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
    """Log how late an answer was; the referee's refusal cannot say that."""
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


def _retry_after(call: Any) -> float:
    """Return the seconds in the trailing metadata; 0 if there are none."""
    said = dict(call.trailing_metadata() or ()).get("retry-after", "")
    return float(said) if said.isdecimal() else 0.0


def _reason(address: Address, status: grpc.StatusCode, details: str) -> str:
    """Return the reason for a stream's end as a sentence.

    Raises RefusedError or TakenOverError if the end is final.
    """
    if status in _FINAL:
        raise RefusedError(f"{_FINAL[status]}: {_sentence(details)}")
    if status is grpc.StatusCode.ABORTED:
        raise TakenOverError(_sentence(details) or "A newer run of this bot took over.")
    if status is grpc.StatusCode.OK:
        return "The referee closed the stream."
    if status is grpc.StatusCode.UNAVAILABLE:
        return address.why_unreachable(details)
    return f"The stream broke ({status.name}): {_sentence(details)}"


def _sentence(details: str) -> str:
    return details if not details or details.endswith((".", "!", "?")) else f"{details}."
