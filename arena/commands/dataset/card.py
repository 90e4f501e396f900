"""The card of a data set: README.md, with the header that Hugging Face reads."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from itertools import groupby
from typing import Any

from arena.commands.dataset.files import DataFile
from arena.commands.dataset.rows import columns_of
from arena.games import GAMES
from arena.moments import in_utc

TITLE = "Decisions of Bluff Arena"


def by_game(files: Sequence[DataFile]) -> Mapping[str, list[DataFile]]:
    """Return the files of each game."""
    ordered = sorted(files, key=lambda one: (one.game, one.name))
    return {game: list(found) for game, found in groupby(ordered, lambda one: one.game)}


def described(field: Any) -> str:
    """Return the meaning of a column."""
    text: str = field.metadata[b"description"].decode()
    return text


def card(files: Sequence[DataFile], *, matches: int, left_out: int, at: datetime) -> str:
    """Return the text of README.md.

    Args:
        files: The files of the data set.
        matches: The number of matches that were read.
        left_out: The number of decisions of bots whose owners do not share them.
        at: When the data set was made.
    """
    games = by_game(files)
    lines = [
        "---",
        f"pretty_name: {TITLE}",
        "tags: [games, imperfect-information, bluff]",
        *(["configs:"] if games else []),
    ]
    for game in games:
        lines += [f"- config_name: {game}", f"  data_files: {game}/*.parquet"]
    lines += ["---", "", f"# {TITLE}", "", *_introduction(matches, left_out, at), ""]
    lines += ["| game | rows | files |", "| --- | ---: | ---: |"]
    for game, found in games.items():
        rows = sum(one.rows for one in found)
        lines.append(f"| {GAMES[game].title} (`{game}`) | {rows:,} | {len(found)} |")
    lines += ["", *_READING, "", "## Columns", "", *_COLUMNS]
    for game in games:
        lines += ["", f"### {GAMES[game].title}", "", "| column | type | meaning |"]
        lines.append("| --- | --- | --- |")
        for field in columns_of(game).schema:
            lines.append(f"| `{field.name}` | {field.type} | {described(field)} |")
    return "\n".join([*lines, "", *_LIMITS, ""])


def _introduction(matches: int, left_out: int, at: datetime) -> list[str]:
    return [
        f"Every row is one decision of a bot in one of {matches:,} matches of games of bluff: what "
        "its seat saw, what it did, how long it took, what that was worth, and how the match "
        f"ended. Exported by Bluff Arena {version('bluff-arena')} on {in_utc(at)}.",
        "",
        f"{left_out:,} decisions are left out, of bots whose owners do not share them. Matches of "
        "private events are never in a data set.",
    ]


_READING = [
    "`croissant.json` describes the same files to programs (Croissant 1.0). To read them:",
    "",
    "```python",
    'pandas.read_parquet("bluff")',
    'polars.scan_parquet("bluff/*.parquet")',
    "duckdb.sql(\"SELECT * FROM 'bluff/*.parquet'\")",
    'datasets.load_dataset(".", "bluff")  # in this folder',
    "```",
]

_COLUMNS = [
    "A member of the view begins with `view_`. Values are chances to win the match: they are there "
    "where the arena had analysed the match, and the tables or the search know the decision. "
    "Ratings are fitted to the rated matches before this one; they are fitted again whenever their "
    "number has grown by a fiftieth, at least ten.",
]

_LIMITS = [
    "## What to keep in mind",
    "",
    "- Rows of one match, and of one bot, depend on each other: split and resample by match or by "
    "bot, not by row.",
    "- Bots choose neither their opponents nor how often they play, so their shares of the rows "
    "say nothing about their strength.",
    "- `loss` and `win` are measured against the arena's tables or its search, which are no "
    "equilibrium of the whole game.",
    "- Bots and owners appear under the names that they chose; there are no other personal data.",
]
