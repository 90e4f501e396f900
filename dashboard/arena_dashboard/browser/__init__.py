"""JavaScript that runs in the visitor's browser: files of this folder, mounted as components.

shell        links that do not reload the app, local and relative times, the theme switch
news         waits for news while the tab is visible
pulse        makes a part of a page run again every few seconds while the tab is visible
ladder       the table of a leaderboard
keep         makes this browser stay signed in
projector    the clock and the results of an event on a projector

Nested data of a component is a list of one item. In a mapping with lists or mappings as values,
Streamlit would look for data frames, and for that import pandas and pyarrow (70 MB).
"""

import secrets
from base64 import b64encode
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from arena.moments import milliseconds
from arena_dashboard.news.news import PULSE_SECONDS, news

__all__ = [
    "PULSE_SECONDS",
    "beat",
    "evening",
    "icon",
    "keep_current",
    "keep_signed_in",
    "ladder",
    "shell",
]

HERE = Path(__file__).parent
# The key, in a session's state, of the page's random name in `news`.
_PAGE = "news_of"


def _component(name: str) -> Any:
    # Mounted in the page's own tree, not in a shadow root, so that the pages' style sheet applies.
    script = (HERE / f"{name}.js").read_text()
    return st.components.v2.component(f"arena_{name}", js=script, isolate_styles=False)


_shell, _pulse, _news, _ladder, _keep, _projector = map(
    _component, ("shell", "pulse", "news", "ladder", "keep", "projector")
)


@cache
def icon() -> str:
    """Return the icon of all pages as a data URL, which Streamlit does not open as a picture."""
    return "data:image/png;base64," + b64encode((HERE.parent / "icon.png").read_bytes()).decode()


def shell(paths: Sequence[str]) -> None:
    """Mount the component that every page needs; `paths` are the paths of all pages."""
    _shell(key="shell", data=[{"paths": list(paths)}], height="content")


def ladder(data: Mapping[str, Any], key: str) -> None:
    """Mount the table of a leaderboard; `data` is the result of `ladder_table.content`."""
    _ladder(key=key, data=[data])


def evening(now: datetime) -> None:
    """Mount the clock and the result screens of a projector; `now` is the database's time."""
    _projector(key="projector", data=[{"now": milliseconds(now)}], height="content")


def keep_signed_in(ticket: str) -> None:
    """Make the browser redeem a ticket of `kept_sign_in` and so keep or drop its sign-in."""
    _keep(key="keep", data=[{"ticket": ticket}], height="content")


def keep_current(
    topic: Hashable,
    shown: Hashable,
    latest: Callable[[], Hashable],
    seconds: float | None = None,
) -> None:
    """Run the page, or the fragment around it, again when `latest` no longer returns `shown`.

    That happens only while the tab is visible. `latest` may raise StorageError, returns the same
    value for all pages on this topic, and is called every `seconds`, by default PULSE_SECONDS.
    """
    page = st.session_state.setdefault(_PAGE, secrets.token_urlsafe(16))
    news().shows(page, topic, shown, latest, seconds)
    _news(key="news", data={"page": page}, on_beat_change=_nothing)


def beat(key: str, seconds: float) -> None:
    """Run the fragment around the call again after `seconds`, while the tab is visible."""
    _pulse(key=key, data={"seconds": seconds}, on_beat_change=_nothing)


def _nothing() -> None:
    """Do nothing; a component sends a trigger only if it has a callback."""
