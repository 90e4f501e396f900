"""The Streamlit components of the player and of the table at which a person plays."""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

KEY: Final = "player"
ASSETS: Final = Path(__file__).parent / "assets"
_PROJECT: Final = "bluff-arena"
_SCRIPTS: Final = {KEY: "main.js", "person": "person.js"}
"""The module that the browser loads first, by component."""


def show(content: bytes, asked: Callable[[dict[str, str]], None]) -> None:
    """Mount the player on `content`, from `frames.packed`.

    `asked` is called before the next run with the match, step and view that the visitor chose,
    when that needs other content.
    """

    def go() -> None:
        asked(st.session_state[KEY]["go"])

    registered(KEY)(key=KEY, data=content, on_go_change=go)


LIVE: Final = "live"


def show_live(content: bytes, asked: Callable[[dict[str, Any]], None]) -> None:
    """Mount the player on a running match, which may grow.

    `asked` is called before the next run with the match that the visitor sees, how many of its
    moments the player has, and whether it was seen to its end.
    """

    def more() -> None:
        asked(st.session_state[LIVE]["more"])

    registered(KEY)(key=LIVE, data=content, on_more_change=more)


def component_name(key: str) -> str:
    """Return the name of the component `key`, which is part of the addresses of its files.

    It changes with the files' content, so that browsers may keep the files for good.
    """
    return f"{_PROJECT}.{key}-{_edition()}"


def scripts() -> list[str]:
    """Return the addresses of the player's modules, relative to the root of the dashboard."""
    of_others = ("person", "types")
    found = sorted(file.relative_to(ASSETS) for file in ASSETS.rglob("*.js"))
    return [_address(one) for one in found if not one.name.startswith(of_others)]


def style_sheet() -> str:
    """Return the address of the player's style sheet, relative to the root of the dashboard."""
    return _address(Path(f"{KEY}.css"))


def _address(file: Path) -> str:
    return f"_stcore/bidi-components/{component_name(KEY)}/{file.as_posix()}"


@cache
def _edition() -> str:
    digest = sha256()
    for file in sorted(path for path in ASSETS.rglob("*") if path.is_file()):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def register() -> None:
    """Register the components' files with the server.

    Browsers request them before a page mounts a component.
    """
    # Streamlit finds the folder of a component through the pyproject.toml of a distribution whose
    # package has the distribution's name, which is not the case here. With a folder, the browser
    # can load modules from files, once.
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(component_name(KEY)) is None:
        manifest = ComponentManifest(
            _PROJECT,
            _edition(),
            [ComponentConfig(f"{one}-{_edition()}", asset_dir="assets") for one in _SCRIPTS],
        )
        manager.register_from_manifest(manifest, Path(__file__).parent)


def registered(key: str) -> Any:
    """Return the component `key` of this folder, ready to be mounted."""
    register()
    name = component_name(key)
    return st.components.v2.component(name, js=_SCRIPTS[key], css=f"{key}.css")
