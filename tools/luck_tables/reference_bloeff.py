"""The reference player for the luck table of Blöff, at any table size.

It need not be strong (see reference_play.py). Seats differ in temperament, drawn for every match,
so that the habits of a single bot do not affect the value of a card.
"""

from typing import NamedTuple

from arena.games.bloeff import (
    NUMBER_CARDS,
    Action,
    Ballot,
    Bloeff,
    BloeffAction,
    BloeffOptions,
    BloeffView,
    Number,
    Red,
)
from arena.randomness import Randomness

DOUBTS_BELOW = (0.001, 0.06, 0.12)
LIES = (0, 1, 4)
"""Times in ten that it lies without need."""


class Temperament(NamedTuple):
    """The parameters of one seat's play in one match."""

    doubts_below: float
    """The seat doubts a total if a smaller share of the unseen cards would make it honest."""
    lies: int
    keeps_red: bool
    """Whether it lays red cards only when no honest number card stays within the limit."""
    lays_highest: bool
    """Whether it lays the highest of the honest number cards; else any of them."""


def temperament(chance: Randomness, seat: int) -> Temperament:
    """A random temperament, all equally likely."""
    return Temperament(
        DOUBTS_BELOW[chance.below(f"doubts {seat}", len(DOUBTS_BELOW))],
        LIES[chance.below(f"lies {seat}", len(LIES))],
        bool(chance.below(f"keeps red {seat}", 2)),
        bool(chance.below(f"lays highest {seat}", 2)),
    )


def act(game: Bloeff, view: BloeffView, how: Temperament, chance: Randomness) -> BloeffAction:
    """The card that the seat plays, or its ballot."""
    key = f"seat {view.seat} round {view.round} turn {view.turn}"
    if view.balloted is not None:
        return Ballot(_plausible(view, game.options, view.balloted.total) < how.doubts_below)
    # A call is never wrong.
    plays = [
        play for play in game.choices(view) if isinstance(play, Number | Red | Action) and play.call
    ]
    numbers = [play for play in plays if isinstance(play, Number)]
    red = [play for play in plays if isinstance(play, Red)]
    within = [play for play in numbers if play.announce <= view.limit]
    honest = [play for play in within if play.announce == _makes(view, game.options, play.value)]
    if red and not how.keeps_red:
        return red[chance.below(f"{key} red", len(red))]
    if honest and chance.below(f"{key} lies", 10) >= how.lies:
        if how.lays_highest:
            return max(honest, key=lambda play: play.value)
        return honest[chance.below(f"{key} honest", len(honest))]
    others = [play for play in plays if not isinstance(play, Number)]
    if others and not (how.lies and within):
        return others[chance.below(f"{key} other", len(others))]
    if within:
        return within[chance.below(f"{key} within", len(within))]
    return (others or numbers)[chance.below(f"{key} at last", len(others or numbers))]


def _makes(view: BloeffView, options: BloeffOptions, value: int) -> int:
    """The honest total of a number card."""
    total = view.total + value
    return max(0, total) if options.below_zero == "floor" else total


def _plausible(view: BloeffView, options: BloeffOptions, total: int) -> float:
    """The share of the cards unseen by this seat that would make the total honest."""
    seen = [*view.hand, *view.seen, *view.face_down]
    unseen = {row.card: row.count - seen.count(row.card) for row in options.deck}
    honest = sum(unseen[card] for card in NUMBER_CARDS if _makes(view, options, int(card)) == total)
    return honest / max(1, sum(unseen.values()))
