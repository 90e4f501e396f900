"""The binding to Bluff's compiled rules (`fast/`, optional), which give equal draws and bytes."""

from typing import TYPE_CHECKING, TypeAlias

from arena.games.bluff.bets import FACES
from arena.games.bluff.options import BluffOptions
from arena.games.bluff.values import Bet, CupRoll, Doubt, OpenerDraw, Reroll, StartingRoll
from arena.games.game import DEALER
from arena.match.transcript import Step
from arena.named_tuples import maker

if TYPE_CHECKING:
    from bluff_arena_fast import Matches

CompiledOptions: TypeAlias = tuple[int, bool, int, int, bool, bool]


def compiled_options(options: BluffOptions) -> CompiledOptions:
    """Return the options that affect play, in the order in which the compiled rules read them."""
    return (
        options.dice_per_player,
        options.start_mode == "roll",
        options.start_star_value,
        options.start_rerolls,
        options.bet_cap == "table",
        options.show_and_reroll,
    )


def compiled_version() -> str | None:
    """Return the version of the compiled rules that are installed; None if there are none."""
    try:
        import bluff_arena_fast
    except ImportError:
        return None
    return bluff_arena_fast.VERSION


def new_matches() -> "Matches":
    """Return compiled rules without matches. Raises ImportError if they are not installed."""
    from bluff_arena_fast import Matches

    return Matches(
        faces=FACES,
        bet=Bet,
        doubt=Doubt(),
        cup_roll=CupRoll,
        starting_roll=StartingRoll,
        opener_draw=OpenerDraw,
        reroll=Reroll,
        step=maker(Step),
        dealer=DEALER,
    )
