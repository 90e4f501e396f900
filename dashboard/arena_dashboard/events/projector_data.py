"""Which matches of a final the projector replays, read once for all its visitors."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from arena.database.rows import MatchRow
from arena.server.results.match_search import MatchFilter
from arena_dashboard.reading import data
from arena_dashboard.reading.frames import packed
from arena_dashboard.reading.watching import Onlooker

KEPT_SECONDS = 4.0
NEWEST = 60
"""The most matches that are replayed in turn: the latest."""


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=20, show_spinner=False)
def newest_matches(tournament: str) -> Sequence[MatchRow]:
    """Return the matches of a tournament that ended last, newest first. Do not change it."""
    return data.find_matches(MatchFilter(tournament=tournament), limit=NEWEST)


def next_match(found: Sequence[MatchRow], shown: Sequence[str]) -> str | None:
    """Return the id of the match to show after those `shown`, which are in the order of showing.

    It is the newest match not shown yet, preferably of other bots than the last one; when all were
    shown, the one shown longest ago. None if there is no match.
    """
    bots = {row.match_id: frozenset(seat.bot for seat in row.seats) for row in found}
    new = [row.match_id for row in found if row.match_id not in shown]
    last = bots.get(shown[-1]) if shown else None
    others = [one for one in new if bots[one] != last]
    again = [one for one in shown if one in bots]
    return next(iter([*others, *new, *again]), None)


@st.cache_resource(max_entries=20, show_spinner=False)  # what is recorded does not change
def content(match_id: str) -> bytes:
    """Return a recorded match, fully revealed, as bytes for the player on a projector."""
    match = data.replay(match_id, Onlooker.EVERYTHING.value) or {}
    shown: dict[str, Any] = {"live": True, "projected": True, "previous": None, "next": None}
    return packed({**match, **shown})
