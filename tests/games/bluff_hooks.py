"""What the contract test must know about Bluff: where its secrets lie, and what nearly is legal."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from arena.games.bluff import STAR, Bet, CupRoll, Dice, Doubt, Face, OpenerDraw, Reroll
from arena.games.bluff.state import BluffState
from arena.games.game import Actor, AnyGame
from arena.randomness import KeyedRandomness

VARIANTS: tuple[Mapping[str, object], ...] = (
    {},
    {"show_and_reroll": True},
    {"start_mode": "seat", "dice_per_player": 1},
    {"bet_cap": "table", "dice_per_player": 2, "start_star_value": 0},
    {"start_rerolls": 0, "dice_per_player": 1, "show_and_reroll": True},
)
SMALL: tuple[Mapping[str, object], ...] = (
    {"start_mode": "seat", "dice_per_player": 1, "players_max": 2},
    {"start_mode": "seat", "dice_per_player": 2, "players_max": 2, "show_and_reroll": True},
)


def vary_secrets(game: AnyGame, state: BluffState, seat: int | None, random: Random) -> BluffState:
    """Other faces under the cups of all seats but one."""
    return state._replace(
        hidden=tuple(
            dice if owner == seat else _dice(random, len(dice))
            for owner, dice in enumerate(state.hidden)
        ),
    )


def vary_step(
    game: AnyGame, before: BluffState, actor: Actor, action: Any, random: Random
) -> tuple[BluffState, Any]:
    """A bet reveals what it lays out and nothing else; a roll nothing; a doubt everything."""
    if isinstance(action, Bet) and isinstance(actor, int):
        varied = vary_secrets(game, before, None, random)
        kept = _dice(random, len(before.hidden[actor]) - len(action.show))
        cup = tuple(sorted(kept + action.show))
        hidden = tuple(cup if seat == actor else dice for seat, dice in enumerate(varied.hidden))
        return varied._replace(hidden=hidden), action
    if isinstance(action, CupRoll | Reroll):
        return before, game.draw(before, KeyedRandomness(random.randbytes(32)))
    return before, action


def near_misses(game: AnyGame, state: BluffState, seat: int) -> Iterator[Any]:
    """Actions on both sides of every bound, and draws, which are never a seat's."""
    yield Doubt()
    yield OpenerDraw(seat)
    yield CupRoll(state.hidden)
    yield Reroll(state.hidden[seat])
    view = game.view(state, seat)
    edges = {-1, 0, 1, 10**9, view.highest, view.highest + 1}
    hidden = state.hidden[seat]
    shows: list[Dice] = [
        (),
        hidden,
        hidden[1:],
        hidden[:1],
        hidden[-1:],
        hidden[:0:-1],
        hidden[:1] * 2,
        (STAR,),
        (Face.ONE, Face.FIVE),
    ]
    for face in Face:
        for quantity in sorted(edges | {view.lowest[face - 1], view.lowest[face - 1] - 1}):
            yield Bet(quantity, face)
            for show in shows:
                yield Bet(quantity, face, show)


def _dice(random: Random, count: int) -> Dice:
    return tuple(sorted(random.choice(tuple(Face)) for _ in range(count)))
