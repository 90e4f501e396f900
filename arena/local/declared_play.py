"""The play that a bot declares: the probability of each action, asked by view."""

from collections.abc import Mapping
from random import Random
from typing import Any

from arena.bot.bot import AnyBot, Bot
from arena.bot.turn import Match, Turn
from arena.games.game import AnyGame
from arena.lab.analysis.aivat import DeclaredPlay
from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.match.faults import DEFAULT_FAULT_LIMIT
from arena.match.transcript import Entrant


def declared_play(kind: type[AnyBot], game: AnyGame, seats: int) -> DeclaredPlay | None:
    """Return a function from a seat's view to the probability of each action.

    Args:
        kind: A bot's class; one object of it is asked, whatever the match.
        game: The rules of the matches.
        seats: The number of seats.

    Returns:
        The function, or None for a bot that does not declare its play.
    """
    if not _declares(kind):
        return None
    bot = kind(Random(0))
    entrants = tuple(Entrant(f"seat {seat}", "1", "local") for seat in range(seats))
    matches = [
        Match("", game, seat, entrants, DEFAULT_TIME_CONTROL, DEFAULT_FAULT_LIMIT)
        for seat in range(seats)
    ]

    def play(view: Any) -> Mapping[Any, float]:
        turn = Turn(matches[view.seat], 1, view, (), DEFAULT_TIME_CONTROL.turn_ms, 0)
        return bot.probabilities(turn) or {}

    return play


def _declares(kind: type[AnyBot]) -> bool:
    """Return whether a class declares the play of its own `act`, and not of one it replaced."""
    order = kind.__mro__
    act, declared = (
        next(place for place, base in enumerate(order) if name in vars(base))
        for name in ("act", "probabilities")
    )
    return declared <= act and order[declared] is not Bot
