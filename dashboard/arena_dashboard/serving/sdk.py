"""The arena's own wheel, for authors without a checkout: its install command and its route."""

from typing import Final
from urllib.parse import urljoin

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.local.wheel import NoWheelError, wheel, wheel_name

_BELOW: Final = "/download"


def install_command(extra: str, page: str | None) -> str:
    """Return the shell command that installs the package with an extra.

    It is for a visitor of the page at the address `page`. Raises NoWheelError.
    """
    # Relative, as a proxy may serve the pages below a path of its own.
    address = urljoin(page or "http://127.0.0.1:8501/", f".{_BELOW}/{wheel_name()}")
    return f"pip install 'bluff-arena[{extra}] @ {address}'"


# Starlette runs it in a thread: `wheel_name` and `wheel` read files the first time.
def _download(request: Request) -> Response:
    try:
        if request.path_params["name"] != wheel_name():
            return PlainTextResponse(f"The only file here is {_BELOW}/{wheel_name()}.\n", 404)
        packed = wheel()
    except NoWheelError as error:
        return PlainTextResponse(f"{error}\n", 404)
    # A checkout's wheel has the same name whatever its content.
    headers = {"Cache-Control": "no-cache"}
    return Response(packed, headers=headers, media_type="application/zip")


ROUTES: Final = (Route(f"{_BELOW}/{{name}}", _download),)
