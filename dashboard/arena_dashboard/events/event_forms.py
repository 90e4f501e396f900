"""The forms in which an organiser makes an event and moves its dates."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st

from arena.clients.event_client import EventSeen
from arena.clients.organiser_client import OrganiserClient
from arena.errors import UserError
from arena.games import GAMES
from arena.scheduling.formats import FormatName
from arena.server.events.event import Admission
from arena.server.events.event_file import EXAMPLE
from arena_dashboard.events.event_tables import join_link
from arena_dashboard.owners import owners
from arena_dashboard.parts.markup import in_markdown, tag

_MADE = "made event"
"""The key in the session's state of the event that was just made, with its code."""
_ENTRY = {
    Admission.OPEN: "Every owner",
    Admission.CODE: "Owners with a code, and people on the roster",
    Admission.ROSTER: "People on the roster",
}
_DATES = {
    "opens": "Entries open",
    "freeze": "Entries close, builds are fixed",
    "final": "The final begins",
    "results": "Results are released",
}


def make(client: OrganiserClient) -> None:
    """Let an organiser make an event, by a form or by the text of an event.toml."""
    show_made()
    by_form, by_text = st.tabs(["By a form", "By an event.toml"])
    with by_form, st.form("make-event"):
        name = _name("form")
        toml = toml_of(_fields())
        if st.form_submit_button("Make the event", type="primary"):
            _make(client, name, toml)
    with by_text, st.form("make-event-by-text"):
        name = _name("text")
        text = st.text_area("event.toml", example(datetime.now(UTC)), height=420)
        if st.form_submit_button("Make the event", type="primary"):
            _make(client, name, text)


def show_made() -> None:
    """Show the event that was just made, with the code that is shown only once."""
    made: tuple[EventSeen, str] | None = owners.kept().get(_MADE)
    if made is None:
        return
    event, code = made
    st.success(f"Event {in_markdown(event.name)} is made: {in_markdown(event.title)}.")
    if code:
        st.markdown("The code to enter with, shown only now:")
        st.code(code, language=None)
        link = join_link(event.name, code)
        st.html(tag("p", "Or this link: ", tag("a", link, href=link), class_="ba-link"))
    st.button("Done", on_click=lambda: owners.kept().pop(_MADE, None))


def move(client: OrganiserClient, event: EventSeen) -> None:
    """Let an organiser move the dates of an event."""
    with st.form("move-event"):
        dates = _dates(
            {
                "opens": event.opens,
                "freeze": event.freezes,
                "final": event.final,
                "results": event.results,
            },
            f"move-{event.name}",
            current=True,
        )
        moved = st.form_submit_button("Move the dates")
        if not moved:
            return
        before = (event.opens, event.freezes, event.final, event.results)
        changed = [
            None if new == _to_minutes(old) else new
            for new, old in zip(dates.values(), before, strict=True)
        ]
        opens, freezes, final, results = changed
        if not any(changed):
            st.info("No date was changed.")
            return
        try:
            client.move(event.name, opens=opens, freezes=freezes, final=final, results=results)
        except UserError as error:
            st.error(in_markdown(str(error)))
            return
    st.rerun()


def example(now: datetime) -> str:
    """Return an example of an event.toml whose dates begin `now`."""
    head, _, _ = EXAMPLE.partition("[dates]")
    opens, freeze = _to_minutes(now), _to_minutes(now) + timedelta(days=14)
    dates = (opens, freeze, freeze + timedelta(minutes=10), freeze + timedelta(days=1))
    return f"{head}[dates]\n" + "".join(
        f"{name} = {date.isoformat()}\n" for name, date in zip(_DATES, dates, strict=True)
    )


def toml_of(fields: Mapping[str, Any]) -> str:
    """Return the text of an event.toml. A field name with a dot names a table and its member."""
    lines = [f"{name} = {_in_toml(value)}" for name, value in fields.items()]
    return "\n".join(lines) + "\n"


def _in_toml(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False)  # a JSON string is a TOML string, too


def _name(where: str) -> str:
    return st.text_input(
        "Name",
        max_chars=40,
        key=f"event-name-{where}",
        help="In addresses and commands: letters of A to Z, digits, dots, - and _.",
    ).strip()


def _fields() -> dict[str, Any]:
    title = st.text_input("Title", max_chars=100)
    text = st.text_area("Text of its page (Markdown)", max_chars=20_000)
    game = st.selectbox("Game", list(GAMES), format_func=lambda name: GAMES[name].title)
    entry = st.selectbox(
        "Who may enter",
        list(Admission),
        format_func=lambda one: _ENTRY[one],
    )
    members = st.number_input("Most people in a team (0: any number)", 0, 100, 0)
    builds = st.number_input("Most builds of a bot a day (0: any number)", 0, 1000, 0)
    formats = [one for one in FormatName if one is not FormatName.GAUNTLET]
    format_ = st.selectbox("Format of the final", formats, format_func=str)
    seats = st.number_input("Seats at a table", 2, 8, 2)
    blocks = st.number_input("Deal blocks of a pairing", 1, 1000, 20)
    now = _to_minutes(datetime.now(UTC))
    week = timedelta(days=7)
    dates = _dates(
        {
            "opens": now,
            "freeze": now + 2 * week,
            "final": now + 2 * week + timedelta(minutes=10),
            "results": now + 2 * week + timedelta(days=1),
        },
        "make",
    )
    return {
        "title": title,
        "text": text,
        "game": game,
        "entry": (entry or Admission.OPEN).value,
        **{
            f"limits.{name}": int(most)
            for name, most in (("members", members), ("builds", builds))
            if most
        },
        "final.format": (format_ or FormatName.ROUND_ROBIN).value,
        "final.seats": int(seats),
        "final.blocks": int(blocks),
        **{f"dates.{name}": date for name, date in dates.items()},
    }


def _dates(
    before: Mapping[str, datetime], key: str, *, current: bool = False
) -> dict[str, datetime]:
    """Show the dates for changes, in UTC, and return them.

    With `current` a date that somebody else has changed meanwhile is shown as it is now.
    """
    st.caption("All dates are in UTC.")
    chosen = {}
    for name, words in _DATES.items():
        shown = _to_minutes(before[name]).replace(tzinfo=None)
        at = f"-{shown.isoformat()}" if current else ""  # a widget keeps its value by key
        found = st.datetime_input(words, shown, key=f"{key}-{name}{at}", step=300)
        chosen[name] = (found or shown).replace(tzinfo=UTC)
    return chosen


def _to_minutes(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(second=0, microsecond=0)


def _make(client: OrganiserClient, name: str, toml: str) -> None:
    if not name:
        st.error("“Name” is missing: use letters of A to Z, digits, dots, - and _.")
        return
    try:
        owners.kept()[_MADE] = client.create(name, toml)
    except UserError as error:
        st.error(in_markdown(str(error)))
        return
    st.rerun()
