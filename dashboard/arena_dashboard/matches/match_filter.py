"""The filters of the list of matches, kept in the URL."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from urllib.parse import urlencode
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from arena.games import GAMES
from arena.server.results.match_finding import REPLAYED
from arena.server.results.match_search import COMPARED, MatchFilter
from arena.server.results.match_sort import Sort
from arena_dashboard.parts.url_choice import (
    shortened,
    to_url,
    url_choice,
    url_date,
    url_switch,
    warn_of_unknown,
)
from arena_dashboard.reading import data
from arena_dashboard.tournaments import tournament_data

SORTS = {
    Sort.NEWEST: "Newest",
    Sort.CLOSEST: "Closest",
    Sort.BOLDEST: "Boldest bluff",
}
MEANINGS = {
    Sort.CLOSEST: f"Fewest points between first and second, among the newest {COMPARED:,} that "
    "fit.",
    Sort.BOLDEST: f"By the largest false claim that nobody doubted, among the newest {REPLAYED} "
    "that fit.",
}
_SEATS = [str(number) for number in range(2, 11)]
_NAMES = (
    "bot",
    "opponent",
    "game",
    "seats",
    "tournament",
    "faults",
    "since",
    "until",
    "sort",
    "pairing",
)


@dataclass(frozen=True, slots=True)
class ChosenMatches:
    """The visitor's choice of matches."""

    wanted: MatchFilter
    sort: Sort
    filtered: bool
    """Whether there is any filter."""
    possible: bool
    """Whether all names in the URL exist; otherwise no match fits."""


def choose_matches() -> ChosenMatches:
    """Return the filters of the URL, and show the widgets that change them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        bot, bot_known = choose_bot("bot", "Bot")
        opponent, opponent_known = choose_bot("opponent", "Opponent")
        game, game_known = _choose("game", "Game", list(GAMES), "all games", _title)
        warn_of_unknown("sort", [one.value for one in Sort], "order")
        sort = url_choice("sort", [one.value for one in Sort], Sort.NEWEST.value)
        st.selectbox(
            "Order",
            [one.value for one in Sort],
            format_func=lambda value: SORTS[Sort(value)],
            key="sort",
            on_change=to_url("sort", "before"),
            width=160,
        )
    more = any(name in st.query_params for name in ("seats", "tournament", "faults", "since"))
    with (
        st.expander("More filters", expanded=more or "until" in st.query_params),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        seats, seats_known = _choose("seats", "Seats", _SEATS, "all sizes", str)
        tournament, tournament_known = _choose(
            "tournament", "Tournament", _tournaments(), "all tournaments", str
        )
        since, until = _date("since", "From"), _date("until", "To")
        faults = url_switch("faults")
        st.toggle("Only with faults", key="faults", on_change=to_url("faults", "before"))
    wanted = MatchFilter(
        bot=bot,
        opponent=opponent,
        game=game,
        seats=int(seats) if seats else None,
        tournament=tournament,
        pairing=_pairing(tournament),
        faults=faults,
        since=_midnight(since) if since else None,
        until=_midnight(until + timedelta(days=1)) if until else None,
    )
    return ChosenMatches(
        wanted,
        Sort(sort),
        wanted != MatchFilter(),
        all((bot_known, opponent_known, game_known, seats_known, tournament_known)),
    )


def bot_of_url(name: str) -> str | None:
    """Return the bot that the URL names; warn and return None if there is no such bot."""
    asked = st.query_params.get(name)
    known = data.bot_named(asked) if asked else None
    if asked and known is None:
        st.warning(f"There is no bot “{shortened(asked)}”.")
    return known


def choose_bot(
    name: str, label: str, forget: str = "before", placeholder: str = "all bots"
) -> tuple[str | None, bool]:
    """Show a widget that chooses a bot; return the URL's bot and whether it is valid.

    The second value is False if the URL names a bot that does not exist. Another choice removes
    `forget` from the URL.
    """
    asked = st.query_params.get(name)
    known = bot_of_url(name)
    suggested = data.some_bots()
    st.session_state[name] = known
    st.selectbox(
        label,
        suggested if known is None or known in suggested else [known, *suggested],
        index=None,
        placeholder=placeholder,
        key=name,
        accept_new_options=True,
        on_change=to_url(name, forget),
        width=200,
    )
    return known, not asked or known is not None


def link(**more: str) -> str:
    """Return the address of the list with the URL's filters; `more` adds to or replaces them."""
    kept = {name: st.query_params[name] for name in _NAMES if name in st.query_params}
    return "matches?" + urlencode(kept | more)


def _choose(
    name: str, label: str, options: list[str], placeholder: str, in_words: Callable[[str], str]
) -> tuple[str | None, bool]:
    unknown = warn_of_unknown(name, options, label.lower())
    chosen = url_choice(name, options)
    st.selectbox(
        label,
        options,
        index=None,
        format_func=in_words,
        placeholder=placeholder,
        key=name,
        on_change=to_url(name, "before", "pairing"),
        width=170,
    )
    return chosen, not unknown


def _title(game: str) -> str:
    return GAMES[game].title


def _tournaments() -> list[str]:
    names = tournament_data.tournament_names()
    asked = st.query_params.get("tournament")
    if asked and asked not in names and tournament_data.exists(asked):
        return [asked, *names]
    return names


def _date(name: str, label: str) -> date | None:
    chosen = url_date(name)
    st.date_input(
        label,
        key=name,
        on_change=to_url(name, "before"),
        width=150,
        help=f"A day in your time zone ({_zone()}), as in the list of matches.",
    )
    return chosen


def _midnight(day: date) -> datetime:
    """Return the start of a day in the visitor's time zone, in which the list shows times."""
    return datetime.combine(day, time(), _zone())


def _zone() -> tzinfo:
    """Return the time zone of the visitor's browser; UTC if it is unknown."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def _pairing(tournament: str | None) -> tuple[int, int] | None:
    """Return round and table of the tournament, in the URL as "2.1"; None without a valid pair."""
    number, dot, table = st.query_params.get("pairing", "").partition(".")
    if dot and number.isdecimal() and table.isdecimal() and len(number) + len(table) < 9:
        if tournament:
            return int(number), int(table)
        st.warning("A round and table need a tournament: choose one, too.")
    elif "pairing" in st.query_params:
        pairing = shortened(st.query_params["pairing"])
        st.warning(f"“{pairing}” is not a round and table such as 2.1.")
    return None
