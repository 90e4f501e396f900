"""The leaderboard and the list of matches as HTML tables for all screen sizes; pure functions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from arena.boards.board import BoardLine
from arena.boards.luck_adjusted import luck_source
from arena.games import GAMES
from arena.rating.flags import Flag
from arena.rating.luck_column import FEWEST_MATCHES
from arena.storage.rows import MatchRow, SeatRow
from arena_dashboard.markup import Html, badge, tag, together

_FLAGS: Mapping[Flag, tuple[str, str]] = {
    Flag.FEW_CLUSTERS: ("few matches", "Fewer than 20 blocks: the interval itself is uncertain."),
    Flag.PERFECT_SCORE: ("never lost", "Never lost a point: how far ahead it is, is unknown."),
    Flag.ZERO_SCORE: ("never won", "Never won a point: how far behind it is, is unknown."),
    Flag.SEPARATE_POOL: ("apart", "Never met the others: the distance to them is a guess."),
    Flag.ONE_SIDED: ("one-sided", "Its group only won or only lost against the rest."),
}

_ADJUSTED = (
    "Elo with the luck of the draws taken out, and half its 95 % interval. It does not affect "
    f"ranks. Shown from {FEWEST_MATCHES} matches on."
)


def leaderboard(lines: Sequence[BoardLine], game: str) -> Html:
    """A ladder, best first."""
    adjusted = any(line.luck_adjusted is not None for line in lines)
    heads = (
        ("Rank", "ba-number", None),
        ("Bot", "", None),
        ("Owner", "ba-wide", None),
        ("Elo", "ba-number", None),
        ("95 %", "ba-number ba-wide", "The 95 % confidence interval of the Elo."),
        *([("Luck-adjusted", "ba-number ba-wide", _ADJUSTED)] if adjusted else []),
        ("Matches", "ba-number", None),
        ("Win share", "ba-number", "First places by match; a shared one counts in part."),
        ("Mean place", "ba-number ba-wide", "1 is best; ties share the mean of their places."),
    )
    head = tag("tr", *(tag("th", t, class_=c or None, title=h, scope="col") for t, c, h in heads))
    rows = (_row(line, game, adjusted=adjusted) for line in lines)
    return _table("Leaderboard", head, rows)


def luck_note(lines: Sequence[BoardLine], game: str) -> str | None:
    """What the luck-adjusted column is, and what it gained; None where there is none."""
    luck = luck_source(game, [line.luck_adjusted for line in lines])
    return None if luck is None else luck.note()


def _row(line: BoardLine, game: str, *, adjusted: bool) -> Html:
    ranks = f"{line.rank_low}–{line.rank_high}" if line.rank_low < line.rank_high else ""
    low, high = line.interval
    interval = "anchor" if line.anchor else f"{low:.0f} – {high:.0f}"
    half = "" if line.anchor else f"±{(high - low) / 2:.0f}"
    luck = str(line.luck_adjusted or "")
    link = "matches?" + urlencode({"bot": line.bot, "game": game})
    marks = [badge("house", hint="One of the arena's own sample bots.")] if line.house else []
    marks += [badge(*_flag(flag)) for flag in sorted(line.flags)]
    return tag(
        "tr",
        tag(
            "td",
            str(line.rank),
            tag("small", ranks, title="Ranks that the results allow") if ranks else "",
            class_="ba-number ba-rank",
        ),
        tag(
            "td",
            tag("a", line.bot, href=link, class_="ba-name"),
            " ",
            tag("span", line.version, class_="ba-faint"),
            " ",
            *marks,
            tag("div", line.owner, class_="ba-faint ba-narrow"),
        ),
        tag("td", line.owner, class_="ba-wide"),
        tag(
            "td",
            tag("b", f"{line.elo:.0f}"),
            tag("small", half, class_="ba-narrow"),
            tag("small", f"luck-adj. {luck}", class_="ba-narrow") if luck else "",
            class_="ba-number",
        ),
        tag("td", interval, class_="ba-number ba-wide ba-faint"),
        tag("td", luck, class_="ba-number ba-wide ba-faint") if adjusted else "",
        tag("td", f"{line.matches:,}", class_="ba-number"),
        tag(
            "td",
            f"{line.win_share:.1%}",
            tag("small", f"place {line.mean_placing:.2f}", class_="ba-narrow"),
            class_="ba-number",
        ),
        tag("td", f"{line.mean_placing:.2f}", class_="ba-number ba-wide"),
    )


def _flag(flag: Flag) -> tuple[str, str, str]:
    text, hint = _FLAGS[flag]
    return text, "warn", hint


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
