"""A leaderboard as the JSON document of `arena leaderboard --json`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from arena.commands.terminal import members
from arena.games.game import AnyGame
from arena.match.clock import TimeControl
from arena.rating.methods import ScoreRule

if TYPE_CHECKING:
    from arena.server.boards.board import BoardLine
    from arena.server.boards.luck_adjusted import LuckSource
    from arena.server.boards.remarks import Remark, Remarks
    from arena.server.results.benchmarks import BenchmarkFigure


def luck_of_lines(rules: AnyGame, lines: Sequence["BoardLine"]) -> "LuckSource | None":
    """Return the source of these lines' luck-adjusted ratings; None if they have none."""
    from arena.server.boards.luck_adjusted import luck_source

    return luck_source(rules.name, [line.luck_adjusted for line in lines])


def ladder_json(
    rules: AnyGame,
    size: int,
    score: ScoreRule,
    control: TimeControl,
    lines: Sequence["BoardLine"],
    remarks: "Remarks",
) -> dict[str, Any]:
    """Return the JSON document of --json."""
    from arena.server.boards.board import table_sizes
    from arena.server.boards.remarks import NO_REMARK

    sizes = [seats for seats in table_sizes(size) if seats in rules.seat_counts]
    luck = luck_of_lines(rules, lines)
    return {
        "game": rules.name,
        "options": rules.options.changed(),
        "seats": size,
        "table_sizes": sizes,
        "score": score.value,
        "time_control": asdict(control),
        "ratings": [_line_json(line, remarks.get(line.version_id, NO_REMARK)) for line in lines],
        "luck_adjusted": None if luck is None else luck.document(),
    }


def _line_json(line: "BoardLine", remark: "Remark") -> dict[str, Any]:
    from arena.server.uploads.checks import check_json

    return {
        **members(line, "rank", "rank_low", "rank_high", "bot", "version", "owner", "house"),
        **members(line, "elo", "interval", "matches", "win_share", "mean_placing"),
        **members(line, "anchor", "provisional"),
        "flags": sorted(flag.value for flag in line.flags),
        "luck_adjusted": None if line.luck_adjusted is None else asdict(line.luck_adjusted),
        "check": None if remark.check is None else check_json(remark.check),
        "benchmark": None if remark.benchmark is None else _benchmark_json(remark.benchmark),
        **members(remark, "frozen", "paused", "banned"),
    }


def _benchmark_json(figure: "BenchmarkFigure") -> dict[str, Any]:
    return asdict(figure) | {"measured_at": figure.measured_at.isoformat()}
