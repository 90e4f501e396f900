"""What the contract test must know about the toy game."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from arena.games.game import Actor
from tests.toy_game import Act, Deal, ToyState

VARIANTS: tuple[dict[str, object], ...] = ({},)
SMALL = VARIANTS


def vary_secrets(game: Any, state: ToyState, seat: int | None, random: Random) -> ToyState:
    """Another card for the other seat; for the spectator, other cards for both."""
    if not state.cards:
        return state
    own = None if seat is None else state.cards[seat]
    rest = [card for card in (1, 2, 3) if card != own]
    random.shuffle(rest)
    cards = {None: rest[:2], 0: [own, rest[0]], 1: [rest[0], own]}[seat]
    return replace(state, cards=tuple(cards))


def vary_step(
    game: Any, before: ToyState, actor: Actor, action: Any, random: Random
) -> tuple[ToyState, Any]:
    """A deal shows nothing in public, nor does an action show a card."""
    if isinstance(action, Deal):
        return before, Deal(tuple(random.sample((1, 2, 3), 2)))
    return vary_secrets(game, before, None, random), action


def near_misses(game: Any, state: ToyState, seat: int) -> Iterator[Any]:
    """Both actions, a draw, and an answer that is no boolean."""
    yield Act(True)
    yield Act(False)
    yield Act(None)  # type: ignore[arg-type]
    yield Deal((1, 2))
