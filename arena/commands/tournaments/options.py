"""The options that commands about tournaments share."""

from typing import Annotated

import typer

from arena.match.score_rule import ScoreRule
from arena.scheduling.formats import FormatName

PlayedBy = Annotated[FormatName, typer.Option("--format", help="How it is played.")]
GameName = Annotated[str, typer.Option(help="The game.")]
Seats = Annotated[int, typer.Option(help="Seats at a table.")]
Rounds = Annotated[
    int | None,
    typer.Option(
        min=1, help="Of a Swiss (usually log2 of the bots); else how often all is repeated."
    ),
]
Score = Annotated[
    ScoreRule, typer.Option(help="Whether every opponent beaten counts, or first places only.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
