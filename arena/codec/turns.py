"""The messages of a running match: offers, turns, refusals and answers."""

from collections.abc import Sequence
from typing import Any

from arena.codec.encoded import EVENTS, VIEWS
from arena.codec.fields import field, key
from arena.codec.game_codec import CODECS
from arena.codec.malformed import MalformedError
from arena.codec.transcript import FAULT_KINDS, write_entrant, write_options, write_time_control
from arena.match.flow import OpenTurn, Refused
from arena.match.transcript import Setup
from arena.v1 import game_pb2, referee_pb2

_PARTS = {
    name: key(referee_pb2.PlayResponse, name)
    for name in ("offers", "withdrawals", "refusals", "turns", "ends", "resumes", "begins")
}
_TURN_VIEW = key(referee_pb2.Turn, "view")
_EVENTS = key(referee_pb2.Turn, "events")
"""The tag of the events in a Turn; it is the same in an End, so an event is encoded once."""
_END_TRANSCRIPT = key(referee_pb2.End, "transcript")


def part(name: str, content: bytes) -> bytes:
    """Return one of a PlayResponse's `offers`, `turns`, …, as it is encoded in the response."""
    return field(_PARTS[name], content)


def offer(
    setup: Setup, seat: int, commitment: bytes, join_ms: int, *, named: bool
) -> referee_pb2.Offer:
    """Return the Offer message for one seat of a match.

    It holds the names of all entrants, or only of the seat's own bot.
    """
    message = referee_pb2.Offer(
        match_id=setup.match_id,
        seat=seat,
        commitment=commitment,
        join_ms=join_ms,
        fault_limit=setup.fault_limit,
    )
    write_options(setup, message.options)
    write_time_control(setup.time_control, message.time_control)
    for place, entrant in enumerate(setup.entrants):
        line = message.entrants.add()
        if named or place == seat:
            write_entrant(entrant, line)
    return message


def begin(setup: Setup) -> referee_pb2.Begin:
    """Return the Begin message of a match."""
    message = referee_pb2.Begin(match_id=setup.match_id)
    for entrant in setup.entrants:
        write_entrant(entrant, message.entrants.add())
    return message


class WrittenEvents:
    """The public events of one match as bytes. Each is encoded once for all seats."""

    __slots__ = ("_game", "_written")

    def __init__(self, game: str) -> None:
        self._game = game
        self._written: list[bytes] = []

    def made(self, written: list[bytes]) -> None:
        """Use the match's events as they were encoded elsewhere."""
        self._written = written

    def after(self, events: Sequence[Any], seen: int) -> list[bytes]:
        """Return the encoded events after the first `seen`, as they occur in a Turn or an End.

        `events` are all events of the match so far.
        """
        game, written = self._game, self._written
        for event in events[len(written) :]:
            written.append(field(EVENTS[game], CODECS[game].event_bytes(event), _EVENTS))
        return written[seen:]


def turn_part(
    setup: Setup, asked: OpenTurn, turn_ms: int, bank_ms: int, events: WrittenEvents
) -> bytes:
    """Return a turn as it is encoded in the `turns` of a PlayResponse."""
    head = referee_pb2.Turn(
        match_id=setup.match_id, turn_number=asked.number, turn_ms=turn_ms, bank_ms=bank_ms
    )
    game = setup.game
    view = field(VIEWS[game], CODECS[game].view_bytes(asked.view), _TURN_VIEW)
    news = events.after(asked.events, asked.unseen)
    return field(_PARTS["turns"], b"".join((head.SerializeToString(), view, *news)))


def end_part(setup: Setup, written: bytes, news: Sequence[bytes]) -> bytes:
    """Return an end as it is encoded in the `ends` of a PlayResponse.

    `written` is the encoded transcript; `news` are encoded events from WrittenEvents.
    """
    head = referee_pb2.End(match_id=setup.match_id).SerializeToString()
    return field(_PARTS["ends"], b"".join((head, field(_END_TRANSCRIPT, written), *news)))


def refusal(setup: Setup, value: Refused, faults: int) -> referee_pb2.Refusal:
    """Return the Refusal message for a fault."""
    message = referee_pb2.Refusal(
        match_id=setup.match_id,
        turn_number=value.turn_number,
        kind=FAULT_KINDS[value.kind],
        reason=value.reason,
        legal=value.legal,
        faults=faults,
    )
    CODECS[setup.game].write_action(value.played, getattr(message.played, setup.game))
    return message


def action(game: str, message: game_pb2.Action) -> Any:
    """Return the action in an answer. Raises MalformedError if there is none of the game."""
    held = message.WhichOneof("game")
    if held is None:  # the SDK and the bridge of programs signal a failed bot this way
        raise MalformedError(
            f"the answer holds no action: the bot's log says why, or its author sets Action.{game}"
        )
    if held != game:
        raise MalformedError(f"the answer holds an action of {held}: set Action.{game}")
    return CODECS[game].read_action(getattr(message, game))
