"""The door to the compiled core of Bluff, an optional package (`fast/`).

It plays as these rules do, draw for draw and byte for byte, as long as seats answer in time and by
the rules.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from arena.games.bluff.bets import FACES
from arena.games.bluff.options import BluffOptions
from arena.games.bluff.values import Bet, CupRoll, Doubt, OpenerDraw, Reroll, StartingRoll
from arena.games.game import DEALER

if TYPE_CHECKING:
    from bluff_arena_fast import Matches

CompiledOptions: TypeAlias = tuple[int, bool, int, int, bool, bool]


def compiled_options(options: BluffOptions) -> CompiledOptions:
    """Return the options that play needs, in the order that the core reads."""
    return (
        options.dice_per_player,
        options.start_mode == "roll",
        options.start_star_value,
        options.start_rerolls,
        options.bet_cap == "table",
        options.show_and_reroll,
    )


def compiled_matches(step: Callable[[tuple[Any, ...]], Any]) -> "Matches":
    """Return a core without matches; `step` makes the steps of a match.

    Raises ImportError where the core is not installed.
    """
    from bluff_arena_fast import Matches

    return Matches(
        faces=FACES,
        bet=Bet,
        doubt=Doubt(),
        cup_roll=CupRoll,
        starting_roll=StartingRoll,
        opener_draw=OpenerDraw,
        reroll=Reroll,
        step=step,
        dealer=DEALER,
    )
