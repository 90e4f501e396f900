"""Choices that live in the URL, by the ids that everything else uses, so that a page is a link.

The URL is the truth: a widget shows what it says, and changes it. (Streamlit's own binding writes
a choice's label into the URL, and labels are for people.)
"""

from collections.abc import Callable, Sequence

import streamlit as st


def url_choice(name: str, options: Sequence[str], default: str | None = None) -> str | None:
    """What the URL says of `name`, or `default`; the widget with that key will show it."""
    chosen = st.query_params.get(name)
    st.session_state[name] = chosen if chosen in options else default
    value: str | None = st.session_state[name]
    return value


def to_url(name: str, *forget: str) -> Callable[[], None]:
    """A callback that writes the widget's choice into the URL, and takes `forget` out of it."""

    def write() -> None:
        for other in forget:
            st.query_params.pop(other, None)
        chosen = st.session_state[name]
        if chosen is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = chosen

    return write
