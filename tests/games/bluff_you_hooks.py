"""What the contract test must know about Bluff You!: its secrets, and what nearly is legal."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

from arena.games.bluff_you import (
    Answer,
    BluffYouPhase,
    BluffYouState,
    Give,
    Roll,
    Steal,
    Stop,
    Swap,
    Take,
    Win,
)
from arena.games.game import Actor, AnyGame

VARIANTS: tuple[Mapping[str, object], ...] = (
    {},
    {"announce_missing_chip": "no_effect", "steal_takes": "any_chip", "no_win_limit": 3},
    {"swap_min_give": 1, "swap_max_per_turn": 3, "players_max": 6},
    {"chip_points": (1,) * 16, "swap_max_per_turn": 0, "steal_takes": "any_chip"},
)
SMALL: tuple[Mapping[str, object], ...] = ({"players_max": 2},)


def vary_secrets(
    game: AnyGame, state: BluffYouState, seat: int | None, random: Random
) -> BluffYouState:
    """Other dice while they are the bluffer's alone."""
    hidden = state.phase in (BluffYouPhase.ANNOUNCE, BluffYouPhase.ANSWER)
    return replace(state, dice=_dice(random)) if hidden and seat != state.bluffer else state


def vary_step(
    game: AnyGame, before: BluffYouState, actor: Actor, action: Any, random: Random
) -> tuple[BluffYouState, Any]:
    """A roll reveals nothing, an announcement not the dice; every other step shows them."""
    if isinstance(action, Roll):
        return before, Roll(_dice(random))
    if isinstance(action, Win | Steal):
        return replace(before, dice=_dice(random)), action
    return before, action


def near_misses(game: AnyGame, state: BluffYouState, seat: int) -> Iterator[Any]:
    """Every chip said to every seat in every way, odd swaps, and a draw."""
    for number in range(1, 21):
        yield Give(number)
        yield Take(number)
        for seer in range(-1, len(state.chips) + 1):
            yield Win(seer, number)
            yield Steal(seer, number)
    for own in state.chips:
        for take in (*state.centre, *own, 2, 19):
            yield Swap((), take)
            yield Swap(own, take)
            yield Swap(own[:1], take)
            yield Swap(own[:1] * 2, take)
            for first, second in pairwise(own):
                yield Swap((first, second), take)
                yield Swap((second, first), take)
        for other in state.centre:
            yield Swap((*own[:1], other), state.centre[0])
    yield Answer(True)
    yield Answer(False)
    yield Win(10**5000, 10**5000)
    yield Stop()
    yield Roll(state.dice)


def _dice(random: Random) -> tuple[int, ...]:
    return tuple(random.randint(1, 6) for _ in range(3))
