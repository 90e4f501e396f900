"""The common options of commands about tournaments."""

from typing import Annotated

import typer

from arena.match.score_rule import ScoreRule
from arena.scheduling.formats import FormatName

PlayedBy = Annotated[FormatName, typer.Option("--format", help="The format.")]
GameName = Annotated[str, typer.Option(help="The game.")]
Seats = Annotated[int, typer.Option(help="Seats at a table.")]
Rounds = Annotated[
    int | None,
    typer.Option(
        min=1, help="Rounds of a Swiss (default log2 of the bots); else the number of repetitions."
    ),
]
Groups = Annotated[
    int | None,
    typer.Option(
        min=1, help="The number of groups, in the format groups (default: some of four or more)."
    ),
]
Advance = Annotated[
    int | None,
    typer.Option(
        min=1, help="How many of each group go on to the knockout (default: half, at most 2)."
    ),
]
Score = Annotated[
    ScoreRule, typer.Option(help="Count every opponent beaten, or only first places.")
]
