"""What a projector shows of an event, as HTML in large letters; pure functions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from arena.moments import milliseconds
from arena.scheduling.formats import FormatName
from arena.server.events.event import Phase
from arena.server.events.finals.standings import FinalLine
from arena.server.tournaments.summary import PairingLine, of_knockout, points_text
from arena_dashboard.events import event_tables
from arena_dashboard.events.event_data import EventView
from arena_dashboard.parts.markup import Html, table_of, tag, together
from arena_dashboard.parts.rows import number, row_of
from arena_dashboard.parts.tables import time_of
from arena_dashboard.tournaments import tournament_pictures
from arena_dashboard.tournaments.tournament_data import TournamentView

LARGE = 3
"""The most bots on a screen in the largest letters."""
LINES = 8
"""The lines of a table that fit on a screen."""
COMING = 4
"""The pairings shown that are played or come next."""
BOXES = 4
"""The most pairings of a round that fit into a bracket on a screen."""
OVERDUE = "Results once all is played"
PODIUM = {3: "Third place", 2: "Second place", 1: "Winner"}
"""The places that have a screen of their own, in the order in which they are shown."""


def head(found: EventView, *, counting: bool) -> Html:
    """Return the title and the clock, with a countdown to the next date if `counting`.

    The browser fills in the times.
    """
    clock = tag("p", "", class_="ba-clock", data_clock="", role="timer", aria_label="Time of day")
    return tag(
        "header",
        tag(
            "div", tag("h1", found.event.terms.title), tag("p", event_tables.in_words(found.event))
        ),
        tag("div", clock, _countdown(found) if counting else ""),
        class_="ba-evening",
    )


def _countdown(found: EventView) -> Html:
    if found.is_overdue:
        return tag("p", OVERDUE, class_="ba-countdown")
    upcoming = _upcoming(found)
    if upcoming is None:
        return Html("")
    what, moment = upcoming
    left = tag("b", "", data_until=milliseconds(moment), role="timer")
    return tag("p", what, " ", left, class_="ba-countdown")


def date(found: EventView) -> Html:
    """Return what comes next and when, in letters that fill the screen; "" when nothing comes."""
    if found.is_overdue:
        return tag("p", OVERDUE, class_="ba-date")
    upcoming = _upcoming(found)
    if upcoming is None:
        return Html("")
    what, moment = upcoming
    left = tag("b", "", data_until=milliseconds(moment), role="timer")
    return tag("p", tag("span", what), left, tag("small", time_of(moment)), class_="ba-date")


def _upcoming(found: EventView) -> tuple[str, datetime] | None:
    dates = found.event.terms.dates
    return {
        Phase.ANNOUNCED: ("Entries open in", dates.opens),
        Phase.OPEN: ("Entries close in", dates.freezes),
        Phase.FROZEN: ("The final begins in", dates.final),
        Phase.FINAL: ("Results in", dates.results),
    }.get(found.phase)


def entries(found: EventView) -> Html:
    """Return who has entered: team and bot."""
    names = [
        tag("li", tag("b", one.team), " ", tag("span", one.bot))
        for one in found.entries
        if not one.withdrawn
    ]
    heading = f"{len(names)} {'bot' if len(names) == 1 else 'bots'}" if names else "No bot yet"
    return together(tag("h2", heading), tag("ul", *names, class_="ba-field"))


def picture(view: TournamentView) -> Html:
    """Return the last rounds of a bracket, those that fit on a screen; else the standings."""
    tournament, played = view.record.tournament, view.played
    match tournament.rules.format:
        case FormatName.KNOCKOUT:
            last = played
        case FormatName.GROUPS:
            last = of_knockout(tournament, played)
        case _:
            last = ()
    tables = Counter(one.pairing.round for one in last)
    fit = [one for one in last if tables[one.pairing.round] <= BOXES]
    if fit:
        return tournament_pictures.bracket(tournament, fit)
    rows = [
        (
            str(line.rank),
            tournament.entries[line.entry - 1].registered.entrant.bot,
            f"{points_text(line.points)} of {line.blocks}",
        )
        for line in view.standings[:LINES]
    ]
    more = len(view.standings) - len(rows)
    return together(
        _table("Standings", rows), tag("p", f"and {more} more") if more > 0 else Html("")
    )


def coming(pairings: Sequence[PairingLine]) -> Html:
    """Return the pairings that are being played, then those that come next."""
    open_ = [one for one in pairings if one.counted < one.wanted and not one.is_bye]
    open_.sort(key=lambda one: (not one.counted, one.round, one.table))
    lines = [
        tag(
            "li",
            tag("b", " – ".join(entrant.bot for entrant, _ in one.bots)),
            " ",
            tag("span", f"{one.counted} of {one.wanted}" if one.counted else "next"),
        )
        for one in open_[:COMING]
    ]
    if not lines:
        return tag("p", "All matches are played.", class_="ba-played")
    return together(tag("h2", "At the tables"), tag("ul", *lines, class_="ba-coming"))


def results(
    lines: Sequence[FinalLine],
    teams: Mapping[str, str],
    pairings: Sequence[PairingLine],
) -> Html:
    """Return screens to be shown one after another: the results, the winners last.

    `teams` are by bot; `pairings` are the rounds of a knockout, which come first.
    """
    screens = [
        *_rounds(pairings),
        *_places(lines, teams),
        *_podium(lines, teams),
    ]
    return tag(
        "div",
        *(tag("section", one, class_="ba-screen", data_step=at) for at, one in enumerate(screens)),
        class_="ba-screens",
        aria_live="polite",
    )


def _rounds(pairings: Sequence[PairingLine]) -> Iterator[Html]:
    """Yield the screens of a knockout's rounds, without the last, which the podium shows."""
    ordered = sorted(pairings, key=lambda one: (one.round, one.table))
    last = max((one.round for one in ordered), default=0)
    for round_number, round_ in groupby(ordered, key=lambda one: one.round):
        met = [one for one in round_ if not one.is_bye]
        for start in range(0, len(met) if round_number < last else 0, LINES):
            rows = [
                (
                    "",
                    " – ".join(entrant.bot for entrant, _ in one.bots),
                    " : ".join(points for _, points in one.bots),
                )
                for one in met[start : start + LINES]
            ]
            yield _table(f"Round {round_number}", rows)


