"""`ConnectedLadders`: the blocks on ladders of events in which a connected bot plays.

Workers cannot start such a bot, so the referee to which it is connected plays them, with other bots
of the event that are connected there: hosted bots during a shift and house bots, too. They are seat
blocks, because a running program would recognise a repeated deal. They are added to the blocks that
workers play. If a block is cut short, the matches played count, as on the public ladder: otherwise
a losing bot could cancel it by leaving.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from itertools import product
from typing import Final

import structlog

from arena.database.errors import StorageFailedError
from arena.database.listening import set_on
from arena.identifiers import new_id
from arena.records import Block, BlockKind
from arena.scheduling.ladder import Candidate
from arena.server.events.ladders.connected_blocks import ConnectedBlocks, ConnectedLadder
from arena.server.failover.result_writer import ResultWriter
from arena.server.ladder.agenda import Engagement, EngagementEnd
from arena.waiting import wait_at_most

LOOK_SECONDS: Final = 15.0
"""The interval of reading who plays: new versions send no notification."""

log = structlog.get_logger()


class ConnectedLadders:
    """An Agenda for the director. `run` must be running."""

    def __init__(
        self,
        blocks: ConnectedBlocks,
        writer: ResultWriter,
        schedule: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._blocks = blocks
        self._writer = writer
        self._schedule = schedule
        self._clock = clock
        self._ladders: Sequence[ConnectedLadder] = ()
        self._due: dict[int, float] = {}
        """When the next block may begin, by event."""
        self._met: Counter[tuple[int, int]] = Counter()
        """How often players met, as far as this referee knows."""
        self._begun: Counter[int] = Counter()
        """The begun blocks of each player that its count in storage lacks; declined ones stay."""
        self._free: Collection[int] = ()
        """The versions that had a free place at the last look for a block."""
        self._running: dict[Engagement, ConnectedLadder] = {}
        self._played: dict[str, tuple[int, list[int], int]] = {}
        """Event, players and number of matches of the blocks whose results are being recorded."""
        self._news = asyncio.Event()
        writer.listeners.append(self._recorded)

    async def run(self, changes: AsyncGenerator[Collection[str]]) -> None:
        """Follow the events until cancelled; `changes` yields when one may have changed."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(set_on(changes, self._news))
            while True:
                await wait_at_most(self._news, LOOK_SECONDS)
                self._news.clear()
                try:
                    await self._look()
                except StorageFailedError as error:
                    log.error("ladders of events wait for storage", why=str(error))
                except Exception:
                    log.exception("connected bots on ladders of events not looked after")

    async def _look(self) -> None:
        for block_id, (event_id, players, matches) in list(self._played.items()):
            if await self._blocks.add(event_id, block_id, players, matches):
                del self._played[block_id]
                self._begun.subtract(players)
        self._ladders = await self._blocks.playing()
        if self._ladders:
            self._schedule()

    def _recorded(self) -> None:
        if self._played:
            self._news.set()

    # The calls of the director

    @property
    def wanted(self) -> Collection[int]:
        """The versions that play on a ladder whose next block may begin."""
        return {version for ladder in self._waiting() for version in ladder.players}

    def next_engagement(self, free: Sequence[Candidate]) -> Engagement | None:
        """Return a block to play now among the free candidates; None if there is none."""
        self._free = {one.bot for one in free}
        for ladder in self._waiting():
            table = self._table(ladder, free, free)
            if table:
                self._due[ladder.event_id] = self._clock() + ladder.seconds
                asyncio.get_running_loop().call_later(ladder.seconds, self._schedule)
                # The seats rotate from block to block: no bot gets its choice by leaving others.
                me = ladder.players[table[0]]
                begins = self._met[me, me] % len(table)
                table = table[begins:] + table[:begins]
                players = [ladder.players[one] for one in table]
                self._begun.update(players)
                self._met.update(product(players, players))
                block = Block(new_id(), BlockKind.SEAT, ladder.table_type.seats, rated=False)
                engagement = Engagement(ladder.table_type, tuple(table), block)
                self._running[engagement] = ladder
                return engagement
        return None

    def held(self, present: Sequence[Candidate]) -> Collection[int]:
        """Return the present bots of blocks that lack only free places.

        If no connected bot has a free place, only the next one is held: a bot that is busy for long
        must not keep others from the ladder.
        """
        free = [one for one in present if one.bot in self._free]
        held: set[int] = set()
        for ladder in self._waiting():
            table = self._table(ladder, present, free)
            held.update(table or self._table(ladder, present, present)[:1])
        return held

    def taken_up(self, _block_id: str) -> Engagement | None:
        """Return None: the event of a block that another referee began is not known any more."""
        return None

    def ended(self, engagement: Engagement, ending: EngagementEnd) -> None:
        """Note that a block is over; what was played of it counts unless the referee failed."""
        ladder, block = self._running.pop(engagement), engagement.block
        players = [ladder.players[one] for one in engagement.bots]
        if ending is EngagementEnd.BROKEN:
            self._begun.subtract(players)
            return
        matches = block.size - len(engagement.left)
        if ending is EngagementEnd.INTERRUPTED:
            self._writer.end_block(block.id, void=not matches)
        if matches:
            self._played[block.id] = ladder.event_id, players, matches
            self._news.set()
        else:
            # The bot gets the same opponents and seat again, after others: declining gains nothing.
            self._met.subtract(product(players, players))

    def _waiting(self) -> list[ConnectedLadder]:
        now = self._clock()
        return [
            one for one in self._ladders if one.connected and self._due.get(one.event_id, 0) <= now
        ]

    def _table(
        self, ladder: ConnectedLadder, among: Sequence[Candidate], firsts: Sequence[Candidate]
    ) -> list[int]:
        """Return the connected bot of `firsts` with the fewest blocks, and those it has met least.

        Returns [] if too few of `among` can play.
        """
        game = ladder.table_type.game
        able = [one.bot for one in among if one.bot in ladder.players and game in one.games]
        mine = [one.bot for one in firsts if one.bot in ladder.connected and game in one.games]
        if not mine:
            return []
        first = min(
            mine, key=lambda one: (ladder.connected[one] + self._begun[ladder.players[one]], one)
        )
        me, table = ladder.players[first], [first]
        for other in sorted(able, key=lambda one: (self._met[me, ladder.players[one]], one)):
            # Several versions of a house bot may be connected.
            if ladder.players[other] not in {ladder.players[one] for one in table}:
                table.append(other)
        seats = ladder.table_type.seats
        return table[:seats] if len(table) >= seats else []
