"""Runs tournaments beside the ladder: from what is recorded to the blocks that come next.

The conductor keeps nothing that storage does not: it reads a tournament's record, asks the format
what comes next, and has the director play it. A restart reads the record again and goes on, with
unfinished blocks, too. Nothing is asked again and again: it wakes when tournaments change, when
results are recorded, and when bots come, which the director notices.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from contextlib import aclosing
from typing import Protocol

import structlog

from arena.hosting.agenda import Engagement, EngagementEnd
from arena.hosting.journal import Journal
from arena.hosting.ports import LeaseLostError, StorageFailedError
from arena.records import TournamentId
from arena.scheduling.ladder import Candidate
from arena.scheduling.pairings import Pairing
from arena.tournament.running import RunningTournament
from arena.tournament.tournament import BlockRecord, Tournament, TournamentRecord

MOST_BROKEN = 3
"""Blocks that we may break before a tournament is paused: whatever it is will happen again."""
RETRY_SECONDS = 2.0
"""Pause before storage is asked again after it failed."""

log = structlog.get_logger()


class TournamentStore(Protocol):
    """What is recorded of tournaments. Raises StorageFailedError when it cannot tell now."""

    async def begun(self) -> list[Tournament]:
        """Those that run or are paused."""
        ...

    async def record(self, tournament: Tournament) -> TournamentRecord:
        """What was paired and played so far."""
        ...

    async def blocks(self, tournament: Tournament, block_ids: Collection[str]) -> list[BlockRecord]:
        """What became of these blocks."""
        ...

    async def add_pairings(self, tournament_id: TournamentId, pairings: Sequence[Pairing]) -> None:
        """Record who meets whom."""
        ...

    async def finish(self, tournament_id: TournamentId) -> None:
        """Everything is played."""
        ...

    async def suspend(self, tournament_id: TournamentId) -> None:
        """Pause it."""
        ...


class Conductor:
    """An Agenda for the director. `run` must be running."""

    def __init__(
        self,
        store: TournamentStore,
        journal: Journal,
        schedule: Callable[[], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._journal = journal
        self._schedule = schedule
        self._sleep = sleep
        self._courses: dict[TournamentId, RunningTournament] = {}
        self._engaged: dict[Engagement, RunningTournament] = {}
        self._waited_for: dict[TournamentId, list[str]] = {}
        self._changed = False
        self._news = asyncio.Event()
        journal.listeners.append(self._recorded)

    async def take_up(self) -> None:
        """Read what is there, before the director goes on with what an earlier referee left."""
        await self._read()

    async def run(self, changes: AsyncGenerator[None]) -> None:
        """Conduct until cancelled; `changes` yields whenever a tournament may have changed."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen(changes))
            while True:
                await self._news.wait()
                self._news.clear()
                await self._look()

    # What the director asks

    @property
    def wanting(self) -> bool:
        return any(course.wanting for course in self._courses.values())

    def next_engagement(self, free: Sequence[Candidate]) -> Engagement | None:
        for course in self._wanting():
            found = course.next_engagement(_able(free, course))
            if found is not None:
                engagement, opened = found
                if opened is not None:
                    self._journal.open_block(opened)
                self._engaged[engagement] = course
                # Its turn comes again after the others', or one would wait for all of another.
                tournament_id = course.tournament.id
                self._courses[tournament_id] = self._courses.pop(tournament_id)
                return engagement
        return None

    def held(self, present: Sequence[Candidate]) -> Collection[int]:
        held: set[int] = set()
        for course in self._wanting():
            able = _able(present, course)
            held |= course.held(able)
            if course.idle:
                self._tell_waiting(course, able)
        return held

    def taken_up(self, block_id: str) -> Engagement | None:
        for course in self._courses.values():
            engagement = course.taken_up(block_id)
            if engagement is not None:
                self._engaged[engagement] = course
                return engagement
        return None

    def ended(self, engagement: Engagement, ending: EngagementEnd) -> None:
        course = self._engaged.pop(engagement)
        if course.ended(engagement, ending):
            self._journal.end_block(engagement.block.id, void=True)

    def _wanting(self) -> list[RunningTournament]:
        return [course for course in self._courses.values() if course.wanting]

    def _tell_waiting(self, course: RunningTournament, present: set[int]) -> None:
        tournament = course.tournament
        entries = sorted(course.missing(present))
        bots = [str(tournament.entries[entry - 1].registered.entrant) for entry in entries]
        if bots != self._waited_for.get(tournament.id, []):
            self._waited_for[tournament.id] = bots
            if bots:
                log.info("tournament waits for bots", tournament=tournament.name, bots=bots)

    # What happens in storage

    def _recorded(self) -> None:
        if any(course.ended_blocks for course in self._courses.values()):
            self._news.set()

    async def _listen(self, changes: AsyncGenerator[None]) -> None:
        async with aclosing(changes):
            async for _ in changes:
                self._changed = True
                self._news.set()

    async def _look(self) -> None:
        try:
            if self._changed:
                self._changed = False
                await self._read()
            for course in list(self._courses.values()):
                await self._go_on(course)
        except LeaseLostError:
            raise
        except StorageFailedError as error:
            log.error("tournaments wait for storage", retry_s=RETRY_SECONDS, why=str(error))
            await self._look_again()
        except Exception:
            # A bug of ours must not end the ladder's matches too.
            log.exception("tournaments broken", retry_s=RETRY_SECONDS)
            await self._look_again()
        self._schedule()

    async def _look_again(self) -> None:
        await self._sleep(RETRY_SECONDS)
        self._changed = True
        self._news.set()

    async def _read(self) -> None:
        begun = {tournament.id: tournament for tournament in await self._store.begun()}
        for tournament in begun.values():
            course = self._courses.get(tournament.id)
            if course is None:
                course = RunningTournament(await self._store.record(tournament))
                self._courses[tournament.id] = course
                self._void(course.give_up())
                log.info("tournament taken up", tournament=tournament.name)
            else:
                self._void(course.update(tournament))
        for tournament_id, course in self._courses.items():
            if tournament_id not in begun:
                self._void(course.close())

    async def _go_on(self, course: RunningTournament) -> None:
        tournament = course.tournament
        ended = course.ended_blocks
        if ended:
            course.settle(await self._store.blocks(tournament, ended))
        if course.offering and course.broken >= MOST_BROKEN:
            log.error("tournament paused: its matches break", tournament=tournament.name)
            await self._store.suspend(tournament.id)
        try:
            while course.offering and course.due:
                course.due = False
                await self._pair(course)
        except (StorageFailedError, LeaseLostError):
            course.due = True
            raise
        except Exception:
            log.exception("tournament paused: it cannot be paired", tournament=tournament.name)
            await self._store.suspend(tournament.id)
        if tournament.state.over and course.idle:
            self._courses.pop(tournament.id, None)

    async def _pair(self, course: RunningTournament) -> None:
        tournament = course.tournament
        # In a thread: pairing a large Swiss takes longer than a bot should wait for its turn.
        added = await asyncio.to_thread(
            tournament.plan.next_pairings,
            len(tournament.entries),
            course.played(),
            tournament.withdrawn,
        )
        if added is None:
            await self._store.finish(tournament.id)
            log.info("tournament finished", tournament=tournament.name)
        elif added:
            await self._store.add_pairings(tournament.id, added)
            course.add_pairings(added)

    def _void(self, block_ids: Sequence[str]) -> None:
        for block_id in block_ids:
            self._journal.end_block(block_id, void=True)


def _able(candidates: Sequence[Candidate], course: RunningTournament) -> set[int]:
    """The versions that play the tournament's game."""
    game = course.tournament.rules.game
    return {candidate.bot for candidate in candidates if game in candidate.games}
