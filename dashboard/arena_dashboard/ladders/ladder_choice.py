"""The choice of a page's ladder, kept in the URL; the same on every page that shows a ladder.

Functions whose names end in `in_words` return texts for visitors.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from arena.games import GAMES
from arena.rating.ladder_id import LadderId
from arena.rating.methods import ScoreRule
from arena_dashboard.parts import tables
from arena_dashboard.parts.markup import tag
from arena_dashboard.parts.url_choice import to_url, url_choice, warn_of_unknown
from arena_dashboard.reading import data

_SCORES = {
    ScoreRule.PLACEMENT: "every placing",
    ScoreRule.WINNER: "only first place",
}

_WORDS = {
    "options": "variant",
    "time": "time control",
    "seats": "table of",
    "score": "score rule",
}


def choose_ladder() -> LadderId | None:
    """Show the widgets that choose a ladder; return the URL's, or the first by default.

    None before the first match.
    """
    found = data.ladders()
    if not found:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        game = choose("game", [one.game for one in found], lambda name: GAMES[name].title)
        found = [one for one in found if one.game == game]
        options = choose("options", [one.options for one in found], options_in_words)
        found = [one for one in found if one.options == options]
        time = choose("time", [str(one.time_control) for one in found], tables.time_in_words)
        found = [one for one in found if str(one.time_control) == time]
        sizes = {f"{one.seats[0]}-{one.seats[-1]}": one for one in found}
        ladder = sizes[choose("seats", sizes, lambda size: size_in_words(sizes[size].seats))]
        # With two seats both rules are the same.
        rules = list(ScoreRule) if ladder.seats != (2,) else [ScoreRule.PLACEMENT]
        score = choose("score", [rule.value for rule in rules], score_in_words)
    return replace(ladder, score=ScoreRule(score))


def choose(name: str, options: Iterable[str], in_words: Callable[[str], str]) -> str:
    """Show a choice among distinct options and return the chosen one, by default the first.

    If there is only one option, no widget is shown.
    """
    options = list(dict.fromkeys(options))
    if warn_of_unknown(name, options, _WORDS.get(name, name)):
        st.caption(f"Shown instead: {in_words(options[0])}.")
    if len(options) == 1:
        return options[0]
    chosen = url_choice(name, options, options[0])
    st.segmented_control(
        name.capitalize(),
        options,
        format_func=in_words,
        required=True,
        key=name,
        on_change=to_url(name),
    )
    return chosen or options[0]


_TABS = (("leaderboard", "Leaderboard"), ("head-to-head", "Head to head"), ("history", "History"))


def ladder_tabs(here: str, ladder: LadderId) -> None:
    """Show links to the pages about one ladder, as tabs; `here` is the current page's path."""
    st.html(
        tag(
            "nav",
            *(
                tag(
                    "a",
                    title,
                    href=link(page, ladder),
                    aria_current="page" if page == here else None,
                )
                for page, title in _TABS
            ),
            class_="ba-tabs",
            aria_label="About this ladder",
        )
    )


def query(ladder: LadderId) -> dict[str, str]:
    """Return the query parameters of a URL that choose the ladder."""
    chosen = {
        "game": ladder.game,
        "options": ladder.options,
        "seats": f"{ladder.seats[0]}-{ladder.seats[-1]}",
        "score": ladder.score.value,
    }
    return chosen | ({"time": ladder.time_control.name} if ladder.time_control.name else {})


def link(path: str, ladder: LadderId, /, **more: str) -> str:
    """Return the address of a page about the ladder; `more` are further query parameters."""
    return f"{path}?{urlencode(query(ladder) | more)}"


def in_words(ladder: LadderId) -> str:
    """Return a ladder in words.

    Examples: "Bluff, 2 seats", "Bluff (show and reroll), 3–4 seats, only first place".
    """
    variant = tables.options(json.loads(ladder.options).items())
    name = GAMES[ladder.game].title + (f" ({variant})" if variant else "")
    said = f"{name}, {size_in_words(ladder.seats)}"
    if ladder.time_control.name:
        said += f", {tables.time_in_words(ladder.time_control.name)}"
    return said if ladder.score is ScoreRule.PLACEMENT else f"{said}, {_SCORES[ladder.score]}"


def size_in_words(size: tuple[int, ...]) -> str:
    """Return table sizes in words, such as "2 seats" or "3–4 seats"."""
    return f"{size[0]} seats" if len(size) == 1 else f"{size[0]}–{size[-1]} seats"


def options_in_words(changed: str) -> str:
    """Return a variant in words, from its options as JSON."""
    return tables.options(json.loads(changed).items()) or "standard"


def score_in_words(rule: str) -> str:
    """Return a score rule in words."""
    return _SCORES[ScoreRule(rule)]
