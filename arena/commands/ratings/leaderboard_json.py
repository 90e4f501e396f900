"""A leaderboard as the JSON document of `arena leaderboard --json`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias

from arena.games.game import AnyGame
from arena.match.clock import TimeControl
from arena.rating.methods import ScoreRule

if TYPE_CHECKING:
    from arena.boards.board import BoardLine
    from arena.boards.luck_adjusted import LuckSource
    from arena.records import VersionId
    from arena.storage.checks import RecordedCheck

LastChecks: TypeAlias = "Mapping[VersionId, RecordedCheck]"
"""The last check of each version that has one."""


def luck_of_lines(rules: AnyGame, lines: Sequence["BoardLine"]) -> "LuckSource | None":
    """What the luck-adjusted ratings of these lines are made of; None where there are none."""
    from arena.boards.luck_adjusted import luck_source

    return luck_source(rules.name, [line.luck_adjusted for line in lines])


def ladder_json(
    rules: AnyGame,
    size: int,
    score: ScoreRule,
    control: TimeControl,
    lines: Sequence["BoardLine"],
    checks: LastChecks,
) -> dict[str, Any]:
    """The JSON document of --json."""
    from arena.boards.board import table_sizes

    sizes = [seats for seats in table_sizes(size) if seats in rules.seat_counts]
    luck = luck_of_lines(rules, lines)
    return {
        "game": rules.name,
        "options": rules.options.changed(),
        "seats": size,
        "table_sizes": sizes,
        "score": score.value,
        "time_control": asdict(control),
        "ratings": [_line_json(line, checks.get(line.version_id)) for line in lines],
        "luck_adjusted": None if luck is None else luck.document(),
    }


def _line_json(line: "BoardLine", check: "RecordedCheck | None") -> dict[str, Any]:
    from arena.boards.checks import check_json

    return {
        "rank": line.rank,
        "rank_low": line.rank_low,
        "rank_high": line.rank_high,
        "bot": line.bot,
        "version": line.version,
        "owner": line.owner,
        "house": line.house,
        "elo": line.elo,
        "interval": line.interval,
        "matches": line.matches,
        "win_share": line.win_share,
        "mean_placing": line.mean_placing,
        "anchor": line.anchor,
        "flags": sorted(flag.value for flag in line.flags),
        "luck_adjusted": None if line.luck_adjusted is None else asdict(line.luck_adjusted),
        "check": None if check is None else check_json(check),
    }
