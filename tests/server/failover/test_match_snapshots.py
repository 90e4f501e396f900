"""What is to be kept of running matches, so that another referee can go on with them."""

from dataclasses import dataclass, field

from arena.games import make_game
from arena.match.flow import TimedAction
from arena.match.notes import Note, NotesTaken
from arena.match.transcript import Opening
from arena.records import Block, FinishedMatch, VersionId
from arena.server.failover.match_snapshots import MatchSnapshot, MatchSnapshots
from arena.server.play.kept_blocks import BegunMatch, RunningBlock, Unkept
from tests.recorded_results import block, finished, match_id

VERSIONS = (VersionId(1), VersionId(2))
OPTIONS = make_game("bluff", {}).options


def running(of: Block) -> RunningBlock:
    return RunningBlock(of, (), "bluff", OPTIONS, engaged=False)


def begun(match: FinishedMatch) -> BegunMatch:
    opening = Opening(b"s" * 32, (b"e" * 16,) * 2)
    setup = match.transcript.setup
    return BegunMatch(setup, opening, match.block.id, match.position, match.started_at)


@dataclass
class Notebook:
    """A MatchSnapshots, and how often it asked for something to be kept."""

    woken: int = 0
    keeping: MatchSnapshots = field(init=False)

    def __post_init__(self) -> None:
        self.keeping = MatchSnapshots(self._wake)

    def _wake(self) -> None:
        self.woken += 1

    def begin(self, match: FinishedMatch, notes: NotesTaken | None = None) -> MatchSnapshot:
        notes = NotesTaken() if notes is None else notes
        return self.keeping.begin(match.block.id, lambda: running(match.block), begun(match), notes)

    def gone(self, match: FinishedMatch) -> None:
        self.keeping.gone(match.block.id, match_id(match))

    def kept(self) -> Unkept:
        """Everything there is to keep is kept now."""
        unkept = self.keeping.unkept()
        self.keeping.keep(unkept)
        return unkept


def replies(unkept: Unkept) -> list[tuple[str, int, list[object]]]:
    """Of each match: its id, how many were kept before, and the new actions."""
    return [
        (new.match_id, new.first, [reply.action for _, reply in new.replies])  # type: ignore[union-attr]
        for new in unkept.replies
    ]


def one() -> FinishedMatch:
    return finished(VERSIONS, block(2))


def test_a_match_its_block_and_its_replies_are_kept_once_each() -> None:
    book, match = Notebook(), one()
    snapshot = book.begin(match)
    snapshot.add(0, TimedAction("first", 1))
    unkept = book.kept()
    assert unkept.blocks == (running(match.block),)
    assert unkept.begun == (begun(match),)
    assert replies(unkept) == [(match_id(match), 0, ["first"])]
    assert not book.keeping.unkept()
    snapshot.add(1, TimedAction("second", 1))
    snapshot.add(0, TimedAction("third", 1))
    unkept = book.kept()
    assert (unkept.blocks, unkept.begun) == ((), ())
    assert replies(unkept) == [(match_id(match), 1, ["second", "third"])]
    assert not book.keeping.unkept()


def test_it_asks_to_be_kept_when_something_is_new() -> None:
    book, match = Notebook(), one()
    snapshot = book.begin(match)
    assert book.woken == 1
    book.kept()
    snapshot.add(0, TimedAction("first", 1))
    assert book.woken == 2


def test_what_comes_while_storage_writes_is_kept_the_next_time() -> None:
    book, match, other = Notebook(), one(), one()
    snapshot = book.begin(match)
    snapshot.add(0, TimedAction("first", 1))
    on_its_way = book.keeping.unkept()
    snapshot.add(1, TimedAction("second", 1))
    book.begin(other)
    book.keeping.keep(on_its_way)
    unkept = book.kept()
    assert unkept.blocks == (running(other.block),)
    assert unkept.begun == (begun(other),)
    assert replies(unkept) == [(match_id(match), 1, ["second"])]


def test_the_matches_of_a_block_bring_it_into_storage_once() -> None:
    book, of = Notebook(), block(2)
    first, second = (finished(VERSIONS, of, position) for position in (0, 1))
    book.begin(first)
    book.begin(second)
    assert book.kept().blocks == (running(of),)
    third = finished(VERSIONS, of, 1)
    book.begin(third)
    assert book.kept().blocks == ()


def test_a_match_that_is_over_before_it_was_kept_is_never_kept() -> None:
    book, match = Notebook(), one()
    snapshot = book.begin(match)
    snapshot.add(0, TimedAction("last", 1))
    snapshot.over = True
    unkept = book.keeping.unkept()
    assert (unkept.begun, unkept.replies) == ((), ())


