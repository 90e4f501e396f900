"""A recorder that keeps results in lists, and fails when a test says so."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from arena.database.errors import StorageFailedError
from arena.match.flow import Reply
from arena.records import Block, FinishedMatch, TournamentBlock
from arena.server.play.kept_blocks import KeptBlock, KeptMatch, Unkept


def match_id(match: FinishedMatch) -> str:
    return match.transcript.setup.match_id


@dataclass
class FakeRecorder:
    """Keeps what is recorded, in order. Knows a match by its id, like the real one."""

    failures: list[Exception] = field(default_factory=list)
    """What the next calls raise, one each."""
    unwanted: set[str] = field(default_factory=set)
    """Ids of matches that are refused for good."""
    half_way: bool = False
    """Whether failing calls do their work before they fail."""
    matches: list[FinishedMatch] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    voided: list[str] = field(default_factory=list)
    kept: list[Unkept] = field(default_factory=list)
    """All that was to be kept, in order."""
    order: list[str] = field(default_factory=list)
    """Everything in the order in which it happened."""

    async def record(self, matches: Sequence[FinishedMatch], kept: Collection[str] = ()) -> None:
        begun = {one.setup.match_id for unkept in self.kept for one in unkept.begun}
        assert set(kept) >= begun & {match_id(match) for match in matches}
        if any(match_id(match) in self.unwanted for match in matches):
            raise ValueError("a result that contradicts what is recorded")
        if not self.half_way:
            self._fail()
        known = {match_id(match) for match in self.matches}
        self.matches += [match for match in matches if match_id(match) not in known]
        self.order += [match_id(match) for match in matches if match_id(match) not in known]
        self.batches.append(len(matches))
        self._fail()

    async def keep(self, unkept: Unkept) -> None:
        self._fail()
        self.kept.append(unkept)

    async def open_blocks(self, blocks: Sequence[TournamentBlock]) -> None:
        self._fail()
        self.opened += [one.block.id for one in blocks]
        self.order += [f"opened {one.block.id}" for one in blocks]

    async def close_block(self, block_id: str) -> None:
        self._fail()
        self.closed.append(block_id)
        self.order.append(f"closed {block_id}")

    async def void_block(self, block_id: str) -> None:
        self._fail()
        self.voided.append(block_id)
        self.order.append(f"voided {block_id}")

    async def refuse_block(self, block: Block) -> None:
        await self.void_block(block.id)

    def left(self) -> list[KeptBlock]:
        """What another referee would find."""
        over = {block_id for unkept in self.kept for block_id in unkept.over}
        recorded = {match_id(match): match for match in self.matches}
        replies: dict[str, list[tuple[int, Reply]]] = {}
        for new in (new for unkept in self.kept for new in unkept.replies):
            assert new.first == len(replies.setdefault(new.match_id, []))
            replies[new.match_id] += new.replies
        begun = [match for unkept in self.kept for match in unkept.begun]
        return [
            KeptBlock(
                running,
                frozenset(
                    match.position for match in self.matches if match.block.id == running.block.id
                ),
                tuple(
                    KeptMatch(match, tuple(replies.get(match.setup.match_id, ())))
                    for match in begun
                    if match.block_id == running.block.id and match.setup.match_id not in recorded
                ),
            )
            for unkept in self.kept
            for running in unkept.blocks
            if running.block.id not in over
        ]

    def _fail(self) -> None:
        if self.failures:
            raise self.failures.pop(0)


def down() -> StorageFailedError:
    return StorageFailedError("the database does not answer")
