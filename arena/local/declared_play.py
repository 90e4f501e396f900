"""The play that a bot declares: the probability of each action, asked by view."""

from collections.abc import Mapping
from random import Random
from typing import Any

from arena.bot.bot import AnyBot, Bot
from arena.bot.returned import error_message
from arena.bot.turn import Match, Turn
from arena.errors import any_failure
from arena.games.game import AnyGame
from arena.lab.analysis.aivat import DeclaredPlay, DeclaredPlayError
from arena.local.bot_modules import as_written
from arena.local.in_process import place_of
from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.match.faults import DEFAULT_FAULT_LIMIT
from arena.match.transcript import Entrant


def declared_play(kind: type[AnyBot], game: AnyGame, seats: int) -> DeclaredPlay | None:
    """Return a function from a seat's view to the probability of each action.

    Args:
        kind: A bot's class; one object of it answers for all matches.
        game: The rules of the matches.
        seats: The number of seats.

    Returns:
        The function, or None for a bot that does not declare its play. It raises DeclaredPlayError.
    """
    if not _declares(as_written(kind)):
        return None
    bot = kind(Random(0))
    entrants = tuple(Entrant(f"seat {seat}", "1", "local") for seat in range(seats))
    matches = [
        Match("", game, seat, entrants, DEFAULT_TIME_CONTROL, DEFAULT_FAULT_LIMIT)
        for seat in range(seats)
    ]

    def play(view: Any) -> Mapping[Any, float]:
        turn = Turn(matches[view.seat], 1, view, (), DEFAULT_TIME_CONTROL.turn_ms, 0)
        try:
            found = bot.probabilities(turn)
        except any_failure() as error:
            raise DeclaredPlayError(
                f"{kind.__name__}.probabilities failed: {error_message(error)} ({place_of(error)})"
            ) from error
        if not isinstance(found, Mapping):
            raise DeclaredPlayError(
                f"{kind.__name__}.probabilities returned {type(found).__name__}, not a dict of "
                "probabilities by action."
            )
        return found

    return play


def _declares(kind: type[AnyBot]) -> bool:
    """Return whether the declared play describes the class's own `act`, not an overridden one."""
    order = kind.__mro__
    act, declared = (
        next(place for place, base in enumerate(order) if name in vars(base))
        for name in ("act", "probabilities")
    )
    return declared <= act and order[declared] is not Bot
