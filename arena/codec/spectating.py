"""The messages to spectators of a running match, in both directions."""

from collections.abc import Sequence
from typing import Any

from arena.codec.bot_side import read_events
from arena.codec.encoded import EVENTS, VIEWS
from arena.codec.fields import field, key
from arena.codec.game_codec import CODECS
from arena.codec.malformed import MalformedError
from arena.codec.transcript import (
    read_entrant,
    read_options,
    read_result,
    write_entrant,
    write_options,
    write_result,
)
from arena.games.game import Options
from arena.match.flow import PublicMoment
from arena.match.result import Result
from arena.match.transcript import Entrant, Setup
from arena.v1 import spectator_pb2

_MATCHES = key(spectator_pb2.WatchResponse, "matches")
_MOMENTS = key(spectator_pb2.WatchResponse, "moments")
_ENDS = key(spectator_pb2.WatchResponse, "ends")
_VIEW = key(spectator_pb2.PublicMoment, "view")
_EVENTS = key(spectator_pb2.PublicMoment, "events")


def match_part(setup: Setup, tournament: str) -> bytes:
    """Return a match as it is encoded in the `matches` of a WatchResponse."""
    message = spectator_pb2.WatchedMatch(match_id=setup.match_id, tournament=tournament)
    write_options(setup, message.options)
    for entrant in setup.entrants:
        write_entrant(entrant, message.entrants.add())
    return field(_MATCHES, message.SerializeToString())


def moment_part(setup: Setup, moment: PublicMoment) -> bytes:
    """Return a moment as it is encoded in the `moments` of a WatchResponse."""
    game = setup.game
    head = spectator_pb2.PublicMoment(
        match_id=setup.match_id, step=moment.step, to_act=_seats(moment.view.to_act)
    )
    codec = CODECS[game]
    view = field(VIEWS[game], codec.view_bytes(moment.view), _VIEW)
    events = [field(EVENTS[game], codec.event_bytes(event), _EVENTS) for event in moment.events]
    return field(_MOMENTS, b"".join((head.SerializeToString(), view, *events)))


def end_part(match_id: str, result: Result | None) -> bytes:
    """Return an end as it is encoded in the `ends` of a WatchResponse."""
    message = spectator_pb2.WatchedEnd(match_id=match_id)
    if result is not None:
        write_result(result, message.result)
    return field(_ENDS, message.SerializeToString())


def read_match(
    message: spectator_pb2.WatchedMatch,
) -> tuple[str, Options, tuple[Entrant, ...]]:
    """Return the game, options and entrants of a match.

    Raises MalformedError if the message names no known game.
    """
    game, options = read_options(message.options, "match")
    return game, options, tuple(map(read_entrant, message.entrants))


def read_moment(game: str, message: spectator_pb2.PublicMoment) -> PublicMoment:
    """Return a moment of a match of `game`.

    Raises MalformedError if the view is not of the game.
    """
    if message.view.WhichOneof("game") != game:
        raise MalformedError(f"the view is not one of {game}")
    view = CODECS[game].read_public_view(getattr(message.view, game), message.to_act)
    return PublicMoment(message.step, view, read_events(game, message.events))


def read_end(message: spectator_pb2.WatchedEnd) -> Result | None:
    """Return the result of a match; None if it is void.

    Raises MalformedError for an invalid result.
    """
    return read_result(message.result) if message.HasField("result") else None


def _seats(to_act: Any) -> Sequence[int]:
    """Return the seats of a view's `to_act`, which is one seat, several or none."""
    if to_act is None:
        return ()
    return (to_act,) if isinstance(to_act, int) else to_act
