"""Who takes part in an event, as its organiser sees it: filters, HTML and CSV; pure functions."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import assert_never

from arena.builds.hosted import BuildState
from arena.clients.organiser_client import NewKey, ParticipantSeen
from arena.moments import iso_utc
from arena_dashboard.bots.bot_tables import faults_link
from arena_dashboard.events.event_data import Ratings
from arena_dashboard.parts.csv_text import csv_text
from arena_dashboard.parts.markup import Html, badge, scrolling, table_of, tag
from arena_dashboard.parts.rows import cell, heads, number, row_of
from arena_dashboard.parts.tables import time_of, to_bot


class Show(StrEnum):
    """Which participants are shown."""

    ALL = "All"
    NOT_ENTERED = "Not entered"
    NO_BUILD = "No accepted build"
    FAULTS = "With faults"


def chosen(found: Iterable[ParticipantSeen], show: Show, search: str) -> list[ParticipantSeen]:
    """Return the participants that pass the filter, with `search` in a name, address or number."""
    wanted = search.casefold().strip()
    return [one for one in found if _is(one, show) and wanted in _words(one)]


def _is(one: ParticipantSeen, show: Show) -> bool:
    match show:
        case Show.ALL:
            return True
        case Show.NOT_ENTERED:
            return not one.bot
        case Show.NO_BUILD:
            return bool(one.bot) and not one.has_build
        case Show.FAULTS:
            return one.faults > 0
        case _:
            assert_never(show)


def table(found: Sequence[ParticipantSeen], ratings: Ratings) -> Html:
    """Return participants as a table, with people below the team and reasons below the build."""
    head = heads(
        *("Team", "Bot", "Build", "Last seen"),
        *(("Matches", "ba-number"), ("Faults", "ba-number"), ("Rating", "ba-number")),
    )
    lines = (_line(one, ratings) for one in found)
    shown = table_of("Who takes part", head, lines, "ba-participants")
    return scrolling("Who takes part", shown)


def participants_csv(found: Sequence[ParticipantSeen], ratings: Ratings) -> str:
    """Return participants as CSV: a line for each person, and one for a team without people."""
    head = (
        *("team", "name", "email", "number", "role", "excused", "bot", "entered"),
        *("build", "newest build", "state", "reason", "last seen", "matches", "faults"),
        "rating",
    )
    rows: list[list[object]] = []
    for one in found:
        rating = _rating(one, ratings)
        facts = (
            *(one.bot, one.entered and iso_utc(one.entered), one.version or one.plays),
            *(one.newest, one.state and one.state.value, one.reason),
            *(one.last_seen and iso_utc(one.last_seen), one.matches, one.faults),
            "" if rating is None else round(rating),
        )
        for person in one.people:
            role = "captain" if person.captain else "member"
            who = (person.name, person.email, person.student_number, role, person.excused)
            rows.append([one.owner, *who, *facts])
        if not one.people:
            rows.append([one.owner, *[""] * 5, *facts])
    return csv_text(head, rows)


def keys_csv(keys: Sequence[NewKey]) -> str:
    """Return new keys as CSV, as `arena event roster` writes them."""
    rows = (
        (
            *(one.person.name, one.person.email, one.person.student_number, one.owner),
            *("captain" if one.captain else "member", one.key),
        )
        for one in keys
    )
    return csv_text(("name", "email", "number", "team", "role", "key"), rows)


def _words(one: ParticipantSeen) -> str:
    people = (f"{who.name}\n{who.email}\n{who.student_number}" for who in one.people)
    return "\n".join((one.owner, one.team, one.bot, *people)).casefold()


def _line(one: ParticipantSeen, ratings: Ratings) -> Html:
    rating = _rating(one, ratings)
    faults: str = f"{one.faults:,}" if one.bot else ""
    if one.faults:
        link = faults_link(one.bot, one.version or one.plays or one.newest)
        faults = tag("a", faults, href=link)
    return row_of(
        cell(tag("span", one.owner, class_="ba-name"), *_people(one)),
        to_bot(one.bot) if one.bot else badge("not entered", "warn"),
        cell(*_build(one)),
        cell(time_of(one.last_seen) if one.last_seen else "never", class_="ba-faint"),
        number(f"{one.matches:,}" if one.bot else ""),
        number(faults),
        number("" if rating is None else f"{rating:.0f}"),
    )


def _people(one: ParticipantSeen) -> list[Html]:
    return [
        tag(
            "div",
            f"{who.name} ",
            tag("span", _about(who.student_number, who.email, "excused" * who.excused)),
            class_="ba-who",
        )
        for who in one.people
    ]


def _about(*known: str) -> str:
    return " · ".join(part for part in known if part)


def _build(one: ParticipantSeen) -> list[str]:
    if not one.bot:
        return []
    parts: list[str] = []
    if one.withdrawn:
        parts.append(badge("withdrawn", "bad"))
    elif one.version:
        parts.append(f"v{one.version}")
    elif one.plays:
        parts.append(f"v{one.plays}")
    else:
        parts.append(badge("none", "bad"))
    if one.state is None:
        parts.append(tag("div", "nothing uploaded", class_="ba-who"))
    elif one.state is not BuildState.ACCEPTED:
        kind = "bad" if one.state is BuildState.REFUSED else "plain"
        parts += [" ", badge(f"v{one.newest} {one.state.value}", kind)]
        parts += [tag("div", line, class_="ba-who") for line in one.reason.splitlines()]
    return parts


def _rating(one: ParticipantSeen, ratings: Ratings) -> float | None:
    return ratings.get((one.bot, one.version or one.plays))
