"""Downloads of a released event: its archive, its transcripts, its standings.

An archive is generated from public data while it is sent, and never held in memory as a whole.
"""

import asyncio
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.addresses import network_of
from arena.database.errors import StorageError
from arena.match.transcript import Transcript
from arena.server.events.event import SignedEvent
from arena.server.events.finals.archive import line_of, zipped
from arena.server.events.finals.archive_reading import match_ids, stored_event
from arena.server.results.match_finding import transcripts_named
from arena_dashboard.events import event_data
from arena_dashboard.news.streams import CountedStream, OpenStreams
from arena_dashboard.parts.csv_text import csv_text
from arena_dashboard.reading import data

_BELOW: Final = "/downloads/events"
KINDS: Final = {
    "zip": ("The archive", "application/zip"),
    "jsonl": ("All transcripts", "application/jsonl"),
    "csv": ("Standings (CSV)", "text/csv; charset=utf-8"),
}
"""The label and the media type of each download, by the ending of its address."""
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
    lines = ({**line, "team": teams[line["bot"]]} for line in document["standings"])
    return csv_text(COLUMNS, ([line.get(column, "") for column in COLUMNS] for line in lines))


def _transcripts(event: SignedEvent) -> Iterator[Transcript]:
    return transcripts_named(data.reader().once, match_ids(stored_event(event.text)))


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
    named = {"Content-Disposition": f'attachment; filename="{found.event.name}.{kind}"'}
    counted = _downloads().opened("", visitor)
    return CountedStream(counted, content, media_type=media_type, headers=named)


ROUTES: Final = (Route(f"{_BELOW}/{{file}}", _download),)
