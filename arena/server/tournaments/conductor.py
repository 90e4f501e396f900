"""`Conductor`: runs tournaments next to the ladder, choosing their next blocks from their records.

All its state is in storage: it reads a tournament's record, asks the format for the next pairings,
and has the director play them. After a restart it reads the record again and continues, unfinished
blocks included. It does not poll: it wakes when a tournament changes and when results are recorded,
and the director asks it for blocks when bots connect.

One referee conducts a tournament, at first the senior. If no block can be played among the bots
connected to it, but one can be at another referee, it hands the tournament over to that one. When
that referee has stopped, the senior conducts the tournament again.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from contextlib import aclosing

import structlog

from arena.database.errors import LeaseLostError, StorageFailedError
from arena.games import OptionsError, UnknownGameError
from arena.records import TournamentId, VersionId
from arena.scheduling.ladder import Candidate
from arena.server.failover.result_writer import ResultWriter
from arena.server.ladder.agenda import Engagement, EngagementEnd
from arena.server.tournaments.running import RunningTournament
from arena.server.tournaments.staffing import Staffing
from arena.server.tournaments.tournament import Tournament
from arena.server.tournaments.tournament_bots import TournamentBots
from arena.server.tournaments.tournaments import Tournaments
from arena.server.tournaments.waits import Waits

MOST_BROKEN = 3
"""The number of blocks that may fail on our side before a tournament is paused.

