"""One tournament under way: which blocks could begin, and which are being played.

What counts is storage's word alone: a block that was played to its end is asked about there, and
one that turns out void is played again under a new id.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain
from uuid import uuid4

from arena.hosting.agenda import Engagement, EngagementEnd
from arena.records import Block, BlockKind, TournamentBlock, VersionId
from arena.scheduling.pairings import Number, Pairing, PlayedPairing
from arena.tournament.tournament import (
    BlockRecord,
    BlockState,
    PairingKey,
    Tournament,
    TournamentRecord,
    TournamentState,
)

FEW = 8
"""Free bots, up to which it is cheaper to look at each one's pairings than at all pairings."""


class RunningTournament:
    """The referee's view of a tournament that has begun."""

    def __init__(self, record: TournamentRecord) -> None:
        self._record = record
        self.due = True
        """Whether to look what comes next: a pairing was decided, or something changed."""
        self.broken = 0
        """Blocks that we broke since the tournament last began to run."""
        self._pairing_of: dict[str, PairingKey] = {}
        """By block, while it is not settled."""
        self._in_play: Counter[PairingKey] = Counter()
        """Blocks that are not settled."""
        self._interrupted: list[Engagement] = []
        self._ended: set[str] = set()
        """Blocks of which storage is to tell what became of them."""
        self._open: dict[PairingKey, tuple[VersionId, ...]] = {}
        """Who meets in the pairings of which blocks could begin; earlier rounds first."""
        self._open_of: dict[int, set[PairingKey]] = defaultdict(set)
        """The same by version."""
        for block in record.open_blocks:
            self._interrupt(block)
        self._count_open(record.pairings)

    def _interrupt(self, block: BlockRecord) -> None:
        """A block that an earlier referee began goes on when its bots are there."""
        tournament = self.tournament
        rules, key = tournament.rules, block.pairing
        bots = tuple(tournament.version(one) for one in self._record.pairings[key].entries)
        begun = Block(block.block_id, BlockKind.SEAT, rules.seats, rules.rated)
        engagement = Engagement(tournament.ladder, bots, begun)
        engagement.left = [one for one in engagement.left if one not in block.positions]
        self._pairing_of[block.block_id] = key
        self._in_play[key] += 1
        self._interrupted.append(engagement)

    @property
    def tournament(self) -> Tournament:
        """As it was when last read."""
        return self._record.tournament

    @property
    def offering(self) -> bool:
        """Whether blocks may begin."""
        return self.tournament.state is TournamentState.RUNNING

    @property
    def idle(self) -> bool:
        """Whether no block is under way."""
        return not self._pairing_of

    @property
    def ended_blocks(self) -> list[str]:
        """What to ask storage about."""
        return list(self._ended)

    def update(self, tournament: Tournament) -> list[str]:
        """Take in a changed state or field; the blocks that will not be played on, to be voided."""
        if tournament.state is not self.tournament.state:
            self.broken = 0
        self._record.tournament = tournament
        self.due = True
        self._count_open(self._record.pairings)
        return self.give_up()

    def give_up(self) -> list[str]:
        """Forget the interrupted blocks that will not be played on; they are to be voided."""
        given_up = [one for one in self._interrupted if self._given_up(one)]
        for engagement in given_up:
            self._interrupted.remove(engagement)
            self._ended.add(engagement.block.id)
        return [engagement.block.id for engagement in given_up]

    def taken_up(self, block_id: str) -> Engagement | None:
        """An interrupted block that is being played on, if it is one of this tournament."""
        for engagement in self._interrupted:
            if engagement.block.id == block_id:
                self._interrupted.remove(engagement)
                return engagement
        return None

    def close(self) -> list[str]:
        """The tournament is over, played out or not; the rest as `update`."""
        return self.update(replace(self.tournament, state=TournamentState.FINISHED))

    @property
    def wanting(self) -> bool:
        """Whether there is a block to be played now, bots permitting."""
        return self.offering and bool(self._open or self._interrupted)

    # What comes next

    def played(self) -> list[PlayedPairing]:
        """All pairings, as formats see them."""
        return self._record.played(unsettled=[key for key, n in self._in_play.items() if n])

    def add_pairings(self, pairings: Collection[Pairing]) -> None:
        """Take in what was paired."""
        self._record.add_pairings(pairings)
        self._count_open((one.round, one.table) for one in pairings)
        self.due = True

    # Blocks

    def next_engagement(self, free: set[int]) -> tuple[Engagement, TournamentBlock | None] | None:
        """A block to play now among the free versions; the second part if it is a new one."""
        for engagement in self._interrupted:
            if free.issuperset(engagement.bots):
                self._interrupted.remove(engagement)
                return engagement, None
        if len(free) < self.tournament.rules.seats:
            return None
        # When most are busy, as they are once a large tournament is under way, its thousands of
        # pairings are not gone through for the few that are free.
        keys: Iterable[PairingKey] = self._open
        if len(free) <= FEW:
            keys = sorted(chain.from_iterable(self._open_of.get(bot, ()) for bot in free))
        for key in keys:
            if free.issuperset(self._open[key]):
                return self._begin(key, self._open[key])
        return None

    def held(self, present: set[int]) -> set[int]:
        """The versions that blocks wait for which could begin if only a place were free."""
        held: set[int] = set()
        for bots in chain(self._open.values(), (one.bots for one in self._interrupted)):
            if present.issuperset(bots):
                held.update(bots)
                if held == present:
                    break
        return held

    def missing(self, present: set[int]) -> set[Number]:
        """The entries that are waited for."""
        return {
            entry
            for key in self._open
            for entry in self._record.pairings[key].entries
            if self.tournament.version(entry) not in present
        }

    def ended(self, engagement: Engagement, ending: EngagementEnd) -> bool:
        """A go at a block is over. Whether the block must be made void because nobody plays on."""
        self.broken += ending is EngagementEnd.BROKEN
        if ending is EngagementEnd.INTERRUPTED and not self._given_up(engagement):
            self._interrupted.append(engagement)
            return False
        self._ended.add(engagement.block.id)
        return ending is EngagementEnd.INTERRUPTED

    def settle(self, blocks: Iterable[BlockRecord]) -> None:
        """Take in what storage says of ended blocks."""
        for block in blocks:
            if block.state is BlockState.OPEN:
                continue
            self._ended.discard(block.block_id)
            if self._pairing_of.pop(block.block_id, None) is None:
                continue
            key = block.pairing
            self._in_play[key] -= 1
            self._record.add_blocks([block])
            self._count_open([key])
            if key not in self._open and not self._in_play[key]:
                self.due = True

    def _begin(
        self, key: PairingKey, bots: tuple[VersionId, ...]
    ) -> tuple[Engagement, TournamentBlock]:
        tournament = self.tournament
        block = Block(str(uuid4()), BlockKind.SEAT, tournament.rules.seats, tournament.rules.rated)
        self._pairing_of[block.id] = key
        self._in_play[key] += 1
        self._count_open([key])
        opened = TournamentBlock(tournament.id, key, block)
        return Engagement(tournament.ladder, bots, block), opened

    def _given_up(self, engagement: Engagement) -> bool:
        """Whether an interrupted block will not be played on."""
        entries = self._record.pairings[self._pairing_of[engagement.block.id]].entries
        return self.tournament.state.over or not self.tournament.withdrawn.isdisjoint(entries)

    def _count_open(self, keys: Iterable[PairingKey]) -> None:
        for key in keys:
            entries = self._record.pairings[key].entries
            count = 0
            if self.tournament.withdrawn.isdisjoint(entries):
                count = self._record.blocks_wanted(key)
                count -= self._record.blocks_counted(key) + self._in_play[key]
            bots = tuple(self.tournament.version(entry) for entry in entries)
            if count > 0:
                self._open[key] = bots
            else:
                self._open.pop(key, None)
            for bot in bots:
                (self._open_of[bot].add if count > 0 else self._open_of[bot].discard)(key)
