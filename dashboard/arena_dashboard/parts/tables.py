"""The list of matches as an HTML table for all screen sizes; pure functions."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from arena.database.rows import MatchRow, SeatRow
from arena.games import GAMES
from arena.moments import in_utc, iso_utc
from arena.server.results.bluffing import Bluffing, off_in_words
from arena_dashboard.parts.markup import Html, badge, faint, table_of, tag, unfolding
from arena_dashboard.parts.rows import cell, heads, row_of


def matches(rows: Iterable[MatchRow], bluffs: Mapping[str, Bluffing] | None = None) -> Html:
    """Return a page of the list of matches; with `bluffs` by match, each with its boldest bluff."""
    lines = (_match(row, (bluffs or {}).get(row.match_id)) for row in rows)
    return table_of("Matches", heads("Ended", "Game", "Placings", ""), lines, "ba-matches")


def time_of(moment: datetime) -> Html:
    """Return a moment, which the browser writes in the visitor's zone."""
    return tag("time", in_utc(moment), datetime=iso_utc(moment))


def replay_link(match_id: str, step: int | None = None, view: str = "") -> str:
    """Return the address of a replay, at a step and from a viewpoint."""
    at: dict[str, str | int] = {} if step is None else {"step": step}
    return "replay?" + urlencode({"match": match_id} | at | ({"view": view} if view else {}))


def bot_link(bot: str) -> str:
    """Return the address of a bot's page."""
    return "bot?" + urlencode({"bot": bot})


def to_bot(bot: str, **more: str | None) -> Html:
    """Return a bot's name as a link to its page; `more` are attributes of the link."""
    return tag("a", bot, href=bot_link(bot), **more)


def _match(row: MatchRow, bluffing: Bluffing | None) -> Html:
    seats = sorted(enumerate(row.seats), key=lambda one: (one[1].placing, one[0]))
    ended = in_utc(row.finished_at)
    time = time_in_words(row.time_control.name)
    return row_of(
        cell(time_of(row.finished_at), class_="ba-faint"),
        cell(
            GAMES[row.game].title if row.game in GAMES else row.game,
            tag("div", options(row.options.items()), class_="ba-faint") if row.options else "",
            tag("div", time, class_="ba-faint") if time else "",
        ),
        cell(
            tag("ol", *(_placed(seat) for _, seat in seats), class_="ba-placings"),
            *_remarks(row),
            _boldest(row, bluffing),
        ),
        tag(
            "a",
            "Replay",
            href=replay_link(row.match_id),
            aria_label=f"Replay of the match of {ended}",
        ),
    )


_NOT_RATED_YET = (
    "It counts for the ratings once its block is complete: the same bots in every rotation of the "
    "seats."
)


def _boldest(row: MatchRow, bluffing: Bluffing | None) -> Html:
    claim = None if bluffing is None else bluffing.boldest
    if bluffing is None or claim is None:
        return Html("")
    return tag(
        "div",
        tag("a", "Boldest bluff", href=replay_link(row.match_id, claim.step)),
        f": {bluffing.entrants[claim.seat].bot}, {off_in_words(row.game, claim.off)}, "
        "and nobody doubted.",
        class_="ba-faint",
    )


def _placed(seat: SeatRow) -> Html:
    trouble = []
    if seat.forfeited:
        trouble.append(badge("forfeit", "bad"))
    elif seat.faults:
        trouble.append(badge("1 fault" if seat.faults == 1 else f"{seat.faults} faults", "warn"))
    return tag(
        "li",
        faint(f"{seat.placing}."),
        "\N{NO-BREAK SPACE}",
        tag("a", tag("b", seat.bot) if seat.placing == 1 else seat.bot, href=bot_link(seat.bot)),
        " ",
        faint(f"v{seat.version}"),
        *trouble,
    )


def _remarks(row: MatchRow) -> Iterable[Html]:
    if row.voided:
        yield unfolding("void", "Its block is void; it does not count.", "bad")
    elif row.unrated:
        yield unfolding("unrated", unrated_in_words(row))
    elif not row.rated:
        yield unfolding("not rated yet", _NOT_RATED_YET)


def unrated_in_words(row: MatchRow) -> str:
    """Return why a match counts for no rating."""
    played_for = "a challenge" if row.casual else "an unrated tournament"
    return f"It was played for {played_for} and counts for no rating."


def options(changed: Iterable[tuple[str, Any]]) -> str:
    """Options in words; "" for the defaults."""
    return ", ".join(
        name.replace("_", " ")
        if value is True
        else f"no {name.replace('_', ' ')}"
        if value is False
        else f"{name.replace('_', ' ')} {value}"
        for name, value in changed
    )


def time_in_words(name: str) -> str:
    """Return a time control in words, from its name; "" for the default."""
    if not name:
        return ""
    turn, bank = (part.partition("=")[2] for part in name.split(","))
    return f"{turn} a turn, {bank} in the bank"
