"""Choices kept in the URL, by their ids, so that the state of a page is a link.

Widgets show the URL's values and change them. (Streamlit's own binding writes a choice's label into
the URL instead of its id.)
"""

from collections.abc import Callable, Sequence
from datetime import date

import streamlit as st

from arena_dashboard.parts.markup import in_markdown

LONGEST = 60


def url_choice(name: str, options: Sequence[str], default: str | None = None) -> str | None:
    """Return the URL's value of `name`, or `default`; the widget with that key will show it."""
    chosen = st.query_params.get(name)
    st.session_state[name] = chosen if chosen in options else default
    value: str | None = st.session_state[name]
    return value


def warn_of_unknown(name: str, options: Sequence[str], what: str) -> bool:
    """Warn and return True if the URL's value of `name` is no option; `what` is a word for one."""
    asked = st.query_params.get(name)
    if asked is None or asked in options:
        return False
    _warn(what, asked)
    return True


def _warn(what: str, asked: str) -> None:
    st.warning(f"There is no {what} “{shortened(asked)}” here.")


def shortened(text: str) -> str:
    """Return text of a URL, short and escaped: somebody else may have written the link."""
    return in_markdown(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def to_url(name: str, *forget: str) -> Callable[[], None]:
    """Return a callback that writes the widget's choice into the URL and drops `forget`."""

    def write() -> None:
        for other in forget:
            st.query_params.pop(other, None)
        chosen = st.session_state[name]
        if chosen is None or chosen is False:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = "1" if chosen is True else str(chosen)

    return write


def url_date(name: str) -> date | None:
    """Return the URL's date of `name`, as YYYY-MM-DD; the widget with that key will show it.

    Warns if the URL has something else.
    """
    asked = st.query_params.get(name, "")
    try:
        chosen = date.fromisoformat(asked)
    except ValueError:
        chosen = None
    if chosen == date.max:  # it has no end: there is no day after it
        chosen = None
    if asked and chosen is None:
        st.warning(f"“{shortened(asked)}” is not a date such as 2026-03-04.")
    st.session_state[name] = chosen
    return chosen


def url_switch(name: str) -> bool:
    """Return whether the URL has `name=1`; a widget with that key will show it.

    Warns if the URL has something else.
    """
    asked = st.query_params.get(name, "")
    if asked not in ("", "0", "1"):
        st.warning(f"“{shortened(asked)}” is neither 1 nor 0, the values of {name}.")
    chosen = asked == "1"
    st.session_state[name] = chosen
    return chosen


def url_choices(
    name: str, options: Sequence[str], default: Sequence[str], what: str, *, most: int
) -> list[str]:
    """Return the options in the URL, where they are comma-separated; `default` if it names none.

    Warns of names that are no option, and of more than `most` options, of which it returns the
    first; `what` is a word for an option.
    """
    said = st.query_params.get(name)
    asked = said.split(",") if said else []
    unknown = [one for one in asked if one not in options]
    if unknown:
        _warn(what, ", ".join(unknown))
    chosen = [option for option in options if option in asked]
    if len(chosen) > most:
        st.warning(f"At most {most} are shown at once: these are the first of {len(chosen)}.")
        del chosen[most:]
    # An empty value is a choice too; a value that names no option (another ladder's link) is not.
    st.session_state[name] = chosen if chosen or said == "" else list(default)
    return list(st.session_state[name])


def to_url_list(name: str) -> Callable[[], None]:
    """Return a callback that writes the widget's choices into the URL."""

    def write() -> None:
        st.query_params[name] = ",".join(st.session_state[name])

    return write
