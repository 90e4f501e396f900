"""The documentation site below `/docs/`, as `make docs` built it into the package.

An installed package brings it. Its scripts are allowed by their digests, like those of our pages.
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from arena.settings import SettingsError, read_settings
from arena_dashboard.owners.owners import address_for

BELOW: Final = "/docs"
FOLDER: Final = Path(__file__).parents[1] / "docs"
_MISSING: Final = "The documentation is not built here: in a checkout, `make docs` builds it.\n"
_RELATIVE: Final = re.compile(r"\]\((?!https?:)")
"""Matches the text before the target of a relative link in Markdown."""


@cache
def pages() -> str:
    """Return the HTML of all pages, one after the other; empty if the site is not built."""
    return "".join(path.read_text("utf-8") for path in FOLDER.rglob("*.html"))


def is_built() -> bool:
    """Return whether there is a site to serve."""
    return (FOLDER / "index.html").is_file()


async def _first_page(_request: Request) -> Response:
    # Relative, as a proxy may serve the pages below a path of its own.
    return RedirectResponse("docs/")


async def _all_in_one(_request: Request) -> Response:
    # Programs look for it beside llms.txt; its links are relative to the pages.
    return RedirectResponse("docs/llms-full.txt")


async def _for_programs(request: Request) -> Response:
    """Answer with the list of pages, and where this arena is reached."""
    listing = FOLDER / "llms.txt"
    if not listing.is_file():
        return PlainTextResponse(_MISSING, 404)
    pages_at = str(request.base_url).rstrip("/")
    try:
        referee = f"- `ARENA_ADDRESS={address_for(pages_at, read_settings())}`\n"
    except SettingsError:  # the operator reads it in the log
        referee = ""
    title, _, rest = listing.read_text("utf-8").partition("\n")
    # Absolute: after a redirect a program may not know what the links are relative to.
    listed = _RELATIVE.sub(f"]({pages_at}{BELOW}/", rest)
    return PlainTextResponse(
        f"{title}\n\nThis arena:\n\n- `ARENA_DASHBOARD={pages_at}`\n{referee}{listed}",
        media_type="text/markdown",
    )


async def _served(scope: Scope, receive: Receive, send: Send) -> None:
    if is_built():
        await StaticFiles(directory=FOLDER, html=True)(scope, receive, send)
    else:
        await PlainTextResponse(_MISSING, 404)(scope, receive, send)


ROUTES: Final[tuple[BaseRoute, ...]] = (
    Route(BELOW, _first_page),
    Route("/llms.txt", _for_programs),
    Route(f"{BELOW}/llms.txt", _for_programs),
    Route("/llms-full.txt", _all_in_one),
    Mount(BELOW, app=_served),
)
