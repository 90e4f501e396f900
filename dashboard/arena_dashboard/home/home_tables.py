"""Pure functions that render the page "Home" as HTML."""

from collections.abc import Sequence

from arena.clients.spectating import RefereeActivity
from arena.rating.ladder_id import LadderId
from arena.server.boards.live_board import Leaderboard
from arena.server.tournaments.tournament import Tournament
from arena_dashboard.home.home_data import MatchesOfTheDay
from arena_dashboard.ladders import ladder_choice
from arena_dashboard.parts import tables
from arena_dashboard.parts.markup import Html, table_of, tag
from arena_dashboard.parts.rows import number, row_of
from arena_dashboard.tournaments import tournament_tables

TOP = 3
"""The most bots shown of a ladder."""


def welcome(documented: bool) -> Html:
    """Return a paragraph that explains the arena; if `documented`, it links the documentation."""
    return tag(
        "p",
        "Programs play games of bluff against each other: dice or cards are hidden, a claim may be "
        "a lie, and a doubt shows the truth. Watch a match, ",
        tag("a", "play against them", href="play"),
        ", or ",
        tag("a", "submit a bot", href="submit"),
        " of your own.",
        *((" Everything is in the ", tag("a", "documentation", href="docs/"), ".") * documented),
        class_="ba-said",
    )


def now(matches_a_second: float | None, activity: RefereeActivity | None, known: bool) -> Html:
    """Return the figures of current play; `known` tells whether these pages know a referee."""
    figures = []
    if matches_a_second is not None:
        figures.append(_figure(_rate(matches_a_second), "matches a second"))
    if activity is not None:
        bots = activity.connected_bots
        figures.append(_figure(f"{bots:,}", "bot online" if bots == 1 else "bots online"))
        if activity.running_matches:
            figures.append(_figure(f"{activity.running_matches:,}", "being played"))
        if activity.watch_delay_ms:
            figures.append(tag("span", f"shown {activity.watch_delay_ms / 1000:g} s later"))
    if known:
        words = "The referee is up" if activity is not None else "The referee does not answer"
        light = "ba-up" if activity is not None else "ba-down"
        figures.append(tag("span", words, class_=f"ba-light {light}"))
    return tag("p", *figures, class_="ba-now", role="status")


def ladders(found: Sequence[tuple[LadderId, Leaderboard]]) -> Html:
    """Return the top of each ladder."""
    return tag("div", *(_top(ladder, board) for ladder, board in found), class_="ba-cards")


def matches_of_the_day(found: MatchesOfTheDay) -> Html:
    """Return the tables of the boldest bluffs and of the closest matches."""
    of = "of the day" if found.today else "of the latest matches"
    parts = []
    for title, rows in ((f"Boldest bluffs {of}", found.boldest), (f"Closest {of}", found.closest)):
        if rows:
            bluffs = found.bluffs if rows is found.boldest else None
            parts.append(tag("section", tag("h3", title), tables.matches(rows, bluffs)))
    return tag("div", *parts, class_="ba-pair")


def tournaments(found: Sequence[Tournament]) -> Html:
    """Return the list of running tournaments."""
    lines = (
        tag(
            "li",
            tag("a", one.name, href=tournament_tables.tournament_link(one.name)),
            tag("div", tournament_tables.in_words(one), class_="ba-faint"),
        )
        for one in found
    )
    return tag("ul", *lines, class_="ba-list")


def _figure(number: str, words: str) -> Html:
    return tag("span", tag("b", number), f" {words}")


def _rate(a_second: float) -> str:
    return f"{a_second:,.0f}" if a_second >= 10 else f"{a_second:.1f}"


def _top(ladder: LadderId, board: Leaderboard) -> Html:
    title = ladder_choice.in_words(ladder)
    best = (
        row_of(f"{line.rank}.", tables.to_bot(line.bot), number(f"{line.elo:.0f}"))
        for line in board.ranked[:TOP]
    )
    return tag(
        "section",
        tag("h3", tag("a", title, href=ladder_choice.link("leaderboard", ladder))),
        table_of(f"Rank, bot and Elo of the best: {title}", "", best),
        tag("p", f"{board.matches:,} matches · {len(board.ranked):,} bots", class_="ba-faint"),
    )
