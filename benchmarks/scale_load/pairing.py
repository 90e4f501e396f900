"""What it costs to find a table of the ladder among many connected bots, as a referee does it."""

import gc
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from arena.games import make_game
from arena.match.transcript import Entrant
from arena.randomness import KeyedRandomness, shuffled
from arena.records import Registered, VersionId
from arena.scheduling.ladder import MeetingCounts, TableType
from arena.scheduling.shares import BlockTime
from arena.scheduling.strengths import Strengths, chance
from arena.server.ladder.connected_bots import ConnectedBot
from arena.server.ladder.ladder_tables import LadderTable, LadderTables
from arena.server.ladder.roster import Roster
from arena.server.play.ports import ChallengePolicy, Player

TABLES: Final = 2_000
PLACES: Final = 4
"""The places of each bot; half of all places are taken during the measurement."""
PLAYED: Final = 20
"""Matches of each bot before, on average."""
SECONDS: Final = 2.0
"""The duration of a block of two matches."""


@dataclass(frozen=True, slots=True)
class _Guest:
    """A connected bot that is never asked to play."""

    registered: Registered
    instance: str = ""
    games: frozenset[str] = frozenset({"bluff"})
    max_matches: int = PLACES
    challenges: ChallengePolicy = ChallengePolicy.ACCEPT

    def player(self) -> Player:
        raise NotImplementedError

    def drained(self) -> None:
        raise NotImplementedError

    def when_heard(self, call: Callable[[], None]) -> None:
        raise NotImplementedError


class _Ladder:
    """The part of a director that finds tables: the roster, the ladder's tables, who met whom."""

    def __init__(self, bots: int) -> None:
        rng = Random(7)
        self.table_type = TableType("bluff", make_game("bluff").options, 2)
        self.counts, strengths = MeetingCounts(), Strengths()
        self.tables = LadderTables([self.table_type], self.counts, strengths, house_pace=1.0)
        self.roster = Roster()
        self.running: deque[list[ConnectedBot]] = deque()
        self.now = 0.0
        true = [rng.gauss(0, 2) for _ in range(bots)]
        for _ in range(bots * PLAYED // 2):
            one, other = rng.sample(range(bots), 2)
            won = rng.random() < chance(true[one], true[other])
            self.counts.add(self.table_type, (one, other))
            strengths.learn(self.table_type, (one, other), (1, 2) if won else (2, 1))
        for number in range(bots):
            entrant = Entrant(f"bot{number}", "1", f"owner{number}")
            version = VersionId(number)
            guest = _Guest(Registered(version, entrant, house=False))
            self.tables.came(self.roster.arrive(guest))

    def find(self) -> LadderTable:
        """The next table."""
        for version, candidate in self.roster.changes(self.now):
            self.tables.note(version, candidate)
        table = self.tables.next(self.now)
        assert isinstance(table, LadderTable)
        return table

    def open(self, table: LadderTable) -> None:
        """Seat the bots by chance, and take their places."""
        drawn = KeyedRandomness(len(self.running).to_bytes(32, "big"))
        bots = []
        for one in shuffled(drawn, "seat", table.bots):
            bot = self.roster.idlest(one.bot, self.now, Counter(), ladder=True)
            assert bot is not None
            bots.append(bot)
        self.tables.opened(self.table_type, table.bots, self.now)
        self.counts.add(self.table_type, [one.bot for one in table.bots])
        self.tables.occupied(self.table_type, bots)
        self.roster.take_places(bots)
        self.running.append(bots)

    def close(self) -> None:
        """End the oldest table: free its places, and charge its time to the owners."""
        bots = self.running.popleft()
        candidates = [bot.candidate for bot in bots]
        used = {one.bot: SECONDS / 4 for one in candidates}
        time_used = BlockTime(self.table_type.key, candidates, SECONDS, 2, 0, used)
        self.tables.closed(self.table_type, bots, SECONDS, self.now)
        self.tables.note_time(self.table_type, time_used, self.now)
        self.roster.give_back_places(bots)
        self.tables.look_again()


def microseconds_a_table(bots: int) -> dict[str, float]:
    """Return means of CPU time over TABLES tables of two, while half of all places are taken: for
    choosing the next table, with the fair shares of places; and for all that a table costs,
    including its places, which are taken and given back at its end."""
    ladder = _Ladder(bots)
    ladder.tables.look_again()
    running = bots * PLACES // 4
    for _ in range(running):
        ladder.open(ladder.find())
    # Otherwise the objects made so far cause a full collection below, which took half of the time.
    # It is not part of choosing: a referee freezes its modules' objects and seldom has one
    # (`arena.server.app.event_loop`).
    gc.collect()
    began, choosing = time.process_time_ns(), 0
    for _ in range(TABLES):
        ladder.now += SECONDS / running
        ladder.close()
        before = time.process_time_ns()
        table = ladder.find()
        choosing += time.process_time_ns() - before
        ladder.open(table)
    all_of_it = time.process_time_ns() - began
    return {"choosing, µs": choosing / 1e3 / TABLES, "all, µs": all_of_it / 1e3 / TABLES}
