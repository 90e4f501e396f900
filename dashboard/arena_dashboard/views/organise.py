"""The page "Organise": the events that the signed-in owner organises, or the one in the URL."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

import streamlit as st

from arena.clients.event_client import EventClient, EventSeen
from arena.clients.operator_client import OperatorClient
from arena.clients.organiser_client import NewKey, OrganiserClient, ParticipantSeen
from arena.clients.referee_client import OwnerCallError
from arena.errors import UserError
from arena.moments import in_words
from arena.server.events.roster_file import read_roster
from arena_dashboard.events import event_data, event_forms
from arena_dashboard.events.event_tables import event_link
from arena_dashboard.events.organise_tables import Show, chosen, keys_csv, participants_csv, table
from arena_dashboard.owners import owners, sign_in
from arena_dashboard.owners.owners import SignedIn
from arena_dashboard.parts.markup import in_markdown, tag
from arena_dashboard.parts.tables import time_of

_KEYS = "new keys"
"""With an event's name, the session's entry of roster keys that are not stored yet."""


def show_list(client: OrganiserClient) -> None:
    """Show the events that the owner organises, and how to make another."""
    st.title("Organise")
    events, may_create = client.events()
    for event in events:
        link = tag("a", event.title, href="organise?" + urlencode({"event": event.name}))
        st.html(tag("p", link, " ", tag("small", f"{event.phase}, {event.entries} entered")))
    if may_create:
        st.subheader("Make an event")
        event_forms.make(client)
    elif not events:
        st.info(
            "You organise no event. The operator names an event's organisers, and allows owners to "
            "make events."
        )


def show(client: OrganiserClient, name: str) -> None:
    """Show all that an organiser sees of an event."""
    event, found = client.participants(name)
    st.title(in_markdown(event.title))
    st.html(tag("p", *links(event), class_="ba-link"))
    entered = sum(bool(one.bot) for one in found)
    ready = sum(one.has_build for one in found)
    st.html(
        tag(
            "p",
            f"{event.phase}: {entered} of {len(found)} have entered, {ready} with an accepted "
            "build. Builds are fixed at ",
            time_of(event.freezes),
            ".",
        )
    )
    shown = show_participants(event, found)
    show_log(client, event, found)
    write(client, event, found, shown)
    show_progress(client, event)
    with st.expander("Add people to the roster", expanded=(_KEYS, event.name) in owners.kept()):
        add_people(client, event)
    with st.expander("Move the dates"):
        event_forms.move(client, event)
    with st.expander("Withdraw a bot, or cancel the event"):
        withdraw(client, event, found)
        cancel(client, event)


def links(event: EventSeen) -> Iterator[str]:
    """Yield links to the list, and to the event's page if the organiser may see it.

    An operator organises private events without being a member.
    """
    yield tag("a", "All your events", href="organise")
    visitor = owners.visitor()
    viewer = event_data.viewer(None if visitor is None else visitor.name)
    if event_data.named(event.name, viewer) is not None:
        yield " · "
        yield tag("a", "Event page", href=event_link(event.name))


def show_participants(
    event: EventSeen, found: Sequence[ParticipantSeen]
) -> Sequence[ParticipantSeen]:
    """Show the table with its filters, and return who is shown."""
    show = st.segmented_control("Show", list(Show), default=Show.ALL, format_func=str)
    search = st.text_input("Search", placeholder="a team, a bot or a person")
    shown = chosen(found, show or Show.ALL, search)
    ratings = event_data.ratings(event, found)
    if shown:
        st.html(table(shown, ratings))
        st.download_button(
            f"These {len(shown)} as CSV" if len(shown) > 1 else "This one as CSV",
            participants_csv(shown, ratings),
            file_name=f"{event.name}.csv",
            mime="text/csv",
            on_click="ignore",
        )
    else:
        st.info("No participant matches." if found else "Nobody takes part yet.")
    return shown


def show_log(client: OrganiserClient, event: EventSeen, found: Sequence[ParticipantSeen]) -> None:
    """Show what a bot printed in its last check."""
    bots = [one.bot for one in found if one.bot]
    if not bots:
        return
    bot = st.selectbox("Log of the last check of", bots, index=None, placeholder="a bot")
    if bot is None:
        return
    check = client.last_check(event.name, bot)
    if not check.version:
        st.caption("Nothing was uploaded.")
        return
    state = check.state.value if check.state else "unknown"
    st.caption(f"Version {in_markdown(check.version)}: {state}")
    st.code("\n".join(part for part in (check.reason, check.log) if part), language=None)


def write(
    client: OrganiserClient,
    event: EventSeen,
    found: Sequence[ParticipantSeen],
    shown: Sequence[ParticipantSeen],
) -> None:
    """Show a form to write to the chosen participants, by default to all that are shown."""
    if not found:
        return
    st.subheader("Write to participants")
    with st.form("message", clear_on_submit=True):
        to = st.multiselect(
            "To",
            [one.owner for one in found],
            placeholder=f"all shown above ({len(shown)})",
        )
        text = st.text_area("Message", max_chars=2_000)
        sent = st.form_submit_button("Send")
    if not sent:
        return
    chosen = to or [one.owner for one in shown]
    if not text.strip():
        st.error("“Message” is missing.")
    elif not chosen:
        st.error("Nobody is shown above: choose whom to write to.")
    else:
        try:
            client.message(event.name, text, chosen)
        except OwnerCallError as error:
            owners.refused(error)
        else:
            st.success(f"Sent to {in_markdown(', '.join(chosen))}.")


def show_progress(client: OrganiserClient, event: EventSeen) -> None:
    """Show how long the final takes, and how far it is."""
    folded = st.expander("How long the final takes", on_change="rerun")
    if not folded.open:
        return
    with folded:
        try:
            found = client.progress(event.name)
        except OwnerCallError as error:  # it is over
            st.info(in_markdown(str(error)))
            return
        if found.why_not:
            st.warning(f"The final cannot be played: {in_markdown(found.why_not)}.")
            return
        left = "" if found.left is None else f"; about {in_words(found.left)} are left"
        one_slot = " with one worker slot" if not found.played else ""
        st.markdown(
            f"{found.played:,} of {found.blocks:,} deal blocks are played, {found.playing:,} are "
            f"being played, for {found.bots:,} bots{left}{one_slot}."
        )


def add_people(client: OrganiserClient, event: EventSeen) -> None:
    """Add people to the roster, and show their keys until they are stored."""
    session = owners.kept()
    waiting: list[NewKey] | None = session.get((_KEYS, event.name))
    if waiting is not None:
        show_keys(client, event.name, waiting)
        return
    with st.form("roster"):
        text = st.text_area(
            "The roster as CSV",
            height=160,
            placeholder="name,email,number,team\nAnn Archer,ann@example.org,1001,The Aces",
            help="The first line names the columns: name, and any of email, number, team. People "
            "who are on the roster already stay as they are.",
        )
        if not st.form_submit_button("Make keys for new people"):
            return
        try:
            _, keys = client.new_keys(event.name, read_roster(text))
        except UserError as error:
            st.error(in_markdown(str(error)))
            return
        if not keys:
            st.info("All of them are on the roster already.")
            return
    session[_KEYS, event.name] = keys
    st.rerun()


def show_keys(client: OrganiserClient, event: str, keys: list[NewKey]) -> None:
    """Let the organiser store new keys, and only then enroll their people."""
    st.markdown(
        f"**{len(keys)} are new.** First store the file with their keys, which are not shown "
        "again. Then add the people; before that, no key is valid."
    )
    st.download_button(
        "Download the keys",
        keys_csv(keys),
        file_name=f"{event}-keys.csv",
        mime="text/csv",
        type="primary",
        on_click="ignore",
    )
    if st.button("I have stored them: add these people"):
        try:
            added = client.enroll(event, keys)
        except UserError as error:
            st.error(in_markdown(str(error)))
        else:
            owners.kept().pop((_KEYS, event), None)
            st.success(f"{len(added)} are on the roster now.")
            st.button("Show them")
    st.button("Add nobody", on_click=lambda: owners.kept().pop((_KEYS, event), None))


def withdraw(client: OrganiserClient, event: EventSeen, found: Sequence[ParticipantSeen]) -> None:
    """Take a bot out of the event."""
    bots = [one.bot for one in found if one.bot and not one.withdrawn]
    if not bots:
        return
    with st.form("withdraw"):
        bot = st.selectbox("Withdraw", bots, index=None, placeholder="a bot")
        st.caption(
            "Before the freeze its entry is removed; in the final it loses the rest of its matches."
        )
        if not st.form_submit_button("Withdraw this bot") or bot is None:
            return
        client.withdraw(event.name, bot)
    st.rerun()


def cancel(client: OrganiserClient, event: EventSeen) -> None:
    """End the event for good."""
    with st.form("cancel"):
        why = st.text_input("Why it is cancelled", max_chars=500)
        sure = st.checkbox("For good, without results")
        if not st.form_submit_button("Cancel the event"):
            return
        if not sure:
            st.warning("Tick “For good, without results”: it cannot be undone.")
            return
        client.cancel(event.name, why)
    st.rerun()


def client_of(referee: EventClient, key: str) -> OrganiserClient:
    """Return the client of the organiser who has this key."""
    return OrganiserClient(lambda call, request: referee.organise(key, call, request))


def page(referee: OperatorClient, owner: SignedIn) -> None:
    """Show the event in the URL, or all of the owner's, or why the referee refuses."""
    organiser, asked = client_of(referee, owner.key), st.query_params.get("event")
    try:
        if asked:
            show(organiser, asked)
        else:
            show_list(organiser)
    except OwnerCallError as error:
        owners.refused(error)
        st.html(tag("p", tag("a", "All your events", href="organise"), class_="ba-link"))


sign_in.signed_in_page(page, "Organise")
