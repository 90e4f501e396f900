"""Events as HTML: the list, the dates, the entries, and how to check a final; pure functions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from arena.clients.event_client import EventMatch, EventRating
from arena.games import GAMES
from arena.server.events.event import Event, EventEntry, Phase
from arena.server.events.finals.standings import FinalLine
from arena_dashboard.events.event_data import EventView
from arena_dashboard.parts.markup import Html, badge, faint, table_of, tag, together
from arena_dashboard.parts.rows import cell, heads, number, row_of
from arena_dashboard.parts.tables import options, time_in_words, time_of, to_bot
from arena_dashboard.tournaments.tournament_tables import tournament_link

_PHASES = {
    Phase.ANNOUNCED: ("announced", "plain"),
    Phase.OPEN: ("open for entries", "good"),
    Phase.FROZEN: ("builds are fixed", "warn"),
    Phase.FINAL: ("final", "warn"),
    Phase.RELEASED: ("results", "plain"),
    Phase.CANCELLED: ("cancelled", "bad"),
}
_SHORT = 12
"""The digits of a hash that a table shows; the title of the element has all of them."""


def event_link(name: str) -> str:
    """Return the address of an event's page."""
    return "events?" + urlencode({"name": name})


def projector_link(name: str) -> str:
    """Return the address of an event's page for a projector."""
    return "projector?" + urlencode({"event": name})


def join_link(name: str, code: str) -> str:
    """Return the address of the page on which owners enter an event by its code."""
    return "events?" + urlencode({"name": name, "code": code})


def phase_of(found: EventView) -> Html:
    """Return the phase of an event, as a badge."""
    return badge(*_PHASES[found.phase])


def event_list(found: Sequence[EventView]) -> Html:
    """Return the list of events."""
    head = heads("Event", "Game", ("Bots", "ba-number"), "Next")
    return table_of("Events, newest first", head, map(_listed, found))


def in_words(event: Event) -> str:
    """Return the rules of the final in one line."""
    rules = event.terms.rules
    kind = "seat" if event.terms.connected else "deal"
    blocks = f"1 {kind} block" if rules.blocks == 1 else f"{rules.blocks} {kind} blocks"
    parts = [
        GAMES[rules.game].title if rules.game in GAMES else rules.game,
        options(rules.options.items()),
        f"{rules.seats} seats",
        rules.format.value,
        f"{blocks} of {rules.seats} matches for each pairing",
        time_in_words(rules.time_control.name),
    ]
    return " · ".join(part for part in parts if part)


def dates(found: EventView) -> Html:
    """Return the dates of an event with what happens then; past dates are marked."""
    said = found.event.terms.dates
    done = {
        Phase.ANNOUNCED: 0,
        Phase.OPEN: 1,
        Phase.FROZEN: 2,
        Phase.FINAL: 3,
        Phase.RELEASED: 4,
        Phase.CANCELLED: 0,
    }[found.phase]
    steps = (
        ("Entries open", said.opens),
        ("Entries close, builds are fixed", said.freezes),
        ("The final begins", said.final),
        ("Results are released" + ", once all is played" * found.is_overdue, said.results),
    )
    return tag(
        "ol",
        *(
            tag("li", tag("b", what), " ", time_of(moment), "" if at >= done else " ✓")
            for at, (what, moment) in enumerate(steps)
        ),
        class_="ba-dates",
    )


def news(notices: Sequence[Any]) -> Html:
    """Return what has happened, the newest first; from rows of `notices_of_event`."""
    lines = (tag("li", one.text, " ", time_of(one.at)) for one in reversed(notices))
    return tag("ul", *lines, class_="ba-dates")


def entries(found: EventView) -> Html:
    """Return the entries of an event, by the time of entry."""
    frozen = found.event.frozen_at is not None
    head = heads("Team", "Bot", "Owner", "Entered", *["Build of the final"] * frozen)
    return table_of("Entries", head, (_entered(one, frozen=frozen) for one in found.entries))


def _entered(one: EventEntry, *, frozen: bool) -> Html:
    build = [cell(_build(one))] if frozen else []
    return row_of(
        one.team,
        to_bot(one.bot),
        cell(one.owner, class_="ba-faint"),
        cell(time_of(one.entered_at), class_="ba-faint"),
        *build,
    )


def _build(one: EventEntry) -> Html:
    if one.version is None:
        return faint("no build was accepted in time: it does not play")
    if one.sha256 is None:
        fixed = faint("connected: the program was not frozen")
    else:
        digits = one.sha256.hex()
        fixed = tag("code", f"{digits[:_SHORT]}…", title=f"SHA-256 {digits}")
    shown = together(f"v{one.version} ", fixed)
    return together(shown, " ", badge("withdrawn", "bad")) if one.withdrawn else shown


