"""`RunningBlocks`: the running blocks of a director, and what each takes while it runs.

A block holds a place of each of its bots. A block of the ladder takes a table of its ladder and
counts as a meeting of its bots; a challenge takes its places from the challenger's share.
"""

from collections.abc import Iterator

from arena.scheduling.ladder import MeetingCounts
from arena.server.ladder.block_run import BlockRun
from arena.server.ladder.connected_bots import ConnectedBot
from arena.server.ladder.ladder_tables import LadderTables
from arena.server.ladder.roster import Roster
from arena.server.play.ports import ShowableMatch, Timer


class RunningBlocks:
    """The blocks of a director that have begun and are not over."""

    def __init__(
        self, roster: Roster, tables: LadderTables, counts: MeetingCounts, timer: Timer
    ) -> None:
        self._roster = roster
        self._tables = tables
        self._counts = counts
        self._timer = timer
        self._blocks: set[BlockRun] = set()
        self._adopted: dict[int, dict[BlockRun, None]] = {}
        """The blocks of an earlier referee by version, which may wait for absent bots."""

    def __len__(self) -> int:
        return len(self._blocks)

    def __iter__(self) -> Iterator[BlockRun]:
        return iter(self._blocks)

    def showable(self) -> Iterator[tuple[ShowableMatch, str]]:
        """Yield the matches that are being played, each with the name of its tournament or ""."""
        for block in self._blocks:
            for match in block.matches:
                if match.running:
                    yield match, block.tournament

    def begin(self, running: BlockRun) -> None:
        """Add a block that begins."""
        if running.of_ladder:
            self._tables.opened(running.table_type, running.candidates, self._timer.now())
        self._take(running)

    def adopt(self, running: BlockRun) -> None:
        """Add a block of an earlier referee that continues."""
        for candidate in running.candidates:
            self._adopted.setdefault(candidate.bot, {})[running] = None
        self._take(running)

    def returned(self, bot: ConnectedBot) -> None:
        """Let blocks of an earlier referee that may have waited for this bot continue."""
        for running in list(self._adopted.get(bot.candidate.bot, ())):
            running.returned(bot)

    def end(self, running: BlockRun) -> float | None:
        """Remove a block that has ended.

        Returns when to look for tables again if some bots must rest from each other, otherwise
        None.
        """
        self._blocks.discard(running)
        self._forget_adopted(running)
        rest = None
        if running.of_ladder:
            seconds, now = running.time.seconds, self._timer.now()
            self._tables.closed(running.table_type, running.bots, seconds, now)
            rest = self._count(running)
        self._charge(running, -1)
        self._roster.give_back_places(running.bots)
        return rest

    def _forget_adopted(self, running: BlockRun) -> None:
        """Remove a block from those of an earlier referee, if it is one."""
        for candidate in running.candidates:
            adopted = self._adopted.get(candidate.bot, {})
            adopted.pop(running, None)
            if not adopted:
                self._adopted.pop(candidate.bot, None)

    def _take(self, running: BlockRun) -> None:
        if len(running.left) == running.block.size:  # nothing of it counts so far
            self._meet(running, 1)
        self._blocks.add(running)
        if running.of_ladder:
            self._tables.occupied(running.table_type, running.bots)
        self._charge(running, 1)
        self._roster.take_places(running.bots)

    def _count(self, running: BlockRun) -> float | None:
        """Record how long a ladder block held its places; without a played match it is no meeting.

        Returns when bots that must rest from each other may meet again, otherwise None.
        """
        if len(running.left) == running.block.size:
            self._meet(running, -1)
        time = running.time
        if time.played or time.unplayed:
            return self._tables.note_time(running.table_type, time, self._timer.now())
        return None

    def _meet(self, running: BlockRun, times: int) -> None:
        """Add `times` meetings of the block's bots to the counts; a challenge is none."""
        if not running.casual:
            bots = [bot.candidate.bot for bot in running.bots]
            self._counts.add(running.table_type, bots, times)

    def _charge(self, running: BlockRun, by: int) -> None:
        if running.challenge is not None:
            challenger, opponents = running.challenge.challenger, running.challenge.opponents
            self._tables.charge(challenger.candidate, [one.candidate for one in opponents], by)