def test_the_last_replies_of_a_match_that_is_kept_are_kept_until_it_is_recorded() -> None:
    book, match = Notebook(), one()
    snapshot = book.begin(match)
    book.kept()
    snapshot.add(0, TimedAction("last", 1))
    snapshot.over = True
    assert replies(book.keeping.unkept()) == [(match_id(match), 0, ["last"])]
    book.gone(match)
    assert not book.keeping.unkept()


def test_storage_is_told_which_recorded_matches_it_knows_as_running() -> None:
    book, known, unknown = Notebook(), one(), one()
    book.begin(known)
    book.kept()
    book.begin(unknown)
    of_another_referee = one()
    assert book.keeping.kept_of([known, unknown, of_another_referee]) == [match_id(known)]
    book.gone(known)
    assert book.keeping.kept_of([known]) == []


def test_a_block_is_forgotten_when_it_is_closed_and_its_last_match_is_recorded() -> None:
    book, match = Notebook(), one()
    book.begin(match)
    book.kept()
    book.keeping.close(match.block.id)
    assert not book.keeping.unkept()
    woken = book.woken
    book.gone(match)
    assert book.woken == woken + 1
    assert book.kept().over == (match.block.id,)
    assert not book.keeping.unkept()


def test_a_block_whose_matches_are_recorded_stays_until_it_is_closed() -> None:
    book, match = Notebook(), one()
    book.begin(match)
    book.kept()
    book.gone(match)
    assert not book.keeping.unkept()
    book.keeping.close(match.block.id)
    assert book.keeping.unkept().over == (match.block.id,)


def test_of_a_block_that_was_never_kept_storage_hears_nothing() -> None:
    book, match = Notebook(), one()
    book.begin(match).over = True
    book.keeping.close(match.block.id)
    assert book.keeping.unkept().blocks == ()
    book.gone(match)
    assert not book.keeping.unkept()


def test_blocks_that_end_while_storage_writes_are_told_the_next_time() -> None:
    book, first, second = Notebook(), one(), one()
    for match in (first, second):
        book.begin(match)
    book.kept()
    for match in (first, second):
        book.keeping.close(match.block.id)
    book.gone(first)
    on_its_way = book.keeping.unkept()
    book.gone(second)
    book.keeping.keep(on_its_way)
    assert book.kept().over == (second.block.id,)
    assert not book.keeping.unkept()


def test_of_an_adopted_block_and_match_only_what_is_new_is_kept() -> None:
    book, match = Notebook(), one()
    book.keeping.adopt(running(match.block))
    snapshot = book.keeping.adopt_match(match.block.id, begun(match), 7, NotesTaken())
    assert not book.keeping.unkept()
    assert book.keeping.kept_of([match]) == [match_id(match)]
    snapshot.add(0, TimedAction("eighth", 1))
    unkept = book.kept()
    assert (unkept.blocks, unkept.begun) == ((), ())
    assert replies(unkept) == [(match_id(match), 7, ["eighth"])]
    book.gone(match)
    book.keeping.close(match.block.id)
    assert book.kept().over == (match.block.id,)


def test_what_is_not_known_can_be_gone_and_closed() -> None:
    book, match = Notebook(), one()
    book.gone(match)
    book.keeping.close(match.block.id)
    assert not book.keeping.unkept()
    book.begin(match)
    book.keeping.gone(match.block.id, "another match")
    assert book.keeping.unkept().begun == (begun(match),)


def test_replies_that_come_while_others_are_written_are_asked_for_as_well() -> None:
    book = Notebook()
    snapshot = book.begin(one())
    snapshot.add(0, TimedAction("first", 1))
    unkept = book.keeping.unkept()
    snapshot.add(1, TimedAction("while it is written", 1))
    before = book.woken
    book.keeping.keep(unkept)
    assert book.woken > before
    book.kept()
    before = book.woken
    book.keeping.keep(book.keeping.unkept())
    assert book.woken == before, "there is nothing left"


def test_what_was_noted_is_kept_once_and_with_the_reply_beside_it() -> None:
    book, match, notes = Notebook(), finished(VERSIONS), NotesTaken()
    snapshot = book.begin(match, notes)
    first, second = Note(0, 1, "one"), Note(1, 2, "two")
    notes.take(first)
    snapshot.add(0, TimedAction("first", 1))
    assert [new.notes for new in book.kept().replies] == [(first,)]
    notes.take(second)
    snapshot.add(1, TimedAction("second", 1))
    assert [new.notes for new in book.kept().replies] == [(second,)]
    again = book.keeping.adopt_match(match.block.id, begun(match), 2, NotesTaken([first, second]))
    again.add(0, TimedAction("third", 1))
    assert [new.notes for new in book.kept().replies] == [()]
