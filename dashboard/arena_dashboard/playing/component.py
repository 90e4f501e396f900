"""The Streamlit component of the table at which a person plays."""

from collections.abc import Callable
from typing import Final

from arena_dashboard.player.component import registered

KEY: Final = "person"


def show(key: str, asked: Callable[[], None]) -> None:
    """Mount the table of the person with this key.

    `asked` is called before the next run when the person wants to play again or to leave.
    """
    registered(KEY)(key=KEY, data={"key": key}, on_asked_change=asked)
