"""What runs in the visitor's browser: JavaScript files of this folder, mounted as components.

shell        links that do not reload the app, local and relative times, the theme switch
news         waits for news while the tab is visible
pulse        has a part of a page run again every few seconds while the tab is visible
ladder       the table of a leaderboard
keep         lets this browser stay signed in

What a component gets is a list of one: in the values of a mapping Streamlit would look for data
frames, for which it imports pandas and pyarrow, 70 MB.
"""

import secrets
from base64 import b64encode
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from arena_dashboard.news import PULSE_SECONDS, news

__all__ = ["PULSE_SECONDS", "beat", "icon", "keep_current", "keep_signed_in", "ladder", "shell"]

HERE = Path(__file__).parent
# Under which a session's state holds its name for the news.
_PAGE = "news_of"


def _component(name: str) -> Any:
    # In the page's own tree, not in a shadow root: the style sheet of the pages applies.
    script = (HERE / f"{name}.js").read_text()
    return st.components.v2.component(f"arena_{name}", js=script, isolate_styles=False)


_shell, _pulse, _news, _ladder, _keep = map(
    _component, ("shell", "pulse", "news", "ladder", "keep")
)


@cache
def icon() -> str:
    """Return the icon of all pages.

    As a URL of its own, it is not opened as a picture in every run.
    """
    return "data:image/png;base64," + b64encode((HERE.parent / "icon.png").read_bytes()).decode()


def shell(paths: Sequence[str]) -> None:
    """Show what every page needs; `paths` are those of all pages."""
    _shell(key="shell", data=[{"paths": list(paths)}], height="content")


def ladder(data: Mapping[str, Any], key: str) -> None:
    """Show the table of a leaderboard, from `ladder_table.content`."""
    _ladder(key=key, data=[data])


def keep_signed_in(ticket: str) -> None:
    """Has the browser keep what a ticket of `kept_sign_in` is for."""
    _keep(key="keep", data=[{"ticket": ticket}], height="content")


def keep_current(
    topic: Hashable,
    shown: Hashable,
    latest: Callable[[], Hashable],
    seconds: float | None = None,
) -> None:
    """Run the page, or the fragment around it, again when `latest` is no longer `shown`.

    Only while the tab is visible. `latest` may raise StorageError, and is the same for all pages on
    this topic; it is asked for every few `seconds`, by default PULSE_SECONDS.
    """
    page = st.session_state.setdefault(_PAGE, secrets.token_urlsafe(16))
    news().shows(page, topic, shown, latest, seconds)
    _news(key="news", data={"page": page}, on_beat_change=_nothing)


def beat(key: str, seconds: float) -> None:
    """Run the fragment around it again after so many seconds, while the tab is visible."""
    _pulse(key=key, data={"seconds": seconds}, on_beat_change=_nothing)


def _nothing() -> None:
    """Do nothing: a component sends a trigger only if somebody listens."""
