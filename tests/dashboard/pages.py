"""Opening a page as Streamlit would, and what it then shows."""

import json
import zlib
from itertools import accumulate
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from arena_dashboard.player.component import KEY, component_name

APP = Path(__file__).parents[2] / "dashboard" / "arena_dashboard" / "streamlit_app.py"


def open_page(name: str, /, **query: str) -> AppTest:
    """The page of that name, with a query string."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    if name != "home":
        if "_" in name:  # its address is not the file's name, which only a run finds out
            app.run()
        app.switch_page(f"views/{name}.py")
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def html(app: AppTest) -> str:
    """All HTML of the page's own, without the style sheet."""
    bodies = [element.proto.body for element in app.get("html")]  # type: ignore[attr-defined]
    return "\n".join(body for body in bodies if "<style" not in body)


def player_bytes(app: AppTest) -> bytes:
    """What the page sends to the player."""
    name = component_name(KEY)
    protos = [element.proto for element in app.get("bidi_component")]  # type: ignore[attr-defined]
    (sent,) = [proto.bytes for proto in protos if proto.component_name == name]
    assert isinstance(sent, bytes)
    return sent


def unpacked(sent: bytes) -> dict[str, Any]:
    """What the player makes of what it got."""
    content: dict[str, Any] = json.loads(zlib.decompress(sent))
    content["frames"] = list(accumulate(content["frames"], merged))
    return content


def merged(before: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return before | {
        key: merged(before[key], value)
        if isinstance(value, dict) and isinstance(before[key], dict)
        else value
        for key, value in changes.items()
    }


def texts(app: AppTest) -> str:
    """Titles and remarks of the page."""
    kinds = (app.title, app.info, app.warning, app.error, app.caption, app.markdown)
    return "\n".join(element.value for kind in kinds for element in kind)


def component(app: AppTest, name: str) -> Any:
    """The data of a component of `arena_dashboard.browser`; None if it is not on the page."""
    for element in app.get("bidi_component"):
        proto = element.proto  # type: ignore[attr-defined]
        if proto.component_name == f"arena_{name}":
            data = json.loads(proto.json)
            return data[0] if isinstance(data, list) else data
    return None


def ladder_bots(app: AppTest) -> list[str]:
    """The bots of the leaderboard's table, in its order."""
    return [row[4] for row in component(app, "ladder")["rows"]]
