"""The tables and the JSON of `arena deception`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

from rich.table import Table

from arena.commands.results.analyse_json import rounded
from arena.commands.terminal import Terminal, json_text
from arena.lab.analysis import Estimate
from arena.lab.deception import Deception, DeceptionRow, Share
from arena.match.transcript import Entrant, Setup
from arena.wording import number_of


@dataclass
class PlayedAs:
    """The versions, table sizes and options of a bot's matches."""

    versions: set[str] = field(default_factory=set)
    seats: set[int] = field(default_factory=set)
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The options that differ from the game's defaults, by their JSON."""

    def add(self, entrant: Entrant, setup: Setup) -> None:
        """Add a match."""
        self.versions.add(entrant.version)
        self.seats.add(len(setup.entrants))
        changed = setup.options.changed()
        self.options[json_text(changed, sort_keys=True)] = changed


class BotTable(NamedTuple):
    """The table of a bot's matches of one game."""

    bot: str
    game: str
    played_as: PlayedAs
    table: Deception


def print_bots(found: Sequence[BotTable]) -> None:
    """Print a line for each bot and game, over all its decisions."""
    rows = [((one.bot, one.game, f"{one.table.matches:,}"), one.table.rows[0]) for one in found]
    _print(("bot", "game", "matches"), rows)


def print_situations(found: Sequence[BotTable]) -> None:
    """Print one table for each game of a bot, with a line for each situation."""
    for one in found:
        matches = number_of(one.table.matches, "match", "matches")
        Terminal().print(f"{one.bot}: {matches} of {one.game}.")
        _print(("situation",), [((row.situation.name,), row) for row in one.table.rows])


def _print(heads: Sequence[str], rows: Sequence[tuple[Sequence[str], DeceptionRow]]) -> None:
    console = Terminal()
    for columns in (_CLAIMS, _FALSE, _DOUBTS):
        table = Table(*heads, *columns)
        for names, row in rows:
            table.add_row(*names, *(cell(row) for cell in columns.values()))
        console.print_table(table)
    console.print(
        "bluffs: claims more likely false than true by what the seat saw, of the decisions in "
        "which it could claim; equilibrium: how often solved play bluffs or doubts in the same "
        "places, where that is known; difference: its own share there minus that; distance: total "
        "variation, and what solved play itself has by chance; lies: claims known to be false; "
        "false: claims false in fact. Intervals: 95 %, a deal being one cluster."
    )
    if not any(row.equilibrium for _, row in rows):
        console.print("No equilibrium is known for these matches.")


def _share(share: Share) -> str:
    """Return a share with its interval, as text."""
    if share.share is None:
        return "–"
    return f"{share.share:.1%} ({share.low:.1%} to {share.high:.1%})"


def _estimate(found: Estimate | None, *, sign: str = "") -> str:
    if found is None:
        return "–"
    error = f" ± {found.error:.1%}" if isfinite(found.error) else ""
    return f"{found.mean:{sign}.1%}{error}"


def _solved(cell: Callable[[Any], str]) -> Callable[[DeceptionRow], str]:
    return lambda row: "–" if row.equilibrium is None else cell(row.equilibrium)


_CLAIMS: dict[str, Callable[[DeceptionRow], str]] = {
    "decisions": lambda row: f"{row.bluffs.of:,}",
    "bluffs": lambda row: _share(row.bluffs),
    "equilibrium bluffs": _solved(lambda one: f"{one.solved_bluffs:.1%}"),
    "difference": _solved(lambda one: _estimate(one.bluffs_difference, sign="+")),
    "distance": _solved(lambda one: f"{_estimate(one.distance)} (by chance {one.by_chance:.1%})"),
}
_FALSE: dict[str, Callable[[DeceptionRow], str]] = {
    "claims": lambda row: f"{row.false.of:,}",
    "lies": lambda row: _share(row.lies),
    "false": lambda row: _share(row.false),
    "bluffs doubted": lambda row: _share(row.bluffs_doubted),
    "other claims doubted": lambda row: _share(row.others_doubted),
}
_DOUBTS: dict[str, Callable[[DeceptionRow], str]] = {
    "decisions": lambda row: f"{row.doubts.of:,}",
    "doubts": lambda row: _share(row.doubts),
    "equilibrium doubts": _solved(
        lambda one: "–" if one.solved_doubts is None else f"{one.solved_doubts:.1%}"
    ),
    "difference": _solved(lambda one: _estimate(one.doubts_difference, sign="+")),
    "right": lambda row: _share(row.right),
}


def deception_json(found: BotTable) -> dict[str, Any]:
    """Return the table of a bot in a game as JSON; docs/deception.md explains its fields."""
    return {
        "bot": found.bot,
        "versions": sorted(found.played_as.versions),
        "game": found.game,
        "options": [one for _, one in sorted(found.played_as.options.items())],
        "seats": sorted(found.played_as.seats),
        "matches": found.table.matches,
        "deals": found.table.deals,
        "rows": [_row_json(row) for row in found.table.rows],
    }


def _row_json(row: DeceptionRow) -> dict[str, Any]:
    one = row.equilibrium
    return {
        "kind": row.situation.kind,
        "situation": row.situation.name,
        "bluffs": _share_json(row.bluffs),
        "lies": _share_json(row.lies),
        "false": _share_json(row.false),
        "bluffs_doubted": _share_json(row.bluffs_doubted),
        "others_doubted": _share_json(row.others_doubted),
        "doubts": _share_json(row.doubts),
        "right": _share_json(row.right),
        "equilibrium": one
        and {
            "decisions": one.decisions,
            **_estimate_json("bluffs", one.bluffs),
            "solved_bluffs": rounded(one.solved_bluffs),
            **_estimate_json("bluffs_difference", one.bluffs_difference),
            **_estimate_json("doubts", one.doubts),
            "solved_doubts": rounded(one.solved_doubts),
            **_estimate_json("doubts_difference", one.doubts_difference),
            **_estimate_json("distance", one.distance),
            "distance_by_chance": rounded(one.by_chance),
        },
    }


def _share_json(share: Share) -> dict[str, Any]:
    return {
        "count": share.count,
        "of": share.of,
        "share": rounded(share.share),
        "low": rounded(share.low),
        "high": rounded(share.high),
    }


def _estimate_json(name: str, found: Estimate | None) -> dict[str, Any]:
    mean, error = (None, None) if found is None else found
    return {name: rounded(mean), f"{name}_error": rounded(error)}
