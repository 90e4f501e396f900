"""What is given out of a released event: its archive, its transcripts, its standings.

An archive is written while it is sent, from what everybody may read: it is never held as a whole.
"""

import asyncio
import csv
import io
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from arena.addresses import network_of
from arena.database.errors import StorageError
from arena.match.transcript import Transcript
from arena.printable import not_a_formula
from arena.server.events.event import SignedEvent
from arena.server.events.finals.archive import line_of, zipped
from arena.server.events.finals.archive_reading import match_ids, stored_event
from arena.server.results.match_finding import transcripts_named
from arena_dashboard.events import event_data
from arena_dashboard.news.streams import OpenStreams
from arena_dashboard.reading import data

_BELOW: Final = "/downloads/events"
KINDS: Final = {
    "zip": ("The archive", "application/zip"),
    "jsonl": ("All transcripts", "application/jsonl"),
    "csv": ("Standings (CSV)", "text/csv; charset=utf-8"),
}
"""What may be downloaded, in words, and its media type, by the ending of its address."""
MOST: Final = 8
"""The most downloads at a time: each reads the database."""
MOST_OF_AN_ADDRESS: Final = 2
COLUMNS: Final = ("place", "team", "bot", "version", "points", "margin", "blocks")


def address(name: str, kind: str) -> str:
    """Return the address of a download of an event."""
    return f".{_BELOW}/{name}.{kind}"


@cache
def _downloads() -> OpenStreams:
    return OpenStreams(of_a_page=MOST, of_an_address=MOST_OF_AN_ADDRESS, most=MOST)


def standings_csv(text: bytes) -> str:
    """Return the standings of an event.json as CSV; no cell is read as a formula."""
    document = stored_event(text)
    teams = {one["bot"]: one["team"] for one in document["entries"]}
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow(COLUMNS)
    for line in document["standings"]:
        cells = {**line, "team": teams[line["bot"]]}
        lines.writerow(
            not_a_formula(cell) if isinstance(cell, str) else cell
            for cell in (cells.get(column, "") for column in COLUMNS)
        )
    return written.getvalue()


def _transcripts(event: SignedEvent) -> Iterator[Transcript]:
    return transcripts_named(data.reader().once, match_ids(stored_event(event.text)))


class _Download(StreamingResponse):
    """A file that is written while it is sent, and counted meanwhile."""

    def __init__(self, content: Iterable[bytes], visitor: str, file: str, media_type: str) -> None:
        named = {"Content-Disposition": f'attachment; filename="{file}"'}
        super().__init__(content, media_type=media_type, headers=named)
        self._visitor = visitor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with _downloads().opened("", self._visitor):
            await super().__call__(scope, receive, send)


async def _download(request: Request) -> Response:
    name, _, kind = request.path_params["file"].rpartition(".")
    visitor = network_of(request.client.host if request.client else "")
    if not _downloads().room("", visitor):
        return PlainTextResponse(
            "Too many downloads are running: come back later.\n", 429, headers={"Retry-After": "30"}
        )
    # In a thread, as it reads the database.
    return await asyncio.to_thread(_answer, name, kind, visitor)


def _answer(name: str, kind: str, visitor: str) -> Response:
    try:
        found = event_data.named(name, None) if kind in KINDS else None
        signed = None if found is None else event_data.archive(found.event)
    except StorageError:
        return PlainTextResponse("The database does not answer: come back later.\n", 503)
    if found is None or signed is None:
        return PlainTextResponse("There is no such file of a released event.\n", 404)
    content: Iterable[bytes]
    match kind:
        case "zip":
            content = zipped(signed, _transcripts(signed))
        case "jsonl":
            content = map(line_of, _transcripts(signed))
        case _:
            content = [standings_csv(signed.text).encode()]
    _, media_type = KINDS[kind]
    return _Download(content, visitor, f"{found.event.name}.{kind}", media_type)


ROUTES: Final = (Route(f"{_BELOW}/{{file}}", _download),)
