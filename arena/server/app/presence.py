"""`Presences`: the bots that are connected to any of the referees.

Each referee writes to Postgres which copies of bots are connected to it, once a second and only the
changes. Seats, which change all the time, are written only while another referee runs, and every
few seconds. Copies connected to this referee are known at once. The rows of a stopped referee are
deleted with its lease.
"""

import asyncio
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from time import monotonic
from typing import Final

import structlog

from arena.database.errors import StorageError
from arena.records import Presence, VersionId
from arena.server.app.referees_store import RefereesStore
from arena.server.play.lobby import Lobby
from arena.server.play.session import Session

TELL_SECONDS: Final = 1.0
"""The interval between writes."""
SEATS_SECONDS: Final = 5.0
"""The largest age of a copy's number of seats that the other referees read."""
MOST_TOLD: Final = 2_000
"""The most copies in one statement; the others wait for the next write."""
KEPT_SECONDS: Final = 1.0
"""The time for which the number of all copies is cached."""

log = structlog.get_logger()

_Key = tuple[VersionId, str]


class Presences:
    """The presences that one referee writes, and reads of the others. `run` must be running."""

    def __init__(
        self, store: RefereesStore, lobby: Lobby, now: Callable[[], float] = monotonic
    ) -> None:
        self._store = store
        self._lobby = lobby
        self._now = now
        self._told: dict[_Key, tuple[Presence, float]] = {}
        """The presences last written, and when."""
        self._tells: bool | None = None
        """Whether the last write included seats; None if the next must write everything anew."""
        self._changed: dict[_Key, None] = {}
        self._counted, self._counted_at = 0, -math.inf
        self._counting: asyncio.Task[None] | None = None
        lobby.on_change = self._note

    def _note(self, session: Session) -> None:
        self._changed[_key(session)] = None

    async def of(self, versions: Collection[VersionId]) -> Mapping[VersionId, tuple[int, int]]:
        """Return, by version, the number of connected copies and their number of seats in matches.

        They are counted over all referees; versions without a copy are left out. Raises
        StorageError.
        """
        found = [] if self._alone else await self._store.presence_elsewhere(versions)
        found += [_seen(one) for version in versions for one in self._lobby.copies(version)]
        connected: dict[VersionId, set[str]] = {}
        seats: dict[VersionId, int] = {}
        for one in found:
            names = connected.setdefault(one.version_id, set())
            if one.connected:
                names.add(one.instance)
            seats[one.version_id] = seats.get(one.version_id, 0) + one.seats
        return {version: (len(names), seats[version]) for version, names in connected.items()}

    async def copies(self) -> int:
        """Return the number of copies connected to any referee.

        While the database does not answer, this is the number counted last.
        """
        if self._alone:
            return self._lobby.connected
        if self._now() - self._counted_at >= KEPT_SECONDS:
            if self._counting is None:
                self._counting = asyncio.create_task(self._count())
            await asyncio.shield(self._counting)  # other callers wait for the same count
        return max(self._counted, self._lobby.connected)

    async def _count(self) -> None:
        try:
            self._counted = await self._store.copies_connected()
        except StorageError as error:
            log.warning("connected bots not counted", why=str(error))
        finally:
            self._counted_at = self._now()
            self._counting = None

    @property
    def _alone(self) -> bool:
        """Whether this is the only referee that runs."""
        lease = self._store.lease
        return lease.running == {lease.epoch}

    async def run(self) -> None:
        """Write the changes every TELL_SECONDS, until cancelled."""
        while True:
            await asyncio.sleep(TELL_SECONDS)
            try:
                await self.tell()
            except StorageError as error:
                log.warning("connected bots not told", why=str(error))

    async def tell(self) -> None:
        """Write the changes since the last call.

        Everything is written anew after a failed write, or once this referee becomes the only one
        or ceases to be.
        """
        seats = not self._alone
        anew = self._tells is not seats
        if anew:
            self._told.clear()
            self._changed = dict.fromkeys(map(_key, self._lobby.sessions))
        due = dict(islice(self._due(seats=seats), MOST_TOLD))
        here = [one for one in due.values() if one.connected or one.seats]
        gone = [key for key, one in due.items() if not (one.connected or one.seats)]
        self._tells = None  # if the write fails, all is written again
        if anew or due:
            await self._store.tell_presence(here, gone, anew=anew)
        self._tells = seats
        now = self._now()
        for key, one in due.items():
            self._told[key] = one, now
        for key in gone:
            del self._told[key]

    def _due(self, *, seats: bool) -> Iterator[tuple[_Key, Presence]]:
        """Yield the presences to write now; changes that can wait stay in `_changed`."""
        for key in list(self._changed):
            one = self._here(key) if seats else replace(self._here(key), seats=0)
            known, since = self._told.get(key, (None, 0.0))
            seats_alone = known is not None and replace(one, seats=known.seats) == known != one
            if seats_alone and self._now() - since < SEATS_SECONDS:
                continue
            del self._changed[key]
            if one != known and (known is not None or one.connected or one.seats):
                yield key, one

    def _here(self, key: _Key) -> Presence:
        """Return the presence of a copy at this referee, whether it is connected or not."""
        version, instance = key
        for session in self._lobby.copies(version):
            if session.instance == instance:
                return _seen(session)
        return Presence(version, instance, connected=False, places=0, seats=0, games=())


def _key(session: Session) -> _Key:
    return session.registered.version_id, session.instance


def _seen(session: Session) -> Presence:
    return Presence(
        *_key(session),
        session.up,
        session.rated_places,
        session.seats,
        tuple(sorted(session.games)),
    )
