"""The part of the page that shows one tournament."""

from datetime import UTC, datetime, timedelta
from shlex import quote

import streamlit as st

from arena.server.tournaments.summary import (
    blocks_done,
    blocks_expected,
    blocks_in_words,
    ranking_terms,
    terms_in_words,
    waits_in_words,
)
from arena.server.tournaments.tournament import TournamentState
from arena_dashboard.parts.markup import in_markdown, tag, together
from arena_dashboard.parts.tables import bot_link, time_of
from arena_dashboard.tournaments import tournament_pictures, tournament_tables
from arena_dashboard.tournaments.tournament_data import TournamentView

MOST_PAIRINGS = 300
STILL = timedelta(minutes=3)
"""If no block of a running tournament began or ended for this long, probably no referee runs."""


def show(found: TournamentView) -> None:
    """Show one tournament."""
    record = found.record
    tournament, done = record.tournament, blocks_done(record)
    expected = blocks_expected(tournament, done)
    words = tournament_tables.in_words(tournament)
    st.html(together(tournament_tables.state(tournament), " ", tag("span", words)))
    if found.winner is not None:
        winner = tag("a", tag("b", found.winner.bot), href=bot_link(found.winner.bot))
        st.html(tag("p", "Won by ", winner, class_="ba-link"))
    st.html(_dates(found))
    if not record.waited_for() and is_still(found, datetime.now(UTC)):
        st.warning(
            "Nothing has been played for some minutes. Perhaps no referee is running: the operator "
            "starts one with `arena up` or `arena serve`."
        )
    for line in waits_in_words(record, datetime.now(UTC)):
        st.info(in_markdown(line))
    over = tournament.state is TournamentState.FINISHED
    st.progress(1.0 if over else done / max(1, expected), blocks_in_words(record))
    st.caption(terms_in_words(record))
    drawn = tournament_pictures.picture(found)
    if drawn is not None:
        st.html(drawn)
    st.subheader("Standings")
    st.html(tournament_tables.standing_table(record, found.standings))
    meanings = ranking_terms(tournament).items()
    st.caption(" ".join(f"{what[0].upper()}{what[1:]}: {how}." for what, how in meanings))
    st.subheader("Pairings")
    if not found.pairings:
        st.info(
            "Nothing is paired yet: the operator starts the tournament with `arena tournament "
            f"start {quote(tournament.name)}`."
        )
        return
    if len(found.pairings) > MOST_PAIRINGS:
        st.caption(
            f"{MOST_PAIRINGS} of {len(found.pairings):,} pairings, the latest round first; "
            f"`arena tournament show {quote(tournament.name)}` lists all."
        )
    st.html(tournament_tables.pairings(found.pairings[:MOST_PAIRINGS], tournament.name))


def is_still(found: TournamentView, now: datetime) -> bool:
    """Return whether the tournament runs, but no block began or ended for STILL."""
    tournament = found.record.tournament
    if tournament.state is not TournamentState.RUNNING:
        return False
    last = max(
        one for one in (found.active_at, tournament.started_at, tournament.created_at) if one
    )
    return now - last > STILL


def _dates(found: TournamentView) -> str:
    tournament = found.record.tournament
    parts = [tag("span", "created ", time_of(tournament.created_at))]
    if tournament.started_at is not None:
        parts.append(tag("span", "started ", time_of(tournament.started_at)))
    if tournament.ended_at is not None:
        parts.append(tag("span", "ended ", time_of(tournament.ended_at)))
    return tag("div", *parts, class_="ba-facts ba-faint")
