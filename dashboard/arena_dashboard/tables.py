"""The list of matches as an HTML table for all screen sizes; pure functions."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from arena.games import GAMES
from arena.storage.rows import MatchRow, SeatRow
from arena_dashboard.markup import Html, badge, tag, together


def matches(rows: Iterable[MatchRow]) -> Html:
    """A page of the list of matches."""
    heads = (("Ended (UTC)", ""), ("Game", ""), ("Placings", ""), ("", ""))
    head = tag("tr", *(tag("th", text, scope="col") for text, _ in heads))
    return _table("Matches, newest first", head, (_match(row) for row in rows), "ba-matches")


def _match(row: MatchRow) -> Html:
    seats = sorted(enumerate(row.seats), key=lambda one: (one[1].placing, one[0]))
    ended = row.finished_at.strftime("%Y-%m-%d %H:%M:%S")
    replay = "replay?" + urlencode({"match": row.match_id})
    return tag(
        "tr",
        tag("td", tag("time", ended, datetime=row.finished_at.isoformat()), class_="ba-faint"),
        tag(
            "td",
            GAMES[row.game].title if row.game in GAMES else row.game,
            tag("div", options(row.options.items()), class_="ba-faint") if row.options else "",
        ),
        tag(
            "td",
            tag("ol", *(_placed(seat) for _, seat in seats), class_="ba-placings"),
            *_remarks(row),
        ),
        tag("td", tag("a", "Replay", href=replay, aria_label=f"Replay of the match of {ended}")),
    )


def _placed(seat: SeatRow) -> Html:
    trouble = []
    if seat.forfeited:
        trouble.append(badge("forfeit", "bad"))
    elif seat.faults:
        trouble.append(badge("1 fault" if seat.faults == 1 else f"{seat.faults} faults", "warn"))
    return tag(
        "li",
        tag("span", f"{seat.placing}.", class_="ba-faint"),
        " ",
        tag("b" if seat.placing == 1 else "span", seat.bot),
        " ",
        tag("span", seat.version, class_="ba-faint"),
        *trouble,
    )


def _remarks(row: MatchRow) -> Iterable[Html]:
    if row.voided:
        yield badge("void", "bad", "Its block is void; it does not count.")
    elif not row.rated:
        yield badge("not counted", hint="It counts once its block of seat rotations is complete.")


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


def _table(caption: str, head: Html, rows: Iterable[Html], more: str = "") -> Html:
    return tag(
        "table",
        tag("caption", caption, class_="ba-unseen"),
        tag("thead", head),
        tag("tbody", together(*rows)),
        class_=f"ba-table {more}".strip(),
    )
