"""The HTML document of each page.

It is Streamlit's, with the page's title and a description for clients that run no scripts (previews
of shared links, search engines), and the style of all pages, so that what is shown first has its
final place at once.

Streamlit loads some modules only when an element first needs them. The document names those that
the page needs: browsers then load them right after the modules with which Streamlit itself begins,
instead of after the page's script has run.
"""

import re
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from arena_dashboard.owners.kept_sign_in import know_again
from arena_dashboard.player import component

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
    "events": "Events",
    "play": "Play",
    "submit": "Submit a bot",
    # For the signed-in owner; reached from "Submit a bot".
    "my-bots": "My bots",
    # For organisers; reached from "Events".
    "organise": "Organise",
    # For operators; reached from "My bots".
    "operate": "Operate",
    # About one match or one ladder; reached by links.
    "replay": "Replay",
    "event-match": "Match of an event",
    "head-to-head": "Head to head",
    "versus": "Two bots",
    "history": "History",
    # In a window of its own.
    "projector": "Projector",
}
"""The titles of the pages, by path. The script of each is in views/, the home page's is home.py."""
IN_MENU: Final = ("", "leaderboard", "bot", "matches", "tournaments", "events", "play", "submit")
"""The paths of the pages that the menu shows."""
NEEDED: Final = ("Html", "BidiComponent")
"""The modules of Streamlit that every page needs, by the beginning of their file names."""
_CHOOSING: Final = ("ButtonGroup", "Selectbox")
NEEDED_BY: Final[dict[str, tuple[str, ...]]] = {
    "leaderboard": _CHOOSING,
    "head-to-head": _CHOOSING,
    "history": (*_CHOOSING, "Multiselect", "Spinner", "ArrowVegaLiteChart"),
    "versus": _CHOOSING,
    "bot": ("TextInput",),
    "matches": ("Selectbox", "DateInput", "Checkbox"),
    "replay": ("DownloadButton",),
    "event-match": ("DownloadButton",),
    "events": ("Selectbox", "TextInput"),
    "organise": (*_CHOOSING, "TextInput", "Multiselect", "DownloadButton"),
    "operate": ("Selectbox", "TextInput"),
    "submit": ("StreamlitSyntaxHighlighter",),
}
"""The further modules that a page needs, by its path."""
STREAMLITS: Final = "<title>Streamlit</title>"
"""The text of Streamlit's HTML that the page's own head replaces."""
BASE: Final = '<script>window.__streamlit={BACKEND_BASE_URL:new URL(".",location).href}</script>'
"""A script that gives Streamlit's script the server's address: the folder of the page's address.

Without it, Streamlit's script asks below the page first, which costs a first visit two more
requests.
"""
_END: Final = "</head>"
"""The tag before which the page's further modules are named: named first, they would load first."""
_BODY: Final = "<body>"
"""The tag after which the style is inserted, so that Streamlit's later additions to the head do not
override it."""
_PACKAGE: Final = Path(__file__).parents[1]
_STYLE: Final = _PACKAGE / "style.css"
_PROJECTOR: Final = _PACKAGE / "projector.css"


@cache
def index_page(path: str) -> str:
    """Return the HTML of the page at a path of TITLES."""
    title = f"{TITLES[path]} · {NAME}"
    told = {"og:site_name": NAME, "og:title": title, "og:description": DESCRIPTION}
    head = [f"<title>{escape(title)}</title>", BASE, _meta("name", "description", DESCRIPTION)]
    head += [_meta("property", name, content) for name, content in told.items()]
    needed = [_preload("modulepreload", f"static/js/{name}") for name in modules(path)]
    if path in ("replay", "projector"):
        needed += [_preload("modulepreload", script) for script in component.scripts()]
        needed.append(_preload("preload", component.style_sheet(), kind="style"))
    html = streamlits_html().replace(STREAMLITS, "\n    ".join(head))
    html = html.replace(_END, "\n    ".join([*needed, _END]), 1)
    style = _STYLE.read_text() + (_PROJECTOR.read_text() if path == "projector" else "")
    return html.replace(_BODY, f"{_BODY}\n    <style>\n{style}</style>", 1)


@cache
def streamlits_html() -> str:
    """Return Streamlit's own HTML."""
    return (files("streamlit") / "static/index.html").read_text()


@cache
def modules(path: str) -> tuple[str, ...]:
    """Return the files of Streamlit's modules that the page at `path` needs, with their imports.

    Files that Streamlit's HTML already names are left out of the imports.
    """
    folder = files("streamlit") / "static/static/js"
    found = [
        file.name
        for module in (*NEEDED, *NEEDED_BY.get(path, ()))
        for file in folder.iterdir()
        if re.fullmatch(rf"{module}\.[^.]+\.js", file.name)
    ]
    for name in found:  # grows while it is iterated
        imported = re.findall(r'(?:from|import)"\./([^"]+\.js)"', (folder / name).read_text())
        found += [one for one in imported if one not in streamlits_html() and one not in found]
    return tuple(found)


def _preload(rel: str, address: str, kind: str = "script") -> str:
    crossorigin = " crossorigin" if kind == "script" else ""
    return f'<link rel="{rel}"{crossorigin} as="{kind}" fetchpriority="low" href="./{address}">'


def _meta(attribute: str, name: str, content: str) -> str:
    return f'<meta {attribute}="{name}" content="{escape(content)}" />'


async def _page(request: Request) -> HTMLResponse:
    path = request.url.path.removeprefix("/")
    response = HTMLResponse(index_page(path), headers={"Cache-Control": "no-cache"})
    know_again(request, response)
    return response


ROUTES: Final = tuple(Route(f"/{path}", _page) for path in TITLES)