def ladder_table(lines: Sequence[EventRating], teams: Mapping[str, str]) -> Html:
    """Return the standings on the ladder of an event; `teams` are by bot."""
    head = heads(
        *(("Rank", "ba-number"), "Team", "Bot", ("Elo", "ba-number")),
        *(("95 % interval", "ba-number"), ("Matches", "ba-number")),
    )
    return table_of("Ladder of the event", head, (_rated(line, teams) for line in lines))


def _rated(line: EventRating, teams: Mapping[str, str]) -> Html:
    ranks = f"{line.rank_low}"
    if line.rank_high > line.rank_low:
        ranks = f"{line.rank_low}–{line.rank_high}"
    low, high = line.interval
    bot = line.entrant.bot
    named = (
        together(bot, " ", badge("house", "plain"))
        if line.house
        else together(to_bot(bot), f" v{line.entrant.version}")
    )
    return row_of(
        number(ranks),
        teams.get(bot, ""),
        named,
        number(_signed(line.elo)),
        number(f"{_signed(low)} to {_signed(high)}"),
        number(f"{line.matches:,}"),
    )


def _signed(elo: float) -> str:
    return f"{elo:+.0f}".replace("-", "−")


def match_table(event: str, matches: Sequence[EventMatch]) -> Html:
    """Return matches of an event with links to their replays."""
    head = heads("Ended", "Bots by seat, with their places", "")
    rows = (
        row_of(
            cell(time_of(one.ended), class_="ba-faint"),
            " – ".join(f"{who.bot} ({place})" for who, place in one.seats),
            tag("a", "Replay", href=match_link(event, one.match_id)) if one.kept else "",
        )
        for one in matches
    )
    return table_of("Matches of the event", head, rows)


def match_link(event: str, match_id: str) -> str:
    """Return the address of the page of a match of an event."""
    return "event-match?" + urlencode({"event": event, "match": match_id})


def standing_table(lines: Sequence[FinalLine], teams: Mapping[str, str]) -> Html:
    """Return the standings of a final; `teams` are by bot."""
    head = heads(("Place", "ba-number"), "Team", "Bot", ("Points", "ba-number"))
    shared = Counter(line.place for line in lines)
    rows = (
        row_of(
            number(f"{'=' if shared[line.place] > 1 else ''}{line.place}"),
            teams.get(line.entrant.bot, ""),
            to_bot(line.entrant.bot),
            number(
                points_text(line.points)
                + ("" if line.margin is None else f" ± {points_text(line.margin)}")
            ),
        )
        for line in lines
    )
    return table_of("Standings of the final", head, rows)


def checkable(event: Event) -> Html:
    """Return the commitment to the seed, and the seed once it is published."""
    parts = [
        tag("p", "SHA-256 of the seed, published before anybody entered: "),
        tag("p", tag("code", event.commitment.hex(), class_="ba-wrap")),
    ]
    if event.seed is not None:
        parts.append(tag("p", "The seed, opened with the results: "))
        parts.append(tag("p", tag("code", event.seed.hex(), class_="ba-wrap")))
    return tag("div", *parts)


def final_link(tournament: str) -> Html:
    """Return the link to the final's tournament."""
    link = tag("a", "The final: standings and replays", href=tournament_link(tournament))
    return tag("p", link, class_="ba-link")


def points_text(points: float) -> str:
    """Return points with one decimal, none if it is 0."""
    return f"{points:.1f}".removesuffix(".0")


def _listed(found: EventView) -> Html:
    event = found.event
    return row_of(
        cell(
            tag("a", event.terms.title, href=event_link(event.name), class_="ba-name"),
            " ",
            phase_of(found),
        ),
        cell(in_words(event), class_="ba-faint"),
        number(f"{event.entries:,}"),
        cell(_next(found), class_="ba-faint"),
    )


def _next(found: EventView) -> Html:
    said = found.event.terms.dates
    upcoming: dict[Phase, tuple[str, datetime]] = {
        Phase.ANNOUNCED: ("opens", said.opens),
        Phase.OPEN: ("entries until", said.freezes),
        Phase.FROZEN: ("final at", said.final),
        Phase.FINAL: ("results at", said.results),
    }
    if found.is_overdue:
        return Html("results once all is played")
    if found.phase not in upcoming:
        return Html("")
    word, moment = upcoming[found.phase]
    return together(f"{word} ", time_of(moment))
