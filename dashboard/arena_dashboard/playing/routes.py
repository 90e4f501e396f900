"""What the browser of somebody who plays asks for beside the page: news, and to answer a turn.

The key in the path is the person's alone, and says who asks. News are server-sent events: nothing
is asked for again and again. They come with a cookie, which no script can read: by it the page
knows the person again after a reload.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from arena.errors import UserError
from arena_dashboard.playing.people import COOKIE, Person, people
from arena_dashboard.playing.picture import Pictures

MOST_BYTES: Final = 4096
"""Of an answer."""
BEAT_SECONDS: Final = 15.0
"""How often a stream without news says that it lives, for proxies between."""


async def _news(request: Request) -> Response:
    person = _person(request)
    if person is None:
        # An EventSource stops asking after this status.
        return Response(status_code=204)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    response = StreamingResponse(_told(person), media_type="text/event-stream", headers=headers)
    response.set_cookie(
        COOKIE,
        person.key,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return response


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
        # In a thread: the session's lock may be held for a moment.
        await asyncio.to_thread(person.session.answer, turn, action)
    except UserError as error:
        return _mistake(409, str(error))
    return JSONResponse({})


def _person(request: Request) -> Person | None:
    everybody = people()
    return None if everybody is None else everybody.person(request.path_params["key"])


def _mistake(status: int, sentence: str) -> Response:
    return JSONResponse({"why": sentence}, status)


ROUTES: Final = (
    Route("/person/{key}/news", _news),
    Route("/person/{key}/answer", _answer, methods=["POST"]),
)
