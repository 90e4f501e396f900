"""The parameters of Skull, with the names and defaults of its specification."""

from typing import Literal

from pydantic import Field

from arena.games.game import Options


class SkullOptions(Options):
    """The options of Skull."""

    players_min: int = Field(default=2, ge=2, le=6)
    players_max: int = Field(default=6, ge=2, le=6)
    first: Literal["drawn", "seat"] = Field(
        default="drawn", description="who opens the first round: a drawn seat, or seat 0 (SK-2)"
    )
    points_to_win: int = Field(default=2, ge=1, le=3, description="points that win at once (SK-15)")
    flowers: int = Field(
        default=3, ge=1, le=5, description="flowers of each seat, beside its one skull (SK-1)"
    )
