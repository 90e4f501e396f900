"""The page "Events": the list, or the one in the URL."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import streamlit as st

from arena.clients.event_client import EventClient
from arena.clients.referee_client import OwnerCallError
from arena.errors import UserError
from arena.server.events.event import Admission, EventEntry, Phase
from arena_dashboard import browser
from arena_dashboard.events import event_data, event_profile, event_tables
from arena_dashboard.events.event_data import EventView
from arena_dashboard.events.event_tables import projector_link
from arena_dashboard.owners import owners
from arena_dashboard.parts.markup import in_markdown, tag, together
from arena_dashboard.parts.url_choice import shortened
from arena_dashboard.reading import data
from arena_dashboard.serving.feeds import event_feed_address

T = TypeVar("T")
MOST_OF_A_CODE = 40

_LIVE = "The final is live: its matches are public as they are played."
_CONNECTED = (
    "Bots may connect from their owners' machines. The freeze fixes the version of such a bot, not "
    "its program, which may change unnoticed. In the final no deal is used twice."
)
_CHECKED = (
    "Lots, pairings and every deal follow from a secret seed and from the builds of the freeze. "
    "The seed's hash is public from the start; once the seed is published, `arena event verify` "
    "recomputes everything from the event's archive."
)
_CHECKED_CONNECTED = (
    "Lots and pairings follow from a secret seed and from the bots of the freeze. The seed's hash "
    "is public from the start; once the seed is published, `arena event verify` recomputes them "
    "from the event's archive, and each match from the secret and the entropies in its transcript."
)
_BLIND = (
    "The final is played in secret. Results and matches stay hidden until the results are released."
)


def show_list() -> None:
    """Show all events, newest first."""
    found = event_data.newest(viewer)
    if found:
        st.html(event_tables.event_list(found))
    else:
        st.info("There is no event yet: `arena event example` prints an example to start from.")
    if owners.known():
        st.html(tag("p", tag("a", "Organise events", href="organise"), class_="ba-link"))


def show(found: EventView) -> None:
    """Show one event."""
    event = found.event
    words = event_tables.in_words(event)
    st.html(together(event_tables.phase_of(found), " ", tag("span", words)))
    if event.terms.private:
        st.caption("Only its members see this event.")
    if found.phase is Phase.CANCELLED:
        st.warning(f"It was cancelled. {in_markdown(event.why_cancelled)}")
    if found.phase is Phase.FINAL:
        st.info(_LIVE if event.terms.live else _BLIND)
    if found.phase is Phase.RELEASED:
        event_profile.show_winners(found, viewer)
    show_results(found)
    if found.phase is Phase.RELEASED and event.tournament is not None:
        event_profile.show_best(event.tournament)
        event_profile.show_files(event)
    if event.terms.text.strip():
        # Streamlit escapes the HTML in it.
        st.markdown(event.terms.text)
    st.subheader("Dates")
    st.html(event_tables.dates(found))
    if notices := event_data.notices(event, viewer):
        with st.expander("What has happened"):
            st.html(event_tables.news(notices))
    if event.terms.connected:
        st.caption(_CONNECTED)
    if event.terms.limits.in_words:
        st.caption(f"At most {event.terms.limits.in_words}.")
    if found.phase is Phase.OPEN:
        st.subheader("Enter")
        show_form(
            event.name,
            needs_code=event.terms.entry is Admission.CODE,
            entries=found.entries,
        )
    st.subheader(f"Entries ({len(found.entries):,})")
    if found.entries:
        st.html(event_tables.entries(found))
    else:
        st.caption("Nobody yet.")
    if event.terms.ladder is not None:
        st.subheader("Ladder")
        show_ladder(found)
    feed = tag("a", "Notices as a feed (Atom)", href=event_feed_address(event.name))
    projector = tag("a", "For a projector", href=projector_link(event.name), target="_blank")
    st.html(tag("p", feed, " · ", projector, class_="ba-link"))
    st.subheader("How the final can be checked")
    st.caption(_CHECKED_CONNECTED if event.terms.connected else _CHECKED)
    st.html(event_tables.checkable(event))


def show_results(found: EventView) -> None:
    """Show the standings of the final, once they are released, and a link to its matches."""
    if found.event.tournament is not None:
        st.html(event_tables.final_link(found.event.tournament))
    lines = event_data.results(found.event, viewer)
    if not lines:
        return
    teams = {one.bot: one.team for one in found.entries}
    st.html(event_tables.standing_table(lines, teams))
    if any(line.margin is not None for line in lines):
        st.caption(
            "Points ± half of their 95 % interval. Bots share a place (=) if the best of them is "
            "not significantly ahead (95 %)."
        )


def show_ladder(found: EventView) -> None:
    """Show the standings on the ladder of an event, and its newest matches."""
    lines = asked_for(event_data.ladder, found)
    if lines is None:
        return
    if not lines:
        st.caption("Nothing has been played on it yet.")
        return
    st.html(event_tables.ladder_table(lines, {one.bot: one.team for one in found.entries}))
    st.caption(
        "Elo relative to the mean of all, from deal blocks: the same deal once from every seat, "
        "each match by freshly started programs. It is separate from the leaderboard."
    )
    for title, final in (("Newest matches", False), ("Matches of the final", True)):
        matches = asked_for(partial(event_data.matches, final=final), found)
        if matches:
            with st.expander(title):
                st.html(event_tables.match_table(found.event.name, matches))


def asked_for(ask: Callable[[EventClient, str, str], T], found: EventView) -> T | None:
    """Return the referee's answer on an event for the visitor; show an error and return None."""
    try:
        client = owners.referee()
        if client is None:
            return None
        return ask(client, found.event.name, "" if visitor is None else visitor.key)
    except UserError as error:
        st.warning(in_markdown(str(error)))
        return None


