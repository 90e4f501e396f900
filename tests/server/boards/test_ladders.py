"""A board that follows a real log, block by block, and what is asked about a ladder beside it."""

from dataclasses import replace
from random import Random

import pytest

from arena.database.reading import Reader
from arena.rating.ladder_id import LadderId
from arena.rating.methods import ScoreRule
from arena.records import FinishedMatch, VersionId
from arena.server.app.store import Store
from arena.server.boards import ladder_statements
from arena.server.boards.board import Board
from arena.server.boards.checking import check_board
from arena.server.boards.checkpointing import write_checkpoints
from arena.server.boards.fault_counts import FaultCounts
from arena.server.boards.live_board import LiveBoard, ladder_of_table
from tests.board_rows import columns
from tests.ladder_log import all_versions, rated_results
from tests.recorded_results import block, finished

TWO = LadderId("bluff", "{}", (2,))


def trouble(match: FinishedMatch, seat: int, faults: int, *, forfeited: bool) -> FinishedMatch:
    """The match, with faults of one seat."""
    result = match.transcript.result
    seats = range(len(result.faults))
    changed = replace(
        result,
        faults=tuple(faults if one == seat else 0 for one in seats),
        forfeited=tuple(forfeited and one == seat for one in seats),
    )
    return replace(match, transcript=replace(match.transcript, result=changed))


async def test_a_board_that_follows_the_log_says_what_the_whole_log_says(
    read: Reader, store: Store, versions: tuple[VersionId, ...]
) -> None:
    random = Random(3)
    followers = {score: Board("bluff", score) for score in ScoreRule}
    waiting = []
    for _ in range(12):
        # Blocks overlap: the first matches of one are recorded before the last of another.
        size = random.choice((2, 3))
        of = block(size)
        waiting += [
            finished(random.sample(versions, size), of, position) for position in range(size)
        ]
        random.shuffle(waiting)
        batch = [waiting.pop() for _ in range(random.randrange(len(waiting)))]
        await store.record(batch)
        if random.random() < 0.2:
            await store.close_block(of.id)
        for board in followers.values():
            rows = rated_results(read, "bluff", {}, [2, 3], board.sequence)
            board.extend(columns(rows))
            board.lines(all_versions(read))
    await store.record(waiting)
    known = all_versions(read)
    for score, board in followers.items():
        board.extend(columns(rated_results(read, "bluff", {}, [2, 3], board.sequence)))
        whole = Board("bluff", score)
        whole.extend(columns(rated_results(read, "bluff", {}, [2, 3])))
        assert len(board) == len(whole) > 15
        assert board.sequence == whole.sequence
        for one, other in zip(board.lines(known), whole.lines(known), strict=True):
            assert one.elo == pytest.approx(other.elo, abs=1e-9)
            assert one.interval == pytest.approx(other.interval, abs=1e-9)
            assert replace(one, elo=0.0, interval=(0.0, 0.0)) == replace(
                other, elo=0.0, interval=(0.0, 0.0)
            )


async def test_fault_counts_are_those_of_the_ladders_results(
    read: Reader, store: Store, versions: tuple[VersionId, ...], database: str
) -> None:
    one, two, three = versions
    await store.record(
        [
            trouble(finished((one, two)), 0, 2, forfeited=False),
            trouble(finished((one, two)), 1, 3, forfeited=True),
            finished((one, three), minute=5),
        ]
    )
    # Not of this ladder, and not yet counted.
    await store.record([trouble(finished((one, two, three)), 0, 1, forfeited=False)])
    await store.record([trouble(finished((one, two), show_and_reroll=True), 0, 1, forfeited=False)])
    await store.record([trouble(finished((one, two), block(2)), 0, 9, forfeited=False)])
    now = 0.0
    live = LiveBoard(TWO, read, lambda: now)
    found = {one: FaultCounts(2, 1, 0), two: FaultCounts(3, 1, 1)}
    assert live.now().faults == found
    # They are in the checkpoint, and what comes later is added to them.
    write_checkpoints(database)
    assert LiveBoard(TWO, read).now().faults == found
    await store.record(
        [trouble(finished((three, one)), seat, 4, forfeited=True) for seat in (0, 1)]
    )
    now += 1000.0
    found |= {one: FaultCounts(6, 2, 1), three: FaultCounts(4, 1, 1)}
    assert live.now().faults == LiveBoard(TWO, read).now().faults == found
    assert check_board(read, TWO).correct


async def test_rating_events_lead_to_their_matches(
    read: Reader, store: Store, versions: tuple[VersionId, ...]
) -> None:
    matches = [finished(versions[:2], minute=minute) for minute in range(3)]
    await store.record(matches)
    rows = rated_results(read, "bluff", {}, [2])
    found = read(ladder_statements.rated_matches([rows[2].sequence, rows[0].sequence]))
    assert [(one.sequence, one.match_id) for one in found] == [
        (rows[at].sequence, rows[at].match_id) for at in (0, 2)
    ]
    ends = {match.transcript.setup.match_id: match.finished_at for match in matches}
    assert [one.finished_at for one in found] == [ends[one.match_id] for one in found]
    assert read(ladder_statements.rated_matches([])) == []


async def test_the_ladder_of_a_game_without_a_size_is_of_the_smallest_table_that_was_played(
    store: Store, versions: tuple[VersionId, ...], read: Reader
) -> None:
    assert ladder_of_table(read, "bluff", {}, None)[0] == 2
    await store.record([finished(versions[:3])])
    assert ladder_of_table(read, "bluff", {}, None) == (3, LadderId.of("bluff", {}, (3, 4)))
    await store.record([finished(versions[:2])])
    assert ladder_of_table(read, "bluff", {}, None) == (2, LadderId.of("bluff", {}, (2,)))
    assert ladder_of_table(read, "bluff", {}, 3)[0] == 3
