"""The player as a Streamlit component."""

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

KEY: Final = "player"
_PROJECT: Final = "bluff-arena"
NAME: Final = f"{_PROJECT}.{KEY}"


def show(content: bytes, asked: Callable[[dict[str, str]], None]) -> None:
    """Mount the player on `content`, from `frames.packed`.

    `asked` is called before the next run with the match, step and view that the visitor chose,
    when that needs other content.
    """

    def go() -> None:
        asked(st.session_state[KEY]["go"])

    _registered()(key=KEY, data=content, on_go_change=go)


LIVE: Final = "live"


def show_live(content: bytes, asked: Callable[[dict[str, Any]], None]) -> None:
    """Mount the player on a running match, which may grow.

    `asked` is called before the next run with the match that the visitor sees, how many of its
    moments the player has, and whether it was seen to its end.
    """

    def more() -> None:
        asked(st.session_state[LIVE]["more"])

    _registered()(key=LIVE, data=content, on_more_change=more)


def _registered() -> Any:
    # Streamlit finds the folder of a component through the pyproject.toml of a distribution whose
    # package has the distribution's name, which ours has not. A folder is what lets the browser
    # load modules from files, once.
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(NAME) is None:
        manifest = ComponentManifest(
            _PROJECT, version(_PROJECT), [ComponentConfig(KEY, asset_dir="assets")]
        )
        manager.register_from_manifest(manifest, Path(__file__).parent)
    return st.components.v2.component(NAME, js="main.js", css="player.css")
