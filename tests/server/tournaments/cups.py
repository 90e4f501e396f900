"""Tournaments for tests: a store in memory, and a world in which a conductor runs them."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from arena.database.errors import StorageFailedError
from arena.match.score_rule import ScoreRule
from arena.records import TournamentBlock, TournamentId, VersionId
from arena.scheduling.formats import FormatName
from arena.scheduling.pairings import EntryNumber, Pairing
from arena.server.tournaments.conductor import Conductor
from arena.server.tournaments.tournament import (
    BlockRecord,
    BlockState,
    Entry,
    PairingKey,
    Rules,
    Tournament,
    TournamentRecord,
    TournamentState,
)
from tests.server.ladder.arrivals import SMALL, Guest, World
from tests.server.ladder.recorders import FakeRecorder


@dataclass
class CupRecorder(FakeRecorder):
    """A recorder that knows which blocks are of a tournament: the conductor's store, too."""

    tournaments: dict[TournamentId, Tournament] = field(default_factory=dict)
    pairings: dict[TournamentId, dict[PairingKey, Pairing]] = field(default_factory=dict)
    begun_blocks: list[TournamentBlock] = field(default_factory=list)
    changes: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    read: list[TournamentId] = field(default_factory=list)
    """The tournaments that were read with their fields, in order."""
    elsewhere: dict[int, set[VersionId]] = field(default_factory=dict)
    """By the lease of another referee, who has places there."""
    handed_over: dict[TournamentId, int] = field(default_factory=dict)
    taken_up: list[bool] = field(default_factory=list)
    """At each taking up, whether it was of the gone as well."""
    gathered: tuple[set[VersionId], set[VersionId]] = field(default_factory=lambda: (set(), set()))
    """Whose shifts come first and then."""
    can_be_run: set[VersionId] = field(default_factory=set)
    """The versions that a worker can run."""
    going_on: list[bool] = field(default_factory=list)
    """Whether blocks were played, at each record of waits."""
    waited: dict[tuple[TournamentId, EntryNumber], float] = field(default_factory=dict)
    forfeited: dict[TournamentId, dict[PairingKey, set[EntryNumber]]] = field(default_factory=dict)

    def put(self, tournament: Tournament) -> None:
        """Create or change a tournament, and tell."""
        self.tournaments[tournament.id] = tournament
        self.changes.put_nowait(str(tournament.id))

    async def notifications(self) -> AsyncGenerator[frozenset[str]]:
        while True:
            yield frozenset({await self.changes.get()})

    async def open_blocks(self, blocks: Sequence[TournamentBlock]) -> None:
        await super().open_blocks(blocks)
        self.begun_blocks += blocks

    async def conducted(self, ids: Collection[TournamentId] | None = None) -> list[Tournament]:
        self._fail()
        found = [
            one
            for one in self.tournaments.values()
            if one.state in (TournamentState.RUNNING, TournamentState.PAUSED)
            if (ids is None or one.id in ids) and one.id not in self.handed_over
        ]
        self.read += [one.id for one in found]
        return found

    async def take_up(self, *, of_the_gone: bool) -> None:
        self._fail()
        self.taken_up.append(of_the_gone)

    async def hand_over(self, tournament_id: TournamentId, epoch: int) -> None:
        self.handed_over[tournament_id] = epoch

    async def whereabouts(
        self, game: str, versions: Collection[VersionId]
    ) -> dict[int, set[VersionId]]:
        return {epoch: there.intersection(versions) for epoch, there in self.elsewhere.items()}

    async def record_of(self, tournament: Tournament) -> TournamentRecord:
        record = TournamentRecord(tournament)
        record.add_pairings(self.pairings.get(tournament.id, {}).values())
        record.forfeit(self.forfeited.get(tournament.id, {}))
        record.add_blocks(self.blocks_of(tournament))
        return record

    async def blocks(self, tournament: Tournament, block_ids: Collection[str]) -> list[BlockRecord]:
        self._fail()
        return [one for one in self.blocks_of(tournament) if one.block_id in block_ids]

    async def add_pairings(self, tournament_id: TournamentId, pairings: Sequence[Pairing]) -> None:
        self._fail()
        known = self.pairings.setdefault(tournament_id, {})
        for one in pairings:
            known.setdefault((one.round, one.table), one)
        self.changes.put_nowait(str(tournament_id))

    async def wait(
        self,
        tournament: Tournament,
        absent: Collection[EntryNumber],
        present: Collection[EntryNumber],
        seconds: float,
        *,
        going_on: bool,
    ) -> dict[EntryNumber, float]:
        self._fail()
        self.going_on.append(going_on)
        for number in present:
            self.waited.pop((tournament.id, number), None)
        for number in absent:
            waited = self.waited.get((tournament.id, number), 0.0)
            self.waited[tournament.id, number] = waited + seconds
        return {number: self.waited[tournament.id, number] for number in absent}

    async def hosted(self, versions: Collection[VersionId]) -> set[VersionId]:
        return self.can_be_run.intersection(versions)

    async def gather(self, first: Collection[VersionId], then: Collection[VersionId]) -> int:
        self.gathered = set(first), set(then)
        return len({*first, *then})

    async def forfeit(
        self, tournament_id: TournamentId, absent: Mapping[PairingKey, Collection[EntryNumber]]
    ) -> None:
        self._fail()
        known = self.forfeited.setdefault(tournament_id, {})
        for key, entries in absent.items():
            known.setdefault(key, set()).update(entries)
        self.changes.put_nowait(str(tournament_id))

    async def finish(self, tournament_id: TournamentId) -> None:
        self.put(replace(self.tournaments[tournament_id], state=TournamentState.FINISHED))

    async def suspend(self, tournament_id: TournamentId) -> None:
        self.put(replace(self.tournaments[tournament_id], state=TournamentState.PAUSED))

    def blocks_of(self, tournament: Tournament) -> list[BlockRecord]:
        found = []
        for one in self.begun_blocks:
            if one.tournament_id == tournament.id:
                played = [match for match in self.matches if match.block.id == one.block.id]
                state = BlockState.CLOSED if len(played) == one.block.size else BlockState.OPEN
                if one.block.id in self.voided:
                    state = BlockState.VOID
                placings = tuple(
                    dict(zip(match.version_ids, match.transcript.result.placing, strict=True))
                    for match in played
                )
                found.append(BlockRecord(one.block.id, one.pairing, state, placings))
        return found


