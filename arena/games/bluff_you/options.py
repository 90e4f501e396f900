"""The parameters of Bluff You!, with the names and defaults of its specification."""

from typing import Annotated, Literal

from pydantic import Field

from arena.games.bluff_you.values import CHIPS
from arena.games.game import Options

Points = Annotated[int, Field(ge=1, le=100)]
"""The points of a chip.

They are never 0: BY-23 needs every chip that leaves the centre to raise the points owned.
"""


class BluffYouOptions(Options):
    """The options of Bluff You!; those with one allowed value record house decisions by name."""

    players_min: int = Field(default=2, ge=2, le=6)
    players_max: int = Field(default=4, ge=2, le=6)
    first_bluffer: Literal[0] = Field(default=0, description="the seat that begins (BY-5)")
    chip_points: tuple[Points, ...] = Field(
        default=(5, 4, 3, 3, 2, 2, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5),
        min_length=len(CHIPS),
        max_length=len(CHIPS),
        description="points of the chips 3 to 18, in this order (BY-2)",
    )
    announce_missing_chip: Literal["illegal", "no_effect"] = Field(
        default="illegal",
        description="a win attempt for a chip that is not in the centre is forbidden, or gains "
        "nobody anything (BY-8)",
    )
    steal_takes: Literal["named_chip", "any_chip"] = Field(
        default="named_chip",
        description="what a successful steal takes: the announced chip, or one that the thief "
        "chooses (BY-14)",
    )
    gift_choice: Literal["after_reveal"] = Field(
        default="after_reveal", description="when the gift of a failed steal is chosen (BY-15)"
    )
    swap_min_give: int = Field(
        default=2, ge=1, le=len(CHIPS) - 1, description="fewest chips given in a swap (BY-17)"
    )
    swap_max_per_turn: int = Field(
        default=1, ge=0, le=8, description="most swaps in one turn; 0: no swaps (BY-18)"
    )
    no_win_limit: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="turns in a row without a win attempt, after which only win attempts are "
        "legal; 0: max(12, 3 × seats) (BY-22)",
    )
    silent_action: Literal["lowest_win_believe_cheapest"] = "lowest_win_believe_cheapest"
    final_tie: Literal["shared"] = "shared"
