"""The HTML with which every page begins, for those who run no scripts: previews of shared links,
search engines. It is Streamlit's, with the page's title and a description.

What Streamlit loads when an element first needs it, and every page of ours needs, is named there,
too: browsers then load it beside the rest, instead of after the page's script has run.
"""

import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

NAME: Final = "Bluff Arena"
DESCRIPTION: Final = (
    "Bots that bluff: live ratings with intervals, tournaments, and replays of every lie."
)
TITLES: Final = {
    "": "Home",
    "leaderboard": "Leaderboard",
    "bot": "Bots",
    "matches": "Matches",
    "tournaments": "Tournaments",
    "play": "Play",
    "submit": "Submit a bot",
    "my-bots": "My bots",
    "replay": "Replay",
    "head-to-head": "Head to head",
    "versus": "Two bots",
    "history": "History",
}
"""The titles of the pages, by path."""
NEEDED: Final = ("Html", "BidiComponent")
"""Modules of Streamlit that every page needs, by the beginning of their file's name."""
STREAMLITS: Final = "<title>Streamlit</title>"
"""What is replaced in Streamlit's HTML."""


@cache
def index_page(path: str) -> str:
    """The HTML of the page at a path of TITLES."""
    title = f"{TITLES[path]} · {NAME}"
    told = {"og:site_name": NAME, "og:title": title, "og:description": DESCRIPTION}
    head = [f"<title>{escape(title)}</title>", _meta("name", "description", DESCRIPTION)]
    head += [_meta("property", name, content) for name, content in told.items()]
    head += [
        f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in modules()
    ]
    return streamlits_html().replace(STREAMLITS, "\n    ".join(head))


@cache
def streamlits_html() -> str:
    """Streamlit's own HTML."""
    return (files("streamlit") / "static/index.html").read_text()


@cache
def modules() -> tuple[str, ...]:
    """The files of the needed modules, and those that they import; without those that the HTML
    names already."""
    folder = files("streamlit") / "static/static/js"
    found = [
        file.name
        for module in NEEDED
        for file in folder.iterdir()
        if re.fullmatch(rf"{module}\.[^.]+\.js", file.name)
    ]
    for name in found:  # grows meanwhile
        imported = re.findall(r'(?:from|import)"\./([^"]+\.js)"', (folder / name).read_text())
        found += [one for one in imported if one not in streamlits_html() and one not in found]
    return tuple(found)


def _meta(attribute: str, name: str, content: str) -> str:
    return f'<meta {attribute}="{name}" content="{escape(content)}" />'


async def _page(request: Request) -> HTMLResponse:
    path = request.url.path.removeprefix("/")
    return HTMLResponse(index_page(path), headers={"Cache-Control": "no-cache"})


ROUTES: Final = tuple(Route(f"/{path}", _page) for path in TITLES)
