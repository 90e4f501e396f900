"""The parameters of Bluff, with the names and defaults of its specification."""

from typing import Literal

from pydantic import Field

from arena.games.game import Options


class BluffOptions(Options):
    """The options of Bluff; those with a single allowed value record house decisions by name."""

    players_min: int = Field(default=2, ge=2, le=6)
    players_max: int = Field(default=6, ge=2, le=6)
    dice_per_player: int = Field(
        default=5, ge=1, le=16, description="dice each seat starts with (BL-3)"
    )
    start_mode: Literal["roll", "seat"] = Field(
        default="roll", description="who opens: the largest starting roll, or seat 0 (BL-4)"
    )
    start_star_value: Literal[0, 5, 6] = Field(
        default=6, description="pips of a star in the starting roll (BL-4)"
    )
    start_rerolls: int = Field(
        default=10,
        ge=0,
        le=100,
        description="starting rolls after a tie, before one is drawn (BL-4)",
    )
    bet_cap: Literal["dice_in_play", "table"] = Field(
        default="dice_in_play", description="largest quantity: the dice in play, or 99 (BL-16)"
    )
    show_and_reroll: bool = Field(
        default=False, description="the extension: lay dice out with a bet, re-roll the rest (BL-X)"
    )
    exact_hit: Literal["all_but_bettor_lose_1"] = "all_but_bettor_lose_1"
    loss_clamp: Literal[True] = True
    elimination_tie: Literal["shared"] = "shared"
    reroll_trigger: Literal["dice_laid_out_in_this_action"] = "dice_laid_out_in_this_action"
    silent_action: Literal["doubt_or_lowest"] = "doubt_or_lowest"
