"""`Attendances`: the streams of a token, for whoever runs the program that opened them."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from arena.server.limits.limits import LimitError
from arena.server.play.session import Session

MOST_OF_A_TOKEN: Final = 4
"""Calls that attend the same token at once."""
NO_WATCHERS: Final[Mapping[asyncio.Event, bool]] = MappingProxyType({})
"""One for all tokens that nobody watches."""


class TokenStreams:
    """The sessions that streams of one token have."""

    __slots__ = ("sessions", "watchers")

    def __init__(self) -> None:
        self.sessions: dict[Session, int] = {}
        """How many streams of the token each has; 0 while matches wait for it to be back."""
        self.watchers: Mapping[asyncio.Event, bool] = NO_WATCHERS
        """The events that are set on a change, and whether the bot is to leave for each."""

    @property
    def streams(self) -> int:
        """How many streams are open."""
        return sum(self.sessions.values())

    @property
    def over(self) -> bool:
        """Whether no stream is open and no match waits for one."""
        return all(not streams and session.idle for session, streams in self.sessions.items())

    @property
    def draining(self) -> bool:
        """Whether the bot is to leave."""
        return any(self.watchers.values())


class Attendances:
    """The streams of all tokens."""

    def __init__(self, drain: Callable[[Session], None]) -> None:
        """`drain` lets a session begin no further block."""
        self._drain = drain
        self._by_token: dict[str, TokenStreams] = {}

    def came(self, token: str, session: Session) -> None:
        """Note that a stream's hello was accepted."""
        attendance = self._by_token.setdefault(token, TokenStreams())
        attendance.sessions[session] = attendance.sessions.get(session, 0) + 1
        if attendance.draining:
            self._drain(session)
        self._tell(attendance)

    def left(self, token: str, session: Session) -> None:
        """Note that a stream of an accepted hello has ended."""
        attendance = self._by_token[token]
        attendance.sessions[session] -= 1
        self._tell(attendance)
        self._forget(token)

    @contextmanager
    def watched(self, token: str, *, drain: bool) -> Iterator[tuple[TokenStreams, asyncio.Event]]:
        """Yield the attendance of a token, and an event that is set when it changes.

        With `drain` the bot is to leave while the block runs. Raises LimitError.
        """
        attendance = self._by_token.setdefault(token, TokenStreams())
        if len(attendance.watchers) >= MOST_OF_A_TOKEN:
            raise LimitError("attending", "too many calls attend this bot", 1)
        news = asyncio.Event()
        attendance.watchers = {**attendance.watchers, news: drain}
        try:
            if drain:
                for session, streams in list(attendance.sessions.items()):
                    if streams:
                        self._drain(session)
            yield attendance, news
        finally:
            others = {one: drains for one, drains in attendance.watchers.items() if one is not news}
            attendance.watchers = others or NO_WATCHERS
            self._forget(token)

    def _tell(self, attendance: TokenStreams) -> None:
        for news in attendance.watchers:
            news.set()

    def _forget(self, token: str) -> None:
        attendance = self._by_token[token]
        for session, streams in list(attendance.sessions.items()):
            if not streams and (session.idle or not attendance.watchers):
                del attendance.sessions[session]
        if not attendance.sessions and not attendance.watchers:
            del self._by_token[token]