def show_form(name: str, *, needs_code: bool, entries: Sequence[EventEntry]) -> None:
    """Let an owner who is signed in enter a bot in an event, which may be hidden from the owner."""
    try:
        client = owners.referee()
        owner = None if client is None else owners.signed_in(client)
    except UserError as error:
        st.warning(in_markdown(str(error)))
        return
    if client is None:
        return
    if owner is None:
        link = tag("a", "Sign in and submit a bot", href="submit")
        st.html(tag("p", link, ", then enter it here.", class_="ba-link"))
        return
    try:
        mine = client.bots_in_service(owner.key)
    except OwnerCallError as error:
        owners.refused(error)
        return
    if not mine:
        link = tag("a", "Submit a bot", href="submit")
        st.html(tag("p", link, " first, then enter it here.", class_="ba-link"))
        return
    now = next((one.bot for one in entries if one.owner == owner.name), None)
    if now is not None:
        st.caption(f"You have entered {in_markdown(now)}.")
    with st.form("enter"):
        bot = st.selectbox("Bot", mine, index=mine.index(now) if now in mine else 0)
        team = st.text_input("Team", max_chars=40, placeholder=owner.name)
        given = st.query_params.get("code", "")[:MOST_OF_A_CODE]
        code = st.text_input("Code", given, max_chars=MOST_OF_A_CODE) if needs_code else ""
        if not st.form_submit_button("Enter" if now is None else "Change the entry"):
            return
    try:
        entered = client.enter(owner.key, name, bot, code=code, team=team)
    except OwnerCallError as error:
        owners.refused(error)
        return
    if entered.version:
        st.success(f"Entered. Version {in_markdown(entered.version)} would play the final now.")
    else:
        st.success("Entered. It plays the final if a build is accepted before the freeze.")
    for notice in entered.notices:
        st.caption(in_markdown(notice))


visitor = owners.visitor()
viewer = event_data.viewer(None if visitor is None else visitor.name)
asked = st.query_params.get("name")
found = event_data.named(asked, viewer) if asked else None
if found is None and asked and "code" in st.query_params:
    # A private event is hidden until the visitor has entered it; so any name gets the form.
    st.title("Enter an event")
    st.caption(f"The link contains the code of “{shortened(asked)}”.")
    show_form(asked, needs_code=True, entries=())
elif found is None:
    st.title("Events")
    if asked:
        st.warning(f"There is no event “{shortened(asked)}” that you may see. These are all:")
    show_list()
else:
    title = found.event.terms.title
    st.set_page_config(f"{title} · Bluff Arena")
    st.title(in_markdown(title))
    st.html(tag("p", tag("a", "All events", href="events"), class_="ba-link"))
    show(found)
    if found.phase not in (Phase.RELEASED, Phase.CANCELLED):
        name = found.event.name
        browser.keep_current(
            ("event", name, viewer),
            (event_data.mark(found), data.away()),
            lambda: (event_data.current_mark(name, viewer), data.away()),
        )
