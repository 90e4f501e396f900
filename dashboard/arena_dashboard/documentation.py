"""The documentation site below `/docs/`, as `make docs` built it into the folder `docs` here.

An installed package brings it. Its scripts are allowed by their digests, like those of our pages.
"""

from functools import cache
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

BELOW: Final = "/docs"
FOLDER: Final = Path(__file__).with_name("docs")


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


async def _for_programs(_request: Request) -> Response:
    return RedirectResponse("docs/llms.txt")


async def _served(scope: Scope, receive: Receive, send: Send) -> None:
    if is_built():
        await StaticFiles(directory=FOLDER, html=True)(scope, receive, send)
    else:
        missing = "The documentation is not built here: in a checkout `make docs` does it.\n"
        await PlainTextResponse(missing, 404)(scope, receive, send)


ROUTES: Final[tuple[BaseRoute, ...]] = (
    Route(BELOW, _first_page),
    Route("/llms.txt", _for_programs),
    Mount(BELOW, app=_served),
)
