"""A tournament in local processes, with new bot objects per match: no server, no database.

Deal blocks: one process for each rotation of the seats, which plays its match of every block of
every pairing. No two pairings share a deal, so no process gets a deal twice. Where there are more
cores than seats, several sets of processes share the pairings out. With fresh deals the same
processes play seat blocks. Where a bot is a program that connects, each bot is one process and
plays seat blocks.

The seed determines all random choices, of the schedule and of each pairing's deals. The same seed
and bots give the same tournament.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import chain, cycle, product, repeat
from pathlib import Path
from typing import TYPE_CHECKING

from arena.executors import WorkPool
from arena.games.game import AnyGame
from arena.local.apart import PART_BLOCKS, play_parts
from arena.local.deal_blocks import BlockBrokenError, BlockMatch, NamedBot, Series, every_rotation
from arena.local.in_process import Seed
from arena.local.lineup_processes import LineupProcess, lineup_sets
from arena.match.seating import moved_on
from arena.match.transcript import Entrant
from arena.records import BlockKind, Registered, TournamentId, VersionId
from arena.server.tournaments import tournament as recorded
from arena.server.tournaments.tournament import (
    BlockRecord,
    BlockState,
    PairingKey,
    Tournament,
    TournamentRecord,
)

if TYPE_CHECKING:
    from arena.local.programs.table import ProgramTable, Seating


def tournament_of(entries: Sequence[NamedBot], rules: recorded.Rules) -> Tournament:
    """Return a running tournament among these bots, seeded in this order, without versions."""
    field = tuple(
        recorded.Entry(
            number, Registered(VersionId(number), Entrant(entry.name, "", ""), False), None
        )
        for number, entry in enumerate(entries, start=1)
    )
    return Tournament(
        TournamentId(0),
        f"{rules.game} {rules.format.value}",
        rules,
        recorded.TournamentState.RUNNING,
        field,
        datetime.now(UTC),
    )


@dataclass(slots=True)
class InProcess:
    """A tournament played in local processes."""

    game: AnyGame
    entries: Sequence[NamedBot]
    record: TournamentRecord
    kind: BlockKind
    faults: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """The number of faults by bot, kind and reason."""
    logs: Path | None = None
    """The folder of the programs' logs, if one of the bots is a program."""
    jobs: int = 1
    """The number of processes that play at the same time, if none of the bots is a program."""
    workers: WorkPool | None = None
    """The cluster that plays instead."""

    def blocks(self) -> Generator[None, None, None]:
        """Play to the end, and yield after each block that counts.

        Raises UnreadyBotError, UnknownBotError and BlockBrokenError. Close it to end the processes.
        """
        tournament = self.record.tournament
        with self._stage() as play:
            while True:
                added = tournament.plan.next_pairings(len(self.entries), self.record.played())
                if added is None:
                    return
                assert added, "nothing is awaited, so something must come"
                self.record.add_pairings(added)
                # Pairings that are level may need further blocks.
                while self.unfinished:
                    yield from play(self.unfinished)

    @contextmanager
    def _stage(self) -> Iterator[Callable[[Sequence[PairingKey]], Iterator[None]]]:
        """Provide a function that plays the missing blocks of pairings and yields after each."""
        if self.workers is not None:
            yield partial(self._play_apart, self.workers)
        elif self.logs is None:
            with lineup_sets(self.game, self.record.tournament.rules.seats, self.jobs) as sets:
                yield partial(self._play, sets)
        else:
            # Imported here: matches in process must not wait for gRPC.
            from arena.local.programs.table import ProgramTable

            control = self.record.tournament.rules.time_control
            with ProgramTable(self.game, self.entries, self.logs, time_control=control) as table:
                yield partial(self._play_programs, table)

    @property
    def unfinished(self) -> list[PairingKey]:
        """The pairings with blocks to play, in the order of play."""
        return [key for key in sorted(self.record.pairings) if self._lacking(key)]

    def who_meets(self, key: PairingKey) -> str:
        """Return a pairing in words."""
        names = (self.entries[number - 1].name for number in self.record.pairings[key].entries)
        return f"Round {key[0]}, table {key[1]} ({' – '.join(names)})"

    def _lacking(self, key: PairingKey) -> int:
        return self.record.blocks_wanted(key) - self.record.blocks_counted(key)

    def _play(
        self, sets: Sequence[Sequence[LineupProcess]], keys: Sequence[PairingKey]
    ) -> Iterator[None]:
        for at_play, key in zip(sets, keys, strict=False):
            self._begin(at_play, key)
        for at_play, key, ahead in zip(cycle(sets), keys, chain(keys[len(sets) :], repeat(None))):
            # Each process gets its next match before its last is read: none waits for the slowest.
            if ahead is not None:
                self._begin(at_play, ahead)
            for _ in range(self._lacking(key)):
                try:
                    matches = [process.next_match() for process in at_play]
                except BlockBrokenError as error:
                    raise BlockBrokenError(f"{self.who_meets(key)}: {error}") from error
                self._take(key, matches)
                yield

    def _play_apart(self, workers: WorkPool, keys: Sequence[PairingKey]) -> Iterator[None]:
        wanted = {key: self._lacking(key) for key in keys}
        every = max(1, PART_BLOCKS * len(keys) // max(1, sum(wanted.values())))
        grouped = [keys[start : start + every] for start in range(0, len(keys), every)]
        parts = (tuple(self._series(key) for key in group) for group in grouped)
        with closing(play_parts(workers, self.game, parts)) as played:
            for group, blocks in zip(grouped, played, strict=True):
                of_key = chain.from_iterable(repeat(key, wanted[key]) for key in group)
                for key, matches in zip(of_key, blocks, strict=True):
                    self._take(key, matches)
                    yield

    def _play_programs(self, table: "ProgramTable", keys: Sequence[PairingKey]) -> Iterator[None]:
        lacking = {key: self._lacking(key) for key in keys}
        seats = self.record.tournament.rules.seats
        with closing(table.play(self._seatings(lacking))) as played:
            for key, blocks in lacking.items():
                for _ in range(blocks):
                    matches = [next(played) for _ in range(seats)]
                    orders = (moved_on(seats, shift) for shift in range(seats))
                    self._take(
                        key,
                        [
                            BlockMatch(order, match.result, match.refused, None)
                            for order, match in zip(orders, matches, strict=True)
                        ],
                    )
                    yield

    def _seatings(self, lacking: Mapping[PairingKey, int]) -> Iterator["Seating"]:
        from arena.local.programs.table import Seating

        seats = self.record.tournament.rules.seats
        for key, blocks in lacking.items():
            numbers = self.record.pairings[key].entries
            of_pairing = self._seed(key)
            for block, shift in product(range(blocks), range(seats)):
                seed = Seed(f"{of_pairing} rotation {shift + 1}")
                order = tuple(numbers[at] - 1 for at in moved_on(seats, shift))
                yield Seating(seed, f"match {block}", order)

    def _seed(self, key: PairingKey) -> str:
        """Return the seed of the blocks that a pairing lacks now."""
        return "{} round {} table {} block {}".format(
            self.record.tournament.rules.seed, *key, self.record.blocks_counted(key) + 1
        )

    def _begin(self, at_play: Sequence[LineupProcess], key: PairingKey) -> None:
        for process, series in zip(at_play, self._series(key), strict=True):
            process.begin(series)

    def _series(self, key: PairingKey) -> tuple[Series, ...]:
        """Return the blocks that a pairing lacks, by rotation of the seats."""
        entries = [self.entries[number - 1] for number in self.record.pairings[key].entries]
        of_pairing, control = self._seed(key), self.record.tournament.rules.time_control
        fresh = self.kind is BlockKind.SEAT
        return tuple(
            Series(
                lineup,
                f"{of_pairing} rotation {lineup.shift + 1}" if fresh else of_pairing,
                self._lacking(key),
                time_control=control,
            )
            for lineup in every_rotation(entries)
        )

    def _take(self, key: PairingKey, matches: Sequence[BlockMatch]) -> None:
        entries = self.record.pairings[key].entries
        versions = [self.record.tournament.version(number) for number in entries]
        placings = []
        for match in matches:
            seated = [versions[at] for at in match.contenders]
            placings.append(dict(zip(seated, match.result.placing, strict=True)))
            for refused in match.refused:
                number = entries[match.contenders[refused.seat]]
                name = self.entries[number - 1].name
                self.faults[name, refused.kind.value, refused.reason] += 1
        self.record.add_blocks([BlockRecord("", key, BlockState.CLOSED, tuple(placings))])
