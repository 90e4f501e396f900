"""What runs in the visitor's browser: JavaScript files of this folder, mounted as components.

shell        links that do not reload the app, local and relative times, the theme switch
pulse        asks for news while the tab is visible
ladder       the table of a leaderboard
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import streamlit as st

from arena.storage.errors import StorageError

HERE = Path(__file__).parent
PULSE_SECONDS = 4.0
"""How often a visible page asks whether there is something new."""


def _component(name: str) -> Any:
    # In the page's own tree, not in a shadow root: the style sheet of the pages applies.
    script = (HERE / f"{name}.js").read_text()
    return st.components.v2.component(f"arena_{name}", js=script, isolate_styles=False)


_shell, _pulse, _ladder = (_component(name) for name in ("shell", "pulse", "ladder"))


def shell(paths: Sequence[str], description: str) -> None:
    """What every page needs; `paths` are those of all pages, `description` is of this one."""
    data = {"paths": list(paths), "description": description}
    _shell(key="shell", data=data, height="content")


def ladder(data: Mapping[str, Any], key: str) -> None:
    """The table of a leaderboard, from `ladder_table.content`."""
    _ladder(key=key, data=data)


@st.fragment
def keep_current(shown: Hashable, latest: Callable[[], Hashable]) -> None:
    """Runs the page again when `latest`, which may raise StorageError, is no longer `shown`.

    Only this fragment runs meanwhile, and only while the tab is visible.
    """
    said = _pulse(key="pulse", data={"seconds": PULSE_SECONDS}, on_beat_change=_nothing)
    if said.beat is None:
        return
    with suppress(StorageError):  # what is shown stays
        if latest() != shown:
            st.rerun()


def beat(key: str, seconds: float) -> None:
    """Runs the fragment around it again after so many seconds, while the tab is visible."""
    _pulse(key=key, data={"seconds": seconds}, on_beat_change=_nothing)


def _nothing() -> None:
    """A component sends a trigger only if somebody listens."""
