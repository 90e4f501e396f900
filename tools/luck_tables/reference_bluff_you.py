"""The reference player for the luck table of Bluff You!

It need not be strong (see reference_play.py). Seats differ in temperament, drawn for every match,
so that the habits of a single bot do not affect the value of a roll.
"""

from typing import NamedTuple

from arena.games.bluff_you import (
    Answer,
    BluffYou,
    BluffYouAction,
    BluffYouPhase,
    BluffYouView,
    Give,
    Steal,
    Swap,
    Win,
)
from arena.games.bluff_you.chances import WAYS
from arena.randomness import Randomness

TELLS_TRUTH = (4, 8, 10)
BELIEVES = (0, 1, 4)
"""Both in times of ten."""


class Temperament(NamedTuple):
    """The parameters of one seat's play in one match."""

    tells_truth: int
    believes: int
    swaps: bool
    likely: bool
    """Whether a lie is the likeliest number of the centre; else any number."""


def temperament(chance: Randomness, seat: int) -> Temperament:
    """A random temperament, all equally likely."""
    return Temperament(
        TELLS_TRUTH[chance.below(f"truth {seat}", len(TELLS_TRUTH))],
        BELIEVES[chance.below(f"believes {seat}", len(BELIEVES))],
        bool(chance.below(f"swaps {seat}", 2)),
        bool(chance.below(f"likely {seat}", 2)),
    )


def act(game: BluffYou, view: BluffYouView, how: Temperament, chance: Randomness) -> BluffYouAction:
    """The seat's announcement, answer, swap or gift."""
    key = f"seat {view.seat} turn {view.turn}"
    if view.phase is BluffYouPhase.ANSWER:
        return Answer(chance.below(f"{key} believes", 10) < how.believes)
    if view.phase is BluffYouPhase.GIVE:
        points = game.options.chip_points
        return Give(min(view.chips[view.bluffer], key=lambda number: (points[number - 3], number)))
    rolled, seats = sum(view.dice), len(view.chips)
    if chance.below(f"{key} truth", 10) < how.tells_truth:
        if rolled in view.win_numbers:
            return Win(_seer(view, chance.below(f"{key} seer", seats - 1)), rolled)
        owner = next((seat for seat in range(seats) if rolled in view.chips[seat]), view.bluffer)
        if view.can_steal and owner != view.bluffer:
            return Steal(owner, rolled)
    if how.swaps and view.swap_targets and len(set(view.dice)) < len(view.dice):
        return next(action for action in game.choices(view) if isinstance(action, Swap))
    numbers = view.win_numbers
    if how.likely:
        most = max(WAYS[number] for number in numbers)
        numbers = tuple(number for number in numbers if WAYS[number] == most)
    number = numbers[chance.below(f"{key} lie", len(numbers))]
    return Win(_seer(view, chance.below(f"{key} seer", seats - 1)), number)


def _seer(view: BluffYouView, among: int) -> int:
    return (view.bluffer + 1 + among) % len(view.chips)
