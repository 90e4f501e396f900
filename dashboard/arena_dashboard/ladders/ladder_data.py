"""The content of the page "Leaderboard", made once for all visitors."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.accounts import bot_statements
from arena.server.boards.board import BoardLine
from arena.server.boards.live_board import Leaderboard
from arena.server.results.benchmarks import figures
from arena.server.results.kept_analyses import mean_losses
from arena_dashboard.ladders import ladder_table
from arena_dashboard.reading import data

MOST_LADDERS: Final = 32
CHECKS_SECONDS: Final = 15.0
"""The seconds for which tables are cached, with the marks of checks."""
TREND_SECONDS: Final = 60.0
"""The seconds for which the trend is cached: fitting past ratings costs as much as current ones."""


def table(
    ladder: LadderId, board: Leaderboard, shown: range, *, old: bool = False
) -> Mapping[str, Any]:
    """Return the `ladder_table.content` of the lines at the positions `shown` of the ranking.

    With `old`, the lines are those of old versions, which are not ranked.
    """
    lines = board.old if old else board.ranked
    which = board.sequence, old, len(lines), shown.start, shown.stop
    return _table(ladder, which, _lines=lines)


# `which` identifies the lines; the argument with an underscore is not part of the key.
@st.cache_resource(ttl=CHECKS_SECONDS, max_entries=MOST_LADDERS, show_spinner=False)
def _table(
    ladder: LadderId,
    which: tuple[int, bool, int, int, int],
    *,
    _lines: Sequence[BoardLine],
) -> Mapping[str, Any]:
    *_, start, stop = which
    ids = [line.version_id for line in _lines[start:stop]]
    checks = data.checks(ids)
    halted = {
        VersionId(row.version_id): "banned" if row.banned else "frozen" if row.frozen else "paused"
        for row in data.read(bot_statements.halted(ids))
    }
    trend, losses = _trend(ladder), mean_losses(data.reader(), ladder)
    benchmarks = figures(data.reader(), ids, ladder.game, ladder.seats)
    return ladder_table.content(
        _lines, range(start, stop), ladder.game, trend, checks, losses, halted, benchmarks
    )


@st.cache_resource(ttl=TREND_SECONDS, max_entries=MOST_LADDERS, show_spinner=False)
def _trend(ladder: LadderId) -> Mapping[VersionId, float]:
    return data.live_board(ladder).trend()
