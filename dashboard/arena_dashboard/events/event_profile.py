"""The part of an event's page that stays when it is over: winners, bracket, best matches, files."""

import streamlit as st

from arena.scheduling.formats import FormatName
from arena.server.events.event import Event
from arena.server.events.finals.standings import FinalLine
from arena_dashboard.events import event_data, event_downloads
from arena_dashboard.events.event_data import BestMatches, EventView
from arena_dashboard.parts import tables
from arena_dashboard.parts.markup import Html, tag, together
from arena_dashboard.reading.frames import in_words
from arena_dashboard.tournaments import tournament_data, tournament_pictures

BRACKETS = (FormatName.KNOCKOUT, FormatName.GROUPS)
"""The formats whose picture says more than the standings."""


def show_winners(found: EventView, viewer: int | None) -> None:
    """Show who has won, and the bracket, whose links lead to the matches of a public final."""
    lines = event_data.results(found.event, viewer)
    teams = {one.bot: one.team for one in found.entries}
    first = [line for line in lines if line.place == 1]
    if first:
        st.html(winners(first, teams))
    if found.event.tournament is None:
        return
    view = tournament_data.finished_view(found.event.tournament)
    if view is not None and view.record.tournament.rules.format in BRACKETS:
        drawn = tournament_pictures.picture(view)
        if drawn is not None:
            st.html(drawn)


def show_best(tournament: str) -> None:
    """Show the costliest decision of the event, and its closest matches."""
    found = event_data.best_matches(tournament)
    st.subheader("Matches worth a look")
    if found.costliest is None:
        st.caption("No analysis of its matches is stored, so no costly decision is known.")
    else:
        st.html(decision(found))
    if found.closest:
        st.caption("The closest matches: the fewest points between the best two bots.")
        st.html(tables.matches(found.closest))


def show_files(event: Event) -> None:
    """Show what can be downloaded."""
    links = [
        tag("a", words, href=event_downloads.address(event.name, kind), download="")
        for kind, (words, _) in event_downloads.KINDS.items()
    ]
    st.subheader("Downloads")
    st.html(tag("p", links[0], " · ", links[1], " · ", links[2], class_="ba-link"))


def winners(first: list[FinalLine], teams: dict[str, str]) -> Html:
    """Return who has won."""
    named = [
        together(
            tag("a", tag("b", line.entrant.bot), href=tables.bot_link(line.entrant.bot)),
            f" ({teams[line.entrant.bot]})" if line.entrant.bot in teams else "",
        )
        for line in first
    ]
    joined = [named[0], *(part for one in named[1:] for part in (", ", one))]
    shared = f"First place is shared by {len(named)} bots: " if len(named) > 1 else "Won by "
    return tag("p", shared, *joined, class_="ba-link")


def decision(found: BestMatches) -> Html:
    """Return the decision that cost most, with a link to its replay."""
    assert found.costliest is not None
    row, one = found.costliest
    who = next(seat.bot for at, seat in enumerate(row.seats) if at == one.seat)
    others = ", ".join(seat.bot for at, seat in enumerate(row.seats) if at != one.seat)
    link = f"{tables.replay_link(row.match_id, one.step)}&analysis=1"
    played, better = (in_words(action) for action in (one.action, one.best))
    return tag(
        "p",
        "The decision of the event (the costliest that is known): ",
        tag("b", who),
        f" against {others} played {played}, where {better} was better, and gave up "
        f"{100 * (one.loss or 0.0):.0f} % chance to win. ",
        tag("a", "Replay", href=link),
        class_="ba-link",
    )
