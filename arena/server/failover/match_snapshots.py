"""`MatchSnapshots`, the state that another referee needs to continue matches of a stopped one.

Blocks, matches and replies are noted here as they happen, in memory and at next to no cost, and the
writer takes them into storage in groups. Matches that are recorded or over by then are not kept at
all: most matches between fast bots never are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from arena.match.flow import Reply
from arena.match.notes import NotesTaken
from arena.records import FinishedMatch
from arena.server.play.kept_blocks import BegunMatch, NewReplies, RunningBlock, Unkept


@dataclass(eq=False, slots=True)
class MatchSnapshot:
    """The part of one running match that is not kept yet."""

    begun: BegunMatch
    notes: NotesTaken
    """What the bots have noted so far."""
    _changed: Callable[["MatchSnapshot"], None]
    kept: bool = False
    """Whether storage knows the match."""
    over: bool = False
    """Whether it only waits to be recorded."""
    first: int = 0
    """The number of replies that are kept."""
    kept_notes: int = 0
    """The number of notes that are kept."""
    replies: list[tuple[int, Reply]] = field(default_factory=list)
    """The replies that are not kept."""

    def add(self, seat: int, reply: Reply) -> None:
        """Note an accepted reply."""
        if not self.replies:
            self._changed(self)
        self.replies.append((seat, reply))


@dataclass(eq=False, slots=True)
class _BlockSnapshot:
    running: RunningBlock
    kept: bool = False
    closed: bool = False
    matches: dict[str, MatchSnapshot] = field(default_factory=dict)


class MatchSnapshots:
    """The snapshots of all running blocks. `wake` is called when there is something to keep."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._blocks: dict[str, _BlockSnapshot] = {}
        self._changed: dict[str, MatchSnapshot] = {}
        """The snapshots that may have unkept parts, by match id."""
        self._new_blocks: dict[str, _BlockSnapshot] = {}
        self._over: list[str] = []

    def begin(
        self,
        block_id: str,
        running: Callable[[], RunningBlock],
        begun: BegunMatch,
        notes: NotesTaken,
    ) -> MatchSnapshot:
        """Begin the snapshot of a match; `running` is called for the block at its first match."""
        block = self._blocks.get(block_id)
        if block is None:
            block = self._blocks[block_id] = _BlockSnapshot(running())
            self._new_blocks[block_id] = block
        snapshot = block.matches[begun.setup.match_id] = MatchSnapshot(begun, notes, self._touch)
        self._touch(snapshot)
        return snapshot

    def adopt(self, running: RunningBlock) -> None:
        """Continue a block that is kept already."""
        self._blocks.setdefault(running.block.id, _BlockSnapshot(running, kept=True))

    def adopt_match(
        self, block_id: str, begun: BegunMatch, replies: int, notes: NotesTaken
    ) -> MatchSnapshot:
        """Continue a match that is kept already, after this number of replies and these notes."""
        snapshot = MatchSnapshot(
            begun, notes, self._touch, kept=True, first=replies, kept_notes=len(notes.notes)
        )
        self._blocks[block_id].matches[begun.setup.match_id] = snapshot
        return snapshot

    def gone(self, block_id: str, match_id: str) -> None:
        """Remove a match that is recorded, or never will be.

        Storage removed it when it was recorded, or will when its block is over.
        """
        block = self._blocks.get(block_id)
        if block is not None and block.matches.pop(match_id, None) is not None:
            self._changed.pop(match_id, None)
            self._forget_if_done(block)

    def known(self) -> list[str]:
        """Return the ids of the blocks that run here, or that storage must still remove."""
        return [*self._blocks, *self._over]

    def kept_of(self, matches: Sequence[FinishedMatch]) -> list[str]:
        """Return the ids of those matches that storage knows as running."""
        return [match.transcript.setup.match_id for match in matches if self._is_kept(match)]

    def _is_kept(self, match: FinishedMatch) -> bool:
        block = self._blocks.get(match.block.id)
        if block is None:
            return False
        snapshot = block.matches.get(match.transcript.setup.match_id)
        return snapshot is not None and snapshot.kept

    def close(self, block_id: str) -> None:
        """Note that a block begins no further match here; its unrecorded matches stay kept."""
        block = self._blocks.get(block_id)
        if block is not None:
            block.closed = True
            self._forget_if_done(block)

    def _forget_if_done(self, block: _BlockSnapshot) -> None:
        if block.closed and not block.matches:
            block_id = block.running.block.id
            del self._blocks[block_id]
            self._new_blocks.pop(block_id, None)
            if block.kept:
                self._over.append(block_id)
                self._wake()

    def unkept(self) -> Unkept:
        """Return what is to be kept now; it is returned again until `keep` confirms it."""
        matches = [one for one in self._changed.values() if one.kept or not one.over]
        return Unkept(
            tuple([block.running for block in self._new_blocks.values() if not block.closed]),
            tuple([snapshot.begun for snapshot in matches if not snapshot.kept]),
            tuple(
                [
                    NewReplies(
                        snapshot.begun.setup.match_id,
                        snapshot.begun.setup.game,
                        snapshot.first,
                        tuple(snapshot.replies),
                        tuple(snapshot.notes.notes[snapshot.kept_notes :]),
                    )
                    for snapshot in matches
                    if snapshot.replies
                ]
            ),
            tuple(self._over),
        )

    def keep(self, unkept: Unkept) -> None:
        """Confirm that these are in storage now."""
        for running in unkept.blocks:
            block = self._new_blocks.pop(running.block.id, None)
            if block is not None:
                block.kept = True
        changed = self._changed
        for begun in unkept.begun:
            if (snapshot := changed.get(begun.setup.match_id)) is not None:
                snapshot.kept = True
        for new in unkept.replies:
            if (snapshot := changed.get(new.match_id)) is not None:
                snapshot.first += len(new.replies)
                del snapshot.replies[: len(new.replies)]
                snapshot.kept_notes += len(new.notes)
        for match_id, snapshot in list(changed.items()):
            if snapshot.kept and not snapshot.replies:
                del changed[match_id]
            elif snapshot.kept:
                self._wake()  # replies came meanwhile; only the first of several wakes by itself
        del self._over[: len(unkept.over)]

    def _touch(self, snapshot: MatchSnapshot) -> None:
        self._changed[snapshot.begun.setup.match_id] = snapshot
        self._wake()