After this many, the cause is likely to persist.
"""
SEARCH_SECONDS = 1.0
"""The interval of searches at other referees for bots of a tournament that cannot continue."""
LOOKS_PER_WAIT = 5
"""The number of searches between two records of how long tables have waited for absent bots."""
RETRY_SECONDS = 2.0
"""The pause before storage is tried again after it failed."""

log = structlog.get_logger()


class Conductor:
    """An Agenda for the director. `run` must be running."""

    def __init__(
        self,
        store: Tournaments,
        bots: TournamentBots,
        writer: ResultWriter,
        schedule: Callable[[], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        here: Callable[[str, Collection[int]], set[int]] = lambda _game, _versions: set(),
    ) -> None:
        """Conduct the tournaments in `store`, whose bots are in `bots`.

        `here` returns which of the given versions play rated matches of a game at this referee.
        """
        self._store = store
        self._bots = bots
        self._writer = writer
        self._schedule = schedule
        self._sleep = sleep
        self._running: dict[TournamentId, RunningTournament] = {}
        self._tournament_of: dict[Engagement, RunningTournament] = {}
        self._unknown: set[TournamentId] = set()
        self._looks = 0
        """The number of searches since waits were last recorded."""
        self._here = here
        self.staffing = Staffing(bots, self._present)
        self._waits = Waits(store, self._present)
        self._stuck: set[TournamentId] = set()
        """The tournaments that had no block to begin at the last search, for lack of bots here."""
        self._changed: set[TournamentId] = set()
        """The tournaments to read again."""
        self._all_changed = self._senior = self._searches = self._staffs = False
        self._reading = asyncio.Lock()
        self._news = asyncio.Event()
        writer.listeners.append(self._recorded)

    async def take_up(self) -> None:
        """Conduct, as the senior, the tournaments without a conductor or with a stopped one.

        Reads them, so that the director can then adopt their interrupted blocks.
        """
        self._senior = True
        await self._store.take_up(of_the_gone=True)
        await self._read()
        self._all_changed = True
        self._news.set()

    async def run(self, changes: AsyncGenerator[Collection[str]]) -> None:
        """Conduct until cancelled.

        `changes` yields the ids of tournaments that may have changed, or any other text if all may
        have.
        """
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen(changes))
            while True:
                await self._news.wait()
                self._news.clear()
                await self._look()

    async def search(self) -> None:
        """Look regularly for the bots of tournaments that cannot continue here, until cancelled."""
        while True:
            await self._sleep(SEARCH_SECONDS)
            if self._with_blocks_to_play() or self.staffing.called:
                self._searches = True
                self._news.set()

    # The calls of the director

    @property
    def wanted(self) -> Collection[int]:
        """The versions that engagements wait for."""
        return {bot for running in self._with_blocks_to_play() for bot in running.wanted}

    def next_engagement(self, free: Sequence[Candidate]) -> Engagement | None:
        """Return a block to play now among the free candidates; None if there is none."""
        for running in self._with_blocks_to_play():
            found = running.next_engagement(_versions_playing(free, running))
            if found is not None:
                engagement, opened = found
                if opened is not None:
                    self._writer.open_block(opened)
                self._tournament_of[engagement] = running
                # It goes to the end of the order, so that tournaments take turns.
                tournament_id = running.tournament.id
                self._running[tournament_id] = self._running.pop(tournament_id)
                return engagement
        return None

    def held(self, present: Sequence[Candidate]) -> Collection[int]:
        """Return the present bots that tournaments need for blocks that lack only free places."""
        held: set[int] = set()
        for running in self._with_blocks_to_play():
            playing = _versions_playing(present, running)
            held |= running.held(playing)
        return held

    def taken_up(self, block_id: str) -> Engagement | None:
        """Return the engagement of an interrupted block that is continued; None if unknown.

        A block is unknown if its tournament is over or conducted by another referee.
        """
        for running in self._running.values():
            engagement = running.taken_up(block_id)
            if engagement is not None:
                self._tournament_of[engagement] = running
                return engagement
        return None

    def ended(self, engagement: Engagement, ending: EngagementEnd) -> None:
        """Record that an engagement ended, and void its block if it is given up."""
        running = self._tournament_of.pop(engagement)
        if running.ended(engagement, ending):
            self._writer.end_block(engagement.block.id, void=True)

    def _with_blocks_to_play(self) -> list[RunningTournament]:
        return [running for running in self._running.values() if running.wanting]

    async def _present(self, running: RunningTournament) -> set[int]:
        """Return the versions that a tournament waits for and that are connected to any referee.

        Asks storage only about those that are not connected here.
        """
        game, wanted = running.tournament.rules.game, set(running.wanted)
        present = self._here(game, wanted)
        if away := [VersionId(one) for one in wanted - present]:
            present = present.union(*(await self._bots.whereabouts(game, away)).values())
        return present

    # Reading from and writing to storage

    def _recorded(self) -> None:
        if any(running.ended_blocks for running in self._running.values()):
            self._staffs = self.staffing.waiting > 0
            self._news.set()

    async def _listen(self, changes: AsyncGenerator[Collection[str]]) -> None:
        async with aclosing(changes):
            async for told in changes:
                self._changed |= {TournamentId(int(id_)) for id_ in told if id_.isdecimal()}
                self._all_changed |= not all(map(str.isdecimal, told))
                self._news.set()

    async def _look(self) -> None:
        """Read what has changed, continue all tournaments, and retry after a failure."""
        try:
            if self._changed or self._all_changed:
                changed = None if self._all_changed else self._changed
                self._changed, self._all_changed = set(), False
                if self._senior:
                    await self._store.take_up(of_the_gone=False)
                await self._read(changed)
            for running in list(self._running.values()):
                await self._go_on(running)
            if self._searches or self._staffs:
                self._staffs = False
                await self.staffing.staff(self._with_blocks_to_play(), self._tournament_of)
            if self._searches:
                self._searches = False
                for running in list(self._running.values()):
                    await self._look_elsewhere(running)
                self._looks += 1
                if self._looks >= LOOKS_PER_WAIT:
                    self._looks = 0
                    for running in self._with_blocks_to_play():
                        await self._count_wait(running)
        except LeaseLostError:
            raise
        except StorageFailedError as error:
            log.error("tournaments wait for storage", retry_s=RETRY_SECONDS, why=str(error))
            await self._retry()
        except Exception:
            # A bug of ours must not end the ladder's matches too.
            log.exception("tournaments broken", retry_s=RETRY_SECONDS)
            await self._retry()
        self._schedule()

    async def _retry(self) -> None:
        await self._sleep(RETRY_SECONDS)
        self._all_changed = True
        self._news.set()

    async def _read(self, ids: Collection[TournamentId] | None = None) -> None:
        """Read the conducted tournaments of `ids`, or all; begin new ones, close missing ones."""
        async with self._reading:
            begun = {tournament.id: tournament for tournament in await self._store.conducted(ids)}
            for tournament in begun.values():
                running = self._running.get(tournament.id)
                if running is None:
                    if not self._knows(tournament):
                        continue
                    running = RunningTournament(await self._store.record(tournament))
                    self._running[tournament.id] = running
                    self._void(running.give_up())
                    log.info("tournament taken up", tournament=tournament.name)
                else:
                    self._void(running.update(tournament))
            for tournament_id in self._running if ids is None else ids:
                if tournament_id in self._running and tournament_id not in begun:
                    self._void(self._running[tournament_id].close())

    async def _look_elsewhere(self, running: RunningTournament) -> None:
        """Hand over a tournament that cannot continue here but can at another referee.

        It must be stuck at two searches in a row, because bots connect one after another, and
        move from referee to referee.
        """
        tournament, wanted = running.tournament, set(running.wanted)
        game = tournament.rules.game
        if (
            not running.wanting
            or self._plays(running)
            or running.can_go_on(self._here(game, wanted))
        ):
            self._stuck.discard(tournament.id)
        elif tournament.id not in self._stuck:
            self._stuck.add(tournament.id)
        else:
            found = await self._bots.whereabouts(game, [VersionId(one) for one in wanted])
            able = [epoch for epoch, there in found.items() if running.can_go_on(set(there))]
            # A block may have begun in the meantime.
            if able and not self._plays(running) and self._forgotten(running):
                await self._hand_over(running, min(able))

    async def _count_wait(self, running: RunningTournament) -> None:
        playing = [one for one, of in self._tournament_of.items() if of is running]
        seconds = SEARCH_SECONDS * LOOKS_PER_WAIT
        if forfeited := await self._waits.lost(running, playing, seconds):
            self._void(running.forfeit(forfeited))

    def _plays(self, running: RunningTournament) -> bool:
        """Return whether one of its blocks is played here or has results not recorded yet."""
        return not running.resting or self._writer.writes(running.interrupted)

    def _forgotten(self, running: RunningTournament) -> bool:
        """Return whether storage no longer has its interrupted blocks as running here.

        Closes those that it still has, so that another referee may soon continue them.
        """
        kept = set(self._writer.snapshots.known()).intersection(running.interrupted)
        for block_id in kept:
            self._writer.snapshots.close(block_id)
        return not kept

    async def _hand_over(self, running: RunningTournament, epoch: int) -> None:
        tournament = running.tournament
        async with self._reading:
            # This comes first, so that no block of it begins here.
            del self._running[tournament.id]
            self._stuck.discard(tournament.id)
            self._changed.add(tournament.id)  # only storage knows whether it is still ours
            await self._store.hand_over(tournament.id, epoch)
        log.info(
            "a tournament is conducted where its bots are",
            tournament=tournament.name,
            referee=epoch,
        )
        self._news.set()

    def _knows(self, tournament: Tournament) -> bool:
        """Return whether this release has its game and options; if not, newer referees conduct."""
        try:
            return bool(tournament.table_type)
        except (UnknownGameError, OptionsError) as error:
            if tournament.id not in self._unknown:
                self._unknown.add(tournament.id)
                log.error(
                    "a tournament is left to a referee of a newer release",
                    tournament=tournament.name,
                    why=str(error),
                )
            return False

    async def _go_on(self, running: RunningTournament) -> None:
        """Settle its ended blocks, add the pairings that are due, and pause it if it breaks."""
        tournament = running.tournament
        ended = running.ended_blocks
        if ended:
            running.settle(await self._store.blocks(tournament, ended))
        if running.offering and running.broken >= MOST_BROKEN:
            log.error("tournament paused: its matches break", tournament=tournament.name)
            await self._store.suspend(tournament.id)
        try:
            while running.offering and running.due:
                running.due = False
                await self._pair(running)
        except (StorageFailedError, LeaseLostError):
            running.due = True
            raise
        except Exception:
            log.exception("tournament paused: it cannot be paired", tournament=tournament.name)
            await self._store.suspend(tournament.id)
        if tournament.state.over and running.idle:
            self._running.pop(tournament.id, None)
            self._waits.forget(tournament.id)

    async def _pair(self, running: RunningTournament) -> None:
        """Ask the format for the next pairings and record them, or finish the tournament."""
        tournament = running.tournament
        # In a thread: pairing a large Swiss takes longer than a bot should wait for its turn.
        added = await asyncio.to_thread(
            tournament.plan.next_pairings,
            len(tournament.entries),
            running.played(),
            tournament.withdrawn,
        )
        if added is None:
            await self._store.finish(tournament.id)
            log.info("tournament finished", tournament=tournament.name)
        elif added:
            await self._store.add_pairings(tournament.id, added)
            running.add_pairings(added)

    def _void(self, block_ids: Sequence[str]) -> None:
        for block_id in block_ids:
            self._writer.end_block(block_id, void=True)


def _versions_playing(candidates: Sequence[Candidate], running: RunningTournament) -> set[int]:
    """Return the versions that play the tournament's game."""
    game = running.tournament.rules.game
    return {candidate.bot for candidate in candidates if game in candidate.games}