class _Store:
    """The conductor's side of the recorder, where two methods of one name would meet."""

    def __init__(self, recorder: CupRecorder) -> None:
        self.record = recorder.record_of
        self.conducted = recorder.conducted
        self.take_up = recorder.take_up
        self.hand_over = recorder.hand_over
        self.blocks = recorder.blocks
        self.add_pairings = recorder.add_pairings
        self.wait = recorder.wait
        self.forfeit = recorder.forfeit
        self.finish = recorder.finish
        self.suspend = recorder.suspend


class CupWorld(World):
    """A world with a conductor. A second one on the same recorder is a restarted referee."""

    def __init__(self, recorder: CupRecorder | None = None, **more: Any) -> None:
        self.cups = recorder or CupRecorder()
        super().__init__(recorder=self.cups, **more)
        self.conductor = Conductor(
            *(_Store(self.cups), self.cups, self.writer, self.director.schedule, self._no_sleep),
            here=self.director.playing,
        )
        self.director.agenda = self.conductor
        self._conducting: asyncio.Task[None] | None = None

    async def _no_sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)

    def field(self, *names: str, **habits: Any) -> list[Guest]:
        return [self.arrive(name, **habits) for name in names]

    def cup(
        self,
        guests: Sequence[Guest],
        format_name: FormatName = FormatName.ROUND_ROBIN,
        *,
        blocks: int = 1,
        seats: int = 2,
        number: int = 1,
        **more: Any,
    ) -> Tournament:
        """A running tournament among the guests, seeded as they come."""
        rules = Rules(
            format_name,
            "bluff",
            SMALL | {"dice_per_player": 2},
            seats,
            blocks,
            more.pop("rounds", None),
            ScoreRule.PLACEMENT,
            "s",
            more.pop("rated", True),
            patience_seconds=more.pop("patience", 10**9),
        )
        entries = tuple(
            Entry(at, guest.registered, None) for at, guest in enumerate(guests, start=1)
        )
        tournament = Tournament(
            TournamentId(number),
            f"cup{number}",
            rules,
            TournamentState.RUNNING,
            entries,
            datetime.now(UTC),
        )
        self.cups.put(replace(tournament, **more))
        return tournament

    async def play(self, seconds: float, step: float = 0.25) -> None:
        """Let time pass with a conductor at work, and everything settle in between.

        No longer than until all tournaments are finished: the ladder would go on.
        """
        if self._conducting is None:
            with contextlib.suppress(StorageFailedError):
                await self.conductor.take_up()
            self._conducting = asyncio.create_task(self.conductor.run(self.cups.notifications()))
            self.cups.changes.put_nowait("")
        until = self.timer.now() + seconds
        while self.timer.now() < until:
            await self._quiet()
            if self.cups.tournaments and all(
                one.state is TournamentState.FINISHED for one in self.cups.tournaments.values()
            ):
                return
            await self.turn(min(step, until - self.timer.now()), step)
        await self._quiet()

    async def conductor_looks(self) -> None:
        """Let the conductor look several times, though all tournaments are over."""
        for _ in range(10):
            await self._quiet()

    async def stop(self) -> None:
        """As a kill does: nothing is wound down."""
        assert self._conducting is not None
        self._conducting.cancel()
        await asyncio.gather(self._conducting, return_exceptions=True)

    async def _quiet(self) -> None:
        """Give the conductor, and its threads, the time to do what it has to."""
        for _ in range(5):
            await asyncio.sleep(0.001)
        assert self._conducting is not None
        if self._conducting.done():
            self._conducting.result()

    def state(self, number: int = 1) -> TournamentState:
        return self.cups.tournaments[TournamentId(number)].state

    async def record(self, number: int = 1) -> TournamentRecord:
        return await self.cups.record_of(self.cups.tournaments[TournamentId(number)])


def gone_to(world: CupWorld, guests: Sequence[Guest], referee: int) -> None:
    for guest in guests:
        world.director.depart(guest)
        world.cups.elsewhere.setdefault(referee, set()).add(guest.registered.version_id)


def counted(world: CupWorld) -> Counter[tuple[str, ...]]:
    """Blocks of the tournament that count, by who met."""
    tournament = next(iter(world.cups.tournaments.values()))
    entries = {
        one.block.id: world.cups.pairings[tournament.id][one.pairing].entries
        for one in world.cups.begun_blocks
    }
    return Counter(
        tuple(
            sorted(
                tournament.entries[entry - 1].registered.entrant.bot
                for entry in entries[block.block_id]
            )
        )
        for block in world.cups.blocks_of(tournament)
        if block.state is BlockState.CLOSED
    )
