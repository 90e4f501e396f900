"""Pure functions that make the leaderboard's table, which `browser/ladder.js` draws."""

from collections.abc import Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import Any

from arena.lab.analysis import Estimate
from arena.rating.flags import Flag
from arena.rating.luck_column import FEWEST_MATCHES
from arena.records import VersionId
from arena.server.boards.board import CENTRE, BoardLine
from arena.server.boards.luck_adjusted import luck_source
from arena.server.boards.trend import TREND_SHARE
from arena.server.results.benchmarks import BenchmarkFigure
from arena.server.uploads.checks import RecordedCheck, check_in_words, check_mark

MOST_ROWS = 500
"""The most bots of a page."""

_FLAGS: Mapping[Flag, tuple[str, str]] = {
    Flag.PROVISIONAL: ("provisional", "Fewer than 20 blocks link it to the established bots."),
    Flag.PERFECT_SCORE: ("never lost", "Never lost a point: it is unknown how far ahead it is."),
    Flag.ZERO_SCORE: ("never won", "Never won a point: it is unknown how far behind it is."),
    Flag.SEPARATE_POOL: ("apart", "Never met the others: the distance to them is a guess."),
    Flag.ONE_SIDED: ("one-sided", "Its group only won or only lost against the rest."),
}

_HALTED = {
    "banned": ("banned", "The operator has banned its owner."),
    "frozen": ("frozen", "The operator does not let it play for now."),
    "paused": ("paused", "Its owner does not let it play for now."),
}

_HINTS = {
    "rank": "The place by Elo, provisional bots last, and the range that the results allow.",
    "interval": "The Elo as a dot with its 95 % confidence interval. The dashed line is 1500.",
    "elo": "The rating, and half the width of its 95 % interval.",
    "adjusted": "Elo with the luck of the draws taken out, and half its 95 % interval. It does not "
    f"affect ranks. Shown from {FEWEST_MATCHES} matches on.",
    "trend": f"Elo gained or lost in the latest {TREND_SHARE:.0%} of the ladder's matches; – where "
    "it may be chance.",
    "loss": "What a decision costs on average, in percent of a win, and half its 95 % interval: 0 "
    "is perfect play. – where fewer than two of its matches were analysed. It does not affect "
    "ranks.",
    "benchmark": "The share of matches won against the house bot cfr with most luck removed, in "
    "percent, and half its 95 % interval: 50 is level with it. It does not affect ranks.",
    "share": "First places per match; a shared one counts in part.",
    "place": "1 is best; ties share the mean of their places.",
}


def content(
    lines: Sequence[BoardLine],
    shown: range,
    game: str,
    trend: Mapping[VersionId, float] = MappingProxyType({}),
    checks: Mapping[VersionId, RecordedCheck] = MappingProxyType({}),
    losses: Mapping[VersionId, Estimate] = MappingProxyType({}),
    halted: Mapping[VersionId, str] = MappingProxyType({}),
    benchmarks: Mapping[VersionId, BenchmarkFigure] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the table's content: its axis, hints, flags, and the rows of the shown lines.

    The rows are best first and have the values that `browser/ladder.js` names. `trend` is the Elo
    that versions gained lately, `checks` their last checks against the protocol, `losses` the mean
    loss of their decisions, `halted` tells whether their bot is "banned", "frozen" or "paused", and
    `benchmarks` what they win against the certified bot.
    """
    lines = lines[shown.start : shown.stop]
    costs = [_percents(losses.get(line.version_id)) for line in lines]
    low, high = _domain(lines)
    return {
        "game": game,
        "low": low,
        "high": high,
        "centre": CENTRE,
        "hints": _HINTS,
        "flags": {flag.value: _FLAGS[flag] for line in lines for flag in line.flags}
        | {word: _HALTED[word] for word in halted.values()},
        "adjusted": any(line.luck_adjusted is not None for line in lines),
        "losses": any(costs),
        "benchmarks": bool(benchmarks),
        "rows": [
            [
                *_row(line, halted.get(line.version_id)),
                _rounded(trend.get(line.version_id)),
                _checked(checks.get(line.version_id)),
                cost,
                _share(benchmarks.get(line.version_id)),
            ]
            for line, cost in zip(lines, costs, strict=True)
        ],
    }


def luck_note(lines: Sequence[BoardLine], game: str) -> str | None:
    """Return a note on what the luck-adjusted column is and gains; None if there is no column."""
    luck = luck_source(game, [line.luck_adjusted for line in lines])
    return None if luck is None else luck.note()


def _row(line: BoardLine, halted: str | None) -> list[Any]:
    low, high = line.interval
    flags = [*sorted(flag.value for flag in line.flags), *([halted] if halted else [])]
    return [
        *(line.version_id, line.rank, line.rank_low, line.rank_high),
        *(line.bot, line.version, line.owner, line.house, line.anchor),
        *(round(line.elo, 1), round(low, 1), round(high, 1)),
        *(line.matches, round(line.win_share, 4), round(line.mean_placing, 3)),
        *(str(line.luck_adjusted or ""), flags, line.band),
    ]


def _rounded(gain: float | None) -> int | None:
    return None if gain is None else round(gain)


def _checked(check: RecordedCheck | None) -> list[Any] | None:
    """Return a check's mark, its meaning, and whether it passed; None if there was no check."""
    if check is None:
        return None
    return [check_mark(check), check_in_words(check), not check.outcome.failed]


def _percents(loss: Estimate | None) -> list[float] | None:
    """Return mean and error in percent; None without an error, as after a single match."""
    if loss is None or not isfinite(loss.error):
        return None
    return [round(100 * loss.mean, 2), round(100 * loss.error, 2)]


def _share(figure: BenchmarkFigure | None) -> list[float] | None:
    """Return a benchmark's share and half its interval in percent; None without a benchmark."""
    if figure is None:
        return None
    return [round(100 * figure.share, 2), round(50 * (figure.high - figure.low), 2)]


def _domain(lines: Sequence[BoardLine]) -> tuple[float, float]:
    """Return the ends of the axis of Elo.

    A bot that never won or lost must not flatten all other intervals, so an interval that reaches
    beyond the axis is drawn cut off.
    """
    if not lines:
        return CENTRE - 100, CENTRE + 100
    best, worst = max(line.elo for line in lines), min(line.elo for line in lines)
    margin = max(50.0, 0.25 * (best - worst))
    low = max(min(line.interval[0] for line in lines), worst - margin)
    high = min(max(line.interval[1] for line in lines), best + margin)
    edge = 0.02 * (high - low)
    return round(low - edge, 1), round(high + edge, 1)
