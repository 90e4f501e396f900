"""`Attendances`: the streams of each token, for the operator of the program that opened them."""

import asyncio
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from arena.database.keys import SHIFT_PREFIX
from arena.records import Registered
from arena.server.limits.limits import LimitError
from arena.server.play.session import Session

MOST_OF_A_TOKEN: Final = 4
"""The most calls that may attend the same token at once."""
NO_WATCHERS: Final[Mapping[asyncio.Event, bool]] = MappingProxyType({})
"""The shared empty mapping for all tokens without watchers."""


class TokenStreams:
    """The sessions to which the streams of one token belong."""

    __slots__ = ("leave", "sessions", "watchers")

    def __init__(self) -> None:
        self.sessions: dict[Session, int] = {}
        """The number of the token's streams by session; 0 while matches wait for its return."""
        self.watchers: Mapping[asyncio.Event, bool] = NO_WATCHERS
        """The events to set on changes, each with whether its watcher wants the bot to leave."""
        self.leave = False
        """Whether the operator should stop the bot's program, because others need its place."""

    @property
    def streams(self) -> int:
        """The number of open streams."""
        return sum(self.sessions.values())

    @property
    def over(self) -> bool:
        """Whether no stream is open and no match waits for one."""
        return all(not streams and session.idle for session, streams in self.sessions.items())

    @property
    def draining(self) -> bool:
        """Whether a watcher wants the bot to leave."""
        return any(self.watchers.values())


class Attendances:
    """The streams of all tokens."""

    def __init__(self) -> None:
        self._by_token: dict[str, TokenStreams] = {}
        self._hosted: dict[str, TokenStreams] = {}
        """The entries of hosted bots, whose tokens belong to shifts."""

    @property
    def shifts(self) -> list[tuple[Registered, bool]]:
        """The hosted bots that are connected, each with whether it was asked to leave."""
        return [
            (session.registered, attendance.leave)
            for attendance in self._hosted.values()
            for session, streams in attendance.sessions.items()
            if streams
        ]

    def ask_to_leave(self, versions: Collection[int], *, ladder: bool) -> None:
        """Ask the workers to end these versions' shifts: those on the ladder, or the others."""
        for attendance in self._hosted.values():
            for session in attendance.sessions:
                known = session.registered
                if known.version_id in versions and known.ladder is ladder:
                    attendance.leave = True
                    self._tell(attendance)

    def came(self, token: str, session: Session) -> None:
        """Record that the hello of a stream was accepted."""
        attendance = self._by_token.setdefault(token, TokenStreams())
        attendance.sessions[session] = attendance.sessions.get(session, 0) + 1
        if token.startswith(SHIFT_PREFIX):
            self._hosted[token] = attendance
        if attendance.draining:
            session.drain()
        self._tell(attendance)

    def left(self, token: str, session: Session) -> None:
        """Record that a stream whose hello was accepted has ended."""
        attendance = self._by_token[token]
        attendance.sessions[session] -= 1
        self._tell(attendance)
        self._forget(token)

    @contextmanager
    def watched(self, token: str, *, drain: bool) -> Iterator[tuple[TokenStreams, asyncio.Event]]:
        """Watch the streams of a token, with an event that is set when they change.

        With `drain`, the bot is asked to leave, also on new streams, while the context is open.
        Raises LimitError if too many calls attend the token.
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
                        session.drain()
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
            self._hosted.pop(token, None)