def _places(lines: Sequence[FinalLine], teams: Mapping[str, str]) -> Iterator[Html]:
    """Yield the places below the podium, from the last one up."""
    below = [line for line in lines if line.place not in PODIUM]
    for end in range(len(below), 0, -LINES):
        page = below[max(0, end - LINES) : end]
        rows = [(str(line.place), _who(line, teams), _points(line)) for line in page]
        first, last = page[0].place, page[-1].place
        yield _table(f"Place {last}" if first == last else f"Places {first} to {last}", rows)


def _podium(lines: Sequence[FinalLine], teams: Mapping[str, str]) -> Iterator[Html]:
    for place, words in PODIUM.items():
        there = [line for line in lines if line.place == place]
        heading = words if len(there) == 1 else f"{words}, shared by {len(there)}"
        if len(there) > LARGE:
            for end in range(len(there), 0, -LINES):
                page = there[max(0, end - LINES) : end]
                yield _table(heading, [("", _who(one, teams), _points(one)) for one in page])
        elif there:
            who = (
                tag("li", tag("b", _who(one, teams)), tag("span", _points(one))) for one in there
            )
            yield together(tag("h2", heading), tag("ul", *who, class_="ba-podium"))


def _who(line: FinalLine, teams: Mapping[str, str]) -> str:
    bot = line.entrant.bot
    team = teams.get(bot, bot)
    return bot if team == bot else f"{team} · {bot}"


def _points(line: FinalLine) -> str:
    points = event_tables.points_text(line.points)
    if line.margin is None:
        return f"{points} {'point' if points == '1' else 'points'}"
    return f"{points} ± {event_tables.points_text(line.margin)}"


def _table(caption: str, rows: Sequence[tuple[str, str, str]]) -> Html:
    """Return a table of places, names and points."""
    lines = (row_of(number(place), name, number(points)) for place, name, points in rows)
    return together(tag("h2", caption), table_of(caption, "", lines))
