"""The chart of a bot's ratings, built once for all visitors."""

from collections.abc import Sequence

import streamlit as st

from arena.rating.ladder_id import LadderId
from arena.server.boards.board import BoardLine
from arena_dashboard.bots import bot_tables
from arena_dashboard.bots.bot_data import Profile
from arena_dashboard.bots.bot_tables import VersionRating
from arena_dashboard.ladders.ladder_choice import in_words
from arena_dashboard.parts.drawn import Drawn, drawn


def ratings_chart(bot: Profile, ladders: Sequence[tuple[LadderId, Sequence[BoardLine]]]) -> Drawn:
    """Return the chart of all versions' ratings on all ladders, older versions first."""
    age = {one.id: at for at, one in enumerate(reversed(bot.versions))}
    return _ratings_chart(
        [
            VersionRating(
                f"{in_words(ladder)} · v{line.version}",
                in_words(ladder),
                line.version,
                line.elo,
                *line.interval,
                line.matches,
            )
            for ladder, lines in ladders
            for line in sorted(lines, key=lambda one: age.get(one.version_id, 0))
        ]
    )


@st.cache_data(max_entries=200, show_spinner=False)
def _ratings_chart(ratings: list[VersionRating]) -> Drawn:
    return drawn(ratings, bot_tables.versions_chart, bot_tables.chart_in_words)
