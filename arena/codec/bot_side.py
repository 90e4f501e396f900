"""The messages of a running match from the bot's side: the counterpart of `turns`."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from arena.codec.game_codec import CODECS
from arena.codec.malformed import MalformedError
from arena.codec.transcript import read_entrant, read_options, time_control_of
from arena.match.transcript import Entrant, Setup
from arena.v1 import game_pb2, referee_pb2


@dataclass(frozen=True, slots=True)
class Offered:
    """A match that the bot may join, or has joined and resumes."""

    setup: Setup
    seat: int
    commitment: bytes

    @property
    def named(self) -> bool:
        """Whether the offer names the entrants of all seats, as it does once all have joined."""
        return all(entrant.bot for entrant in self.setup.entrants)

    def begun(self, entrants: Sequence[Entrant]) -> "Offered":
        """Return the same match with the names of all entrants.

        Raises MalformedError if they contradict the offer.
        """
        known = self.setup.entrants
        if len(entrants) != len(known) or entrants[self.seat] != known[self.seat]:
            raise MalformedError("the match begins with other bots than it was offered with")
        return replace(self, setup=replace(self.setup, entrants=tuple(entrants)))


def read_offer(message: referee_pb2.Offer) -> Offered:
    """Return the match of an offer.

    Raises MalformedError, also for a game that this version does not have.
    """
    game, options = read_options(message.options, "offer")
    setup = Setup(
        match_id=message.match_id,
        game=game,
        options=options,
        entrants=tuple(map(read_entrant, message.entrants)),
        time_control=time_control_of(message.time_control),
        fault_limit=message.fault_limit,
    )
    return Offered(setup, message.seat, message.commitment)


def read_begin(message: referee_pb2.Begin) -> tuple[Entrant, ...]:
    """Return the entrants, by seat."""
    return tuple(map(read_entrant, message.entrants))


def read_view(game: str, message: game_pb2.View, seat: int) -> Any:
    """Return the seat's view. Raises MalformedError if the message holds no view of the game."""
    return CODECS[game].read_view(_member(game, message), seat)


def read_events(game: str, messages: Iterable[game_pb2.Event]) -> tuple[Any, ...]:
    """Return the public events, without those that this version does not know."""
    read, found = CODECS[game].read_event, []
    for message in messages:
        with suppress(MalformedError):  # a kind of event, or a value in one, from a later version
            found.append(read(_member(game, message)))
    return tuple(found)


def write_action(game: str, action: Any, message: game_pb2.Action) -> None:
    """Write an action into the message.

    Raises TypeError or ValueError if the message cannot represent it.
    """
    CODECS[game].write_action(action, getattr(message, game))


def read_action(game: str, message: game_pb2.Action) -> Any:
    """Return a seat's action, as the referee reads it.

    Raises MalformedError if the message holds no action of the game.
    """
    return CODECS[game].read_action(_member(game, message))


def _member(game: str, message: game_pb2.View | game_pb2.Event | game_pb2.Action) -> Any:
    if message.WhichOneof("game") != game:
        raise MalformedError(f"the message is not one of {game}")
    return getattr(message, game)
