"""`RunningTournament`: which blocks of a tournament can begin, and which are being played.

Only storage decides what counts: the state of an ended block is read there, and a void block is
played again under a new id.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from arena.identifiers import new_id
from arena.records import Block, BlockKind, TournamentBlock, VersionId
from arena.scheduling.pairings import EntryNumber, Pairing, PlayedPairing
from arena.server.ladder.agenda import Engagement, EngagementEnd
from arena.server.tournaments.tournament import (
    BlockRecord,
    BlockState,
    PairingKey,
    Tournament,
    TournamentRecord,
    TournamentState,
)


class RunningTournament:
    """The referee's view of a tournament that has begun."""

    def __init__(self, record: TournamentRecord) -> None:
        self._record = record
        self.due = True
        """Whether to ask the format for pairings: a pairing was decided, or something changed."""
        self.broken = 0
        """The number of blocks that failed on our side since the tournament last began to run."""
        self._pairing_of: dict[str, PairingKey] = {}
        """The pairing of each block that is not settled, by block id."""
        self._in_play: Counter[PairingKey] = Counter()
        """The number of blocks of each pairing that are not settled."""
        self._interrupted: list[Engagement] = []
        self._ended: set[str] = set()
        """The ended blocks whose state must be read from storage."""
        self._open: dict[PairingKey, tuple[VersionId, ...]] = {}
        """The versions of each pairing that has blocks to play; earlier rounds first."""
        self._open_of: defaultdict[int, dict[PairingKey, None]] = defaultdict(dict)
        """The pairings with blocks to play, by version; in the order of their rounds."""
        self.settled = 0
        """The number of blocks that have ended since it was taken up."""
        self._in_vain: set[int] = set()
        """The versions that were free when no block could begin among them."""
        self._held: tuple[set[int], set[int]] = set(), set()
        """The versions present at the last look, and those of them that could begin a block."""
        for block in record.open_blocks:
            self._interrupt(block)
        self._count_open(record.pairings)

    def _interrupt(self, block: BlockRecord) -> None:
        """Continue a block that an earlier referee began, once its bots are there."""
        tournament = self.tournament
        rules, key = tournament.rules, block.pairing
        bots = tuple(tournament.version(one) for one in self._record.pairings[key].entries)
        begun = Block(block.block_id, BlockKind.SEAT, rules.seats, rules.rated)
        engagement = Engagement(tournament.table_type, bots, begun, tournament.name)
        engagement.left = [one for one in engagement.left if one not in block.positions]
        self._pairing_of[block.block_id] = key
        self._in_play[key] += 1
        self._interrupted.append(engagement)

    @property
    def tournament(self) -> Tournament:
        """The tournament as it was last read."""
        return self._record.tournament

    @property
    def offering(self) -> bool:
        """Whether blocks may begin."""
        return self.tournament.state is TournamentState.RUNNING

    @property
    def idle(self) -> bool:
        """Whether no block is being played."""
        return not self._pairing_of

    @property
    def resting(self) -> bool:
        """Whether no block is being played; some may be interrupted."""
        return len(self._pairing_of) == len(self._interrupted)

    @property
    def left(self) -> Sequence[Engagement]:
        """The blocks that continue when all of their bots are there again."""
        return self._interrupted

    @property
    def interrupted(self) -> list[str]:
        """The ids of the blocks that continue when all of their bots are there again."""
        return [engagement.block.id for engagement in self._interrupted]

    def can_go_on(self, present: set[int]) -> bool:
        """Return whether a block can be played among these versions once they have free places."""
        return any(present.issuperset(one.bots) for one in self._interrupted) or any(
            self._startable(bot, present) is not None for bot in present
        )

    @property
    def ended_blocks(self) -> list[str]:
        """The ids of the blocks whose state must be read from storage."""
        return list(self._ended)

    def update(self, tournament: Tournament) -> list[str]:
        """Take in a changed state or field; return the interrupted blocks that must be voided."""
        if tournament == self.tournament:
            return []
        if tournament.state is not self.tournament.state:
            self.broken = 0
        self._record.tournament = tournament
        self.due = True
        self._count_open(self._record.pairings)
        return self.give_up()

    def give_up(self) -> list[str]:
        """Drop the interrupted blocks that will not be continued; return them, to be voided."""
        given_up = [one for one in self._interrupted if self._given_up(one)]
        for engagement in given_up:
            self._interrupted.remove(engagement)
            self._ended.add(engagement.block.id)
        return [engagement.block.id for engagement in given_up]

    def taken_up(self, block_id: str) -> Engagement | None:
        """Return the engagement of an interrupted block, which continues; None if unknown."""
        for engagement in self._interrupted:
            if engagement.block.id == block_id:
                self._interrupted.remove(engagement)
                return engagement
        return None

    def close(self) -> list[str]:
        """End the tournament, finished or not; return the interrupted blocks to be voided."""
        return self.update(replace(self.tournament, state=TournamentState.FINISHED))

    @property
    def wanting(self) -> bool:
        """Whether there is a block to play as soon as its bots are free."""
        return self.offering and bool(self._open or self._interrupted)

    @property
    def wanted(self) -> Iterator[int]:
        """The versions of the blocks to play; some may occur more than once."""
        yield from self._open_of
        for engagement in self._interrupted:
            yield from engagement.bots

    # Pairings

    def played(self) -> list[PlayedPairing]:
        """Return all pairings, in the form that formats take."""
        return self._record.played(unsettled=self._in_play)

    def add_pairings(self, pairings: Collection[Pairing]) -> None:
        """Add new pairings."""
        self._record.add_pairings(pairings)
        self._count_open((one.round, one.table) for one in pairings)
        self.due = True

    # Blocks

    def next_engagement(self, free: set[int]) -> tuple[Engagement, TournamentBlock | None] | None:
        """Return a block to play now among the free versions, with its record if it is new."""
        for engagement in self._interrupted:
            if free.issuperset(engagement.bots):
                self._interrupted.remove(engagement)
                return engagement, None
        # The last look found no block among the versions that were free then, so only those
        # that have become free since need a look: a large tournament has thousands of pairings,
        # and most of its bots are busy.
        keys = (self._startable(bot, free) for bot in free - self._in_vain)
        key = min((key for key in keys if key is not None), default=None)
        if key is None:
            self._in_vain = set(free)
            return None
        return self._begin(key, self._open[key])

    def held(self, present: set[int]) -> set[int]:
        """Return the versions of the blocks that need only free places to begin."""
        among, startable = self._held
        if among != present:
            startable = {bot for bot in present if self._startable(bot, present) is not None}
            self._held = set(present), startable
        held = set(startable)
        for engagement in self._interrupted:
            if present.issuperset(engagement.bots):
                held.update(engagement.bots)
        return held

    def _startable(self, bot: int, among: set[int]) -> PairingKey | None:
        """Return a pairing with blocks to play whose versions are the bot and others of `among`.

        Returns None if there is none.
        """
        of_bot = self._open_of.get(bot, ())
        return next((key for key in of_bot if among.issuperset(self._open[key])), None)

    def missing(self, present: Collection[int]) -> set[EntryNumber]:
        """Return the absent entries that blocks to play are waiting for."""
        wanted = set(self.wanted).difference(present)
        entries = self.tournament.entries
        return {entry.number for entry in entries if entry.registered.version_id in wanted}

    def next_table(self, present: Collection[int], coming: Collection[int]) -> set[VersionId]:
        """Return the versions of the table that lacks the fewest of its bots.

        Only tables with blocks to play count, and only if all their absent bots are `coming`. The
        first wins a tie. The result is empty if no table counts.
        """
        found: Collection[int] = ()
        fewest = self.tournament.rules.seats + 1
        for table in chain((one.bots for one in self._interrupted), self._open.values()):
            lacking = set(table).difference(present)
            if 0 < len(lacking) < fewest and lacking <= set(coming):
                found, fewest = table, len(lacking)
                if fewest == 1:
                    break
        return set(map(VersionId, found))

    def unplayed_of(self, absent: Collection[EntryNumber]) -> dict[PairingKey, set[EntryNumber]]:
        """Return the pairings with blocks to play that need absent entries, with these entries.

        Pairings with a block being played are left out.
        """
        waiting = [self._pairing_of[block_id] for block_id in self.interrupted]
        resting = (
            key for key in (*self._open, *waiting) if self._in_play[key] == waiting.count(key)
        )
        found = {
            key: set(absent).intersection(self._record.pairings[key].entries) for key in resting
        }
        return {key: entries for key, entries in found.items() if entries}

    def forfeit(self, absent: Mapping[PairingKey, Collection[EntryNumber]]) -> list[str]:
        """Make the unplayed blocks of pairings walkovers.

        Returns the interrupted blocks that must be voided.
        """
        self._record.forfeit(absent)
        self._count_open(absent)
        self.due = True
        return self.give_up()

    def ended(self, engagement: Engagement, ending: EngagementEnd) -> bool:
        """Record that an engagement ended; return whether it was interrupted and is given up.

        If so, its block must be voided.
        """
        self.broken += ending is EngagementEnd.BROKEN
        if ending is EngagementEnd.INTERRUPTED and not self._given_up(engagement):
            self._interrupted.append(engagement)
            return False
        self._ended.add(engagement.block.id)
        return ending is EngagementEnd.INTERRUPTED

    def settle(self, blocks: Iterable[BlockRecord]) -> None:
        """Take in the records of ended blocks."""
        for block in blocks:
            if block.state is BlockState.OPEN:
                continue
            self._ended.discard(block.block_id)
            if self._pairing_of.pop(block.block_id, None) is None:
                continue
            key = block.pairing
            self.settled += 1
            self._in_play[key] -= 1
            if not self._in_play[key]:
                del self._in_play[key]
            self._record.add_blocks([block])
            self._count_open([key])
            if key not in self._open and not self._in_play[key]:
                # Most formats add pairings only when all others are decided. Asking them earlier
                # would scan all pairings each time one is decided.
                self.due |= self.tournament.plan.pairs_ahead or not (self._open or self._in_play)

    def _begin(
        self, key: PairingKey, bots: tuple[VersionId, ...]
    ) -> tuple[Engagement, TournamentBlock]:
        """Return the engagement and the record of a new block of a pairing."""
        tournament = self.tournament
        block = Block(new_id(), BlockKind.SEAT, tournament.rules.seats, tournament.rules.rated)
        self._pairing_of[block.id] = key
        self._in_play[key] += 1
        self._count_open([key])
        opened = TournamentBlock(tournament.id, key, block)
        return Engagement(tournament.table_type, bots, block, tournament.name), opened

    def _given_up(self, engagement: Engagement) -> bool:
        """Return whether an interrupted block will not be continued."""
        key = self._pairing_of[engagement.block.id]
        return self.tournament.state.over or self._record.is_given_up(key)

    def _count_open(self, keys: Iterable[PairingKey]) -> None:
        """Update which of these pairings have blocks to play."""
        self._held = set(), set()
        for key in keys:
            entries = self._record.pairings[key].entries
            count = 0
            if not self._record.is_given_up(key):
                count = self._record.blocks_wanted(key)
                count -= self._record.blocks_counted(key) + self._in_play[key]
            bots = tuple(self.tournament.version(entry) for entry in entries)
            if count > 0:
                self._open[key] = bots
            else:
                self._open.pop(key, None)
            for bot in bots:
                if count > 0:
                    self._open_of[bot].setdefault(key)
                elif bot in self._open_of:
                    self._open_of[bot].pop(key, None)
                    if not self._open_of[bot]:
                        del self._open_of[bot]
            self._in_vain.difference_update(bots)
