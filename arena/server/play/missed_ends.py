"""Match ends that bots missed while disconnected: kept in storage and sent on their return.

Most bots miss none, so the list is also held in memory, and a bot that connects costs no query.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Final, Protocol

import structlog

from arena.codec import turns
from arena.codec.transcript import to_bytes
from arena.database.errors import LeaseLostError, StorageFailedError
from arena.match.replay import replay
from arena.match.transcript import Transcript
from arena.records import UntoldEnd, VersionId
from arena.server.play.outbox import MOST_UNTOLD
from arena.server.play.session import Session

KEPT_SECONDS: Final = 24 * 3600.0
"""How long an end is kept for its bot: one day."""
FORGET_SECONDS: Final = 3600.0
"""The interval at which expired ends are removed."""
RETRY_SECONDS: Final = 1.0
"""The pause before storage is tried again after a failure."""
AT_ONCE: Final = 1_000
"""The most ends that one transaction adds or removes."""
TOLD_AT_ONCE: Final = 20
"""The most ends that one bot is sent before others get theirs, and newly missed ones are stored."""

log = structlog.get_logger()


class EndStore(Protocol):
    """The storage of unsent ends. Methods raise StorageFailedError while it fails."""

    async def untold_ends(self) -> Sequence[UntoldEnd]:
        """Return the unsent ends of the last day, the oldest first."""
        ...

    async def add_untold(self, ends: Sequence[UntoldEnd]) -> None:
        """Store these ends."""
        ...

    async def remove_untold(self, ends: Sequence[UntoldEnd]) -> None:
        """Remove these ends, which were sent or exceed the limits."""
        ...

    async def transcript(self, match_id: str) -> Transcript | None:
        """Return the transcript of a recorded match, or None if there is none."""
        ...


@dataclass(slots=True)
class _Telling:
    """The ends that are being sent to one copy of a bot."""

    session: Session
    """The latest session of this copy, which may reconnect before all ends are sent."""
    ends: dict[UntoldEnd, float]


class MissedEnds:
    """The unsent ends of all bots.

    Call `load` first, and after a takeover; `run` must be running.
    """

    def __init__(
        self,
        store: EndStore,
        now: Callable[[], float] = monotonic,
        *,
        at_once: int = AT_ONCE,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """`at_once` is the most ends that one transaction writes.

        `retry_seconds` is the pause after a transaction that failed.
        """
        self._store = store
        self._now = now
        self._at_once = at_once
        self._retry_seconds = retry_seconds
        self._untold: dict[VersionId, dict[UntoldEnd, float]] = defaultdict(dict)
        """The unsent ends by version, the newest last.

        Each comes with the time at which it was missed, or read from storage.
        """
        self._telling: dict[tuple[VersionId, str], _Telling] = {}
        """The ends that are being sent, by version and instance."""
        self._forget_at = now() + FORGET_SECONDS
        # Written in batches: a transaction for each end would take longer than the match did, and
        # a fast bot misses hundreds of ends when it goes.
        self._to_add: dict[UntoldEnd, None] = {}
        """The ends that storage lacks, the oldest first."""
        self._to_remove: dict[UntoldEnd, None] = {}
        """The ends that storage has, or may have, and need not keep."""
        self._writes = False
        """Whether `_write` is queued."""
        self._work: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()

    async def load(self) -> None:
        """Load the ends that other referees could not send."""
        for end in await self._store.untold_ends():
            self._untold[end.version_id].setdefault(end, self._now())
        for version in self._untold:
            self._forget_surplus(version)

    def missed(self, session: Session, match_id: str) -> None:
        """Keep the end of a match that could not be sent."""
        end = UntoldEnd(match_id, session.registered.version_id, session.instance)
        ends = self._untold[end.version_id]
        ends.pop(end, None)  # the newest are last
        ends[end] = self._now()
        self._to_add[end] = None
        self._write_soon(self._forget_surplus(end.version_id) + self._forget_old())

    def came(self, session: Session) -> None:
        """Queue the ends that a bot missed for sending, since it is connected."""
        version = session.registered.version_id
        ends = self._untold.get(version, {})
        waiting = [end for end in ends if end.instance == session.instance]
        own = {end: ends.pop(end) for end in waiting if not self._old(ends[end])}
        copy = version, session.instance
        telling = self._telling.get(copy)
        if telling is not None:
            telling.session = session
            telling.ends |= own
        elif own:
            self._telling[copy] = _Telling(session, own)
            self._work.put_nowait(lambda: self._tell(copy))

    async def settled(self) -> None:
        """Wait until all ends so far are stored or sent."""
        await self._work.join()

    async def run(self) -> None:
        """Process queued work until cancelled, and retry each step while storage fails."""
        while True:
            job = await self._work.get()
            while True:
                try:
                    await job()
                    break
                except StorageFailedError as error:
                    log.error("missed ends wait for storage", why=str(error))
                    await asyncio.sleep(self._retry_seconds)
            self._work.task_done()

    def _write_soon(self, superfluous: Iterable[UntoldEnd] = ()) -> None:
        """Queue `_write`, which also removes these superfluous ends from storage."""
        for end in superfluous:
            self._to_add.pop(end, None)
            self._to_remove[end] = None
        if not self._writes:
            self._writes = True
            self._work.put_nowait(self._write)

    async def _write(self) -> None:
        self._writes = False  # what comes in meanwhile is written the next time
        if added := list(islice(self._to_add, self._at_once)):
            await self._store.add_untold(added)
            for end in added:
                self._to_add.pop(end, None)
        # After adding, as an end that was just added may be among them.
        if removed := list(islice(self._to_remove, self._at_once)):
            await self._store.remove_untold(removed)
            for end in removed:
                self._to_remove.pop(end, None)
        if self._to_add or self._to_remove:
            self._write_soon()

    def _old(self, missed_at: float) -> bool:
        return self._now() - missed_at > KEPT_SECONDS

    def _forget_surplus(self, version: VersionId) -> list[UntoldEnd]:
        ends = self._untold[version]
        surplus = list(ends)[:-MOST_UNTOLD]
        for end in surplus:
            del ends[end]
        return surplus

    def _forget_old(self) -> list[UntoldEnd]:
        if self._now() < self._forget_at:
            return []
        self._forget_at = self._now() + FORGET_SECONDS
        every = [(end, at) for ends in self._untold.values() for end, at in ends.items()]
        old = [end for end, missed_at in every if self._old(missed_at)]
        for end in old:
            del self._untold[end.version_id][end]
        return old

    async def _tell(self, copy: tuple[VersionId, str]) -> None:
        telling = self._telling[copy]
        ends = telling.ends
        told: list[UntoldEnd] = []
        try:
            for end in list(islice(ends, TOLD_AT_ONCE)):
                try:
                    transcript = await self._store.transcript(end.match_id)
                    part = None
                    if transcript is not None:
                        # In a thread: after a proxy's restart all bots come at once.
                        part = await asyncio.to_thread(_end_part, transcript)
                    outbox = telling.session.outbox
                    if part is not None and outbox is not None:
                        outbox.add(part)
                except (StorageFailedError, LeaseLostError):
                    raise  # `run` retries from this end
                except Exception:
                    # It stays in storage: a referee of a newer release may be able to send it.
                    log.exception("missed end cannot be told", match=end.match_id)
                    del ends[end]
                    continue
                missed_at = ends.pop(end)
                if part is None or telling.session.up:
                    told.append(end)
                else:  # disconnected again: send it the next time
                    self._untold[end.version_id][end] = missed_at
            if ends:
                self._work.put_nowait(lambda: self._tell(copy))
            else:
                del self._telling[copy]
        finally:
            if told:
                self._write_soon(told)


def _end_part(transcript: Transcript) -> bytes:
    setup = transcript.setup
    events = [event for frame in replay(transcript) for event in frame.events]
    news = turns.WrittenEvents(setup.game).after(events, 0)
    return turns.end_part(setup, to_bytes(transcript), news)
