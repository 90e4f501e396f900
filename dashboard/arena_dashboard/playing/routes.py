"""The routes for a person's browser besides the page: a stream of news, and answers to turns.

The person's key identifies the requests: in a header, as the page knows it, or in a cookie, which
no script can read. It is in no address, which the log of a proxy may hold. News is sent as
server-sent events, in whose request a browser cannot include such a header: so the page first has
the cookie set. By the cookie a reloaded page also recognises the person.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.errors import UserError
from arena_dashboard.news.streams import stream_of
from arena_dashboard.playing.people import COOKIE, Person, people
from arena_dashboard.playing.picture import Pictures

HEADER: Final = "X-Arena-Person"
MOST_BYTES: Final = 4096
"""The largest answer."""
BEAT_SECONDS: Final = 15.0
"""The seconds after which a stream without news sends a comment, so that proxies keep it open."""


async def _here(request: Request) -> Response:
    person = _person(request)
    if person is None:
        return _mistake(404, "This session is over.")
    response = JSONResponse({})
    response.set_cookie(
        COOKIE,
        person.key,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return response


async def _news(request: Request) -> Response:
    person = _person(request)
    if person is None:
        # After this status an EventSource does not reconnect.
        return Response(status_code=204)
    return stream_of(request, person.key, _told(person))


async def _told(person: Person) -> AsyncIterator[str]:
    pictures = Pictures(person.session)
    with person.news() as news:
        while not person.session.leaving:
            try:
                async with asyncio.timeout(BEAT_SECONDS):
                    await news.wait()
            except TimeoutError:
                yield ": no news\n\n"
                continue
            news.clear()
            told = json.dumps(pictures.next(), ensure_ascii=False, separators=(",", ":"))
            yield f"data: {told}\n\n"


async def _answer(request: Request) -> Response:
    person = _person(request)
    if person is None:
        return _mistake(404, "This session is over.")
    said: Any = None
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            return _mistake(413, "The answer is too long.")
    try:
        said = json.loads(body)
        turn, action = said["turn"], said["action"]
    except (ValueError, KeyError, TypeError):
        return _mistake(400, "The answer is not understood.")
    try:
        # In a thread, as the session's lock may be held for a moment.
        await asyncio.to_thread(person.session.answer, turn, action)
    except UserError as error:
        return _mistake(409, str(error))
    return JSONResponse({})


def _person(request: Request) -> Person | None:
    everybody = people()
    key = request.headers.get(HEADER) or request.cookies.get(COOKIE, "")
    return None if everybody is None else everybody.person(key)


def _mistake(status: int, sentence: str) -> Response:
    return JSONResponse({"why": sentence}, status)


ROUTES: Final = (
    Route("/person/here", _here, methods=["POST"]),
    Route("/person/news", _news),
    Route("/person/answer", _answer, methods=["POST"]),
)
