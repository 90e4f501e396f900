"""Ends that bots missed while they were away: kept in storage, told when the bot is back.

Most bots miss none, so the list is held in memory too, and a bot that connects costs nothing.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import structlog

from arena.codec import turns
from arena.codec.transcript import to_bytes
from arena.hosting.ports import LeaseLostError, StorageFailedError
from arena.match.replay import replay
from arena.match.transcript import Transcript
from arena.records import UntoldEnd, VersionId
from arena.referee.session import Session

MOST_UNTOLD: Final = 200
"""Ends that are kept for each version; older ones are forgotten."""
RETRY_SECONDS: Final = 1.0
"""Pause before storage is asked again after it failed."""

log = structlog.get_logger()


class EndStore(Protocol):
    """Where untold ends are kept. Raises StorageFailedError when it cannot at the moment."""

    async def untold_ends(self) -> Sequence[UntoldEnd]:
        """Those of the last day, the oldest first."""
        ...

    async def add_untold(self, ends: Sequence[UntoldEnd]) -> None:
        """Keep these."""
        ...

    async def remove_untold(self, ends: Sequence[UntoldEnd]) -> None:
        """Forget these: they are told, or too many."""
        ...

    async def transcript(self, match_id: str) -> Transcript | None:
        """What happened in a recorded match."""
        ...


class MissedEnds:
    """Keeps and tells them. `load` first, and after a takeover; `run` must be running."""

    def __init__(self, store: EndStore) -> None:
        self._store = store
        self._untold: dict[VersionId, list[UntoldEnd]] = defaultdict(list)
        self._work: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()

    async def load(self) -> None:
        """Take in what other referees could not tell."""
        for end in await self._store.untold_ends():
            if end not in self._untold[end.version_id]:
                self._untold[end.version_id].append(end)
        for ends in self._untold.values():
            del ends[:-MOST_UNTOLD]

    def missed(self, session: Session, match_id: str) -> None:
        """The end of a match could not be told."""
        end = UntoldEnd(match_id, session.registered.version_id, session.instance)
        ends = self._untold[end.version_id]
        ends.append(end)
        surplus = ends[:-MOST_UNTOLD]
        del ends[:-MOST_UNTOLD]
        self._work.put_nowait(lambda: self._store.add_untold([end]))
        if surplus:
            self._work.put_nowait(lambda: self._store.remove_untold(surplus))

    def came(self, session: Session) -> None:
        """A bot is here: tell it what it missed, soon."""
        version = session.registered.version_id
        ends = self._untold.get(version, [])
        own = [end for end in ends if end.instance == session.instance]
        if own:
            self._untold[version] = [end for end in ends if end not in own]
            self._work.put_nowait(lambda: self._tell(session, own))

    async def settled(self) -> None:
        """Wait until all is kept, or told."""
        await self._work.join()

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            job = await self._work.get()
            while True:
                try:
                    await job()
                    break
                except StorageFailedError as error:
                    log.error("missed ends wait for storage", why=str(error))
                    await asyncio.sleep(RETRY_SECONDS)
            self._work.task_done()

    async def _tell(self, session: Session, ends: list[UntoldEnd]) -> None:
        told: list[UntoldEnd] = []
        try:
            while ends:
                try:
                    transcript = await self._store.transcript(ends[0].match_id)
                    if transcript is not None and session.up:
                        _send(session, transcript)
                except (StorageFailedError, LeaseLostError):
                    raise  # goes on from here later
                except Exception:
                    # It stays in storage: a referee of a newer release may be able to.
                    log.exception("missed end cannot be told", match=ends.pop(0).match_id)
                    continue
                end = ends.pop(0)
                if transcript is None or session.up:
                    told.append(end)
                else:  # gone again: the next time
                    self._untold[end.version_id].append(end)
        finally:
            if told:
                self._work.put_nowait(lambda: self._store.remove_untold(told))


def _send(session: Session, transcript: Transcript) -> None:
    events = [event for frame in replay(transcript) for event in frame.events]
    message = turns.end(transcript.setup, to_bytes(transcript), events, 0)
    session.send(turns.part("ends", message))
