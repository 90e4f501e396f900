"""A board that takes in the log piece by piece says what the whole log says, to 1e-9."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match.transcript import Entrant
from arena.rating.intervals import intervals
from arena.rating.luck_column import FEWEST_MATCHES
from arena.rating.methods import ScoreRule
from arena.records import Registered, VersionId
from arena.server.boards.board import Board, BoardLine, rest_seconds, table_sizes
from arena.server.boards.checkpoint import pack, unpack
from tests.board_rows import Row, columns
from tests.thoroughness import tries

VERSIONS = {
    VersionId(n): Registered(
        VersionId(n),
        Entrant("honest" if n == 1 else f"bot{n}", "1", f"owner{n}"),
        house=n == 1,
    )
    for n in range(1, 8)
}


def _before() -> list[Row]:
    """What was played before, so that luck is told of every version."""
    random = Random(1)
    rows = []
    for number in range(3 * FEWEST_MATCHES):
        bots = random.sample(sorted(VERSIONS), 4)
        gain = random.uniform(-0.5, 0.5)
        luck = [gain, -gain, 0.0, 0.0]
        rows.append(
            Row(number + 1, f"before {number}", f"before {number}", bots, [1, 2, 3, 3], luck)
        )
    return rows


BEFORE = _before()


@st.composite
def logs(draw: st.DrawFn) -> list[Row]:
    """Blocks in the order in which they closed, which is not that of their beginning; events of
    other ladders took some of the numbers."""
    blocks = draw(
        st.lists(
            st.tuples(st.permutations(sorted(VERSIONS)), st.integers(2, 4)),
            min_size=1,
            max_size=14,
        )
    )
    rows = list(BEFORE) if draw(st.booleans()) else []
    sequence = len(rows)
    for number, (bots, seats) in enumerate(blocks):
        for match in range(draw(st.integers(1, seats))):
            sequence += draw(st.integers(1, 3))
            raw = draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats))
            drawn = draw(st.lists(st.floats(-0.5, 0.5), min_size=seats, max_size=seats))
            mean = sum(drawn) / seats
            measured = draw(st.integers(0, 3))
            table = bots[match:seats] + bots[:match]
            rows.append(
                Row(
                    sequence,
                    f"{number}.{match}",
                    f"block {number}",
                    table,
                    [1 + sum(other < value for other in raw) for value in raw],
                    [luck - mean for luck in drawn] if measured else None,
                )
            )
    return rows


def board_of(rows: list[Row], score: ScoreRule) -> Board:
    board = Board("bluff", score)
    board.extend(columns(rows))
    return board


def assert_same(some: list[BoardLine], others: list[BoardLine]) -> None:
    """To 1e-9, whatever the order of lines that are equally strong but for rounding."""
    by_id = {line.version_id: line for line in others}
    assert set(by_id) == {line.version_id for line in some}
    for one in some:
        other = by_id[one.version_id]
        assert one.elo == pytest.approx(other.elo, abs=1e-9)
        # An error of zero is the root of a rounding error.
        exact = one.interval[1] - one.interval[0] > 1e-3
        assert one.interval == pytest.approx(other.interval, abs=1e-9 if exact else 1e-3)
        assert (one.matches, one.win_share, one.mean_placing, one.anchor) == (
            *(other.matches, other.win_share, other.mean_placing, other.anchor),
        )
        assert (one.luck_adjusted is None) == (other.luck_adjusted is None)
        if one.luck_adjusted is not None and other.luck_adjusted is not None:
            mine, theirs = one.luck_adjusted, other.luck_adjusted
            assert mine.elo == pytest.approx(theirs.elo, abs=1e-9)
            exact = mine.interval[1] - mine.interval[0] > 1e-3
            assert mine.interval == pytest.approx(theirs.interval, abs=1e-9 if exact else 1e-3)


def _cut(rows: list[Row], cuts: list[int]) -> list[list[Row]]:
    """The log in pieces; a block's results enter it together."""
    ends = sorted({end for end in cuts if 0 < end < len(rows)})
    whole = [end for end in ends if rows[end - 1].block_id != rows[end].block_id]
    return [rows[start:end] for start, end in pairwise([0, *whole, len(rows)])]


@pytest.mark.slow
@settings(deadline=None, max_examples=tries(60, quick=15))
@given(logs(), st.data(), st.sampled_from(ScoreRule))
def test_any_split_of_the_log_gives_the_same_board(
    rows: list[Row], data: st.DataObject, score: ScoreRule
) -> None:
    grown = Board("bluff", score)
    for part in _cut(rows, data.draw(st.lists(st.integers(0, len(rows)), max_size=5))):
        grown.extend(columns(part))
        if data.draw(st.booleans()):
            grown.lines(VERSIONS)
        if data.draw(st.booleans()):
            grown = unpack("bluff", score, pack(grown))
    whole = board_of(rows, score)
    assert_same(grown.lines(VERSIONS), whole.lines(VERSIONS))
    assert grown.sequence == whole.sequence == rows[-1].sequence


@settings(deadline=None, max_examples=tries(40, quick=10))
@given(logs(), st.randoms(use_true_random=False))
def test_the_order_in_which_blocks_closed_does_not_matter(rows: list[Row], random: Random) -> None:
    blocks: dict[str, list[Row]] = {}
    for row in rows:
        blocks.setdefault(row.block_id, []).append(row)
    order = list(blocks)
    random.shuffle(order)
    closed = [row for block in order for row in blocks[block]]
    renumbered = [
        Row(number, row.match_id, row.block_id, row.version_ids, row.placings, row.luck)
        for number, row in enumerate(closed, start=1)
    ]
    for score in ScoreRule:
        assert_same(
            board_of(renumbered, score).lines(VERSIONS),
            board_of(rows, score).lines(VERSIONS),
        )


@given(logs())
@settings(deadline=None, max_examples=tries(20, quick=10))
def test_a_result_that_is_told_twice_counts_once(rows: list[Row]) -> None:
    board = board_of(rows, ScoreRule.PLACEMENT)
    before = board.lines(VERSIONS)
    board.extend(columns(rows))
    assert len(board) == len(rows)
    assert board.lines(VERSIONS) == before


@settings(deadline=None, max_examples=tries(60, quick=15))
@given(logs(), st.sampled_from(ScoreRule))
def test_sums_over_clusters_give_the_errors_of_the_log(rows: list[Row], score: ScoreRule) -> None:
    board = board_of(rows, score)
    shown = board.ladder(VERSIONS).intervals
    log = columns(rows).results()
    assert len(log) == len(board) == len(rows)
    luck = None if board.luck_column is None else board.luck_column.luck.taken
    for fitted, taken in ((shown.fit, None), (shown.fit, luck)):
        whole = intervals(fitted, log, luck_taken=taken)
        sums = intervals(fitted, board.clusters, luck_taken=taken)
        close = 1e-9 * max(1.0, float(np.abs(whole.covariance).max()))
        assert np.allclose(sums.covariance, whole.covariance, rtol=0, atol=close)
        assert (sums.evidence == whole.evidence).all()


@pytest.mark.parametrize("score", ScoreRule)
def test_a_stored_board_begins_with_its_ratings_and_ends_with_those_of_the_log(
    score: ScoreRule,
) -> None:
    board = board_of(BEFORE, score)
    lines = board.lines(VERSIONS)
    stored = unpack("bluff", score, pack(board))
    official, adjusted = stored.fit(VERSIONS)
    assert adjusted is not None
    assert (official.steps, adjusted.fit.steps) == (1, 1)
    assert_same(stored.lines(VERSIONS), lines)
    # From wherever a fit begins, it ends at the same.
    elsewhere = {version: float(version) for version in VERSIONS}
    stored._start = stored._luck_start = elsewhere
    stored._ladder = None
    assert_same(stored.lines(VERSIONS), lines)


def test_luck_is_told_of_those_who_have_enough_of_it() -> None:
    newcomer = VersionId(8)
    versions = VERSIONS | {newcomer: Registered(newcomer, Entrant("new", "1", "o"), house=False)}
    last = Row(len(BEFORE) + 1, "last", "last", [newcomer, VersionId(1)], [1, 2], [0.1, -0.1])
    lines = board_of([*BEFORE, last], ScoreRule.PLACEMENT).lines(versions)
    assert {line.version_id for line in lines if line.luck_adjusted is None} == {newcomer}


@pytest.mark.parametrize("piecemeal", [False, True])
@pytest.mark.parametrize(
    "luck",
    [
        [0.5],
        [0.5, 0.1, -0.6],
        *([float("nan"), 0.1, 0.2, -0.3], [float("inf"), 0.0, 0.0, 0.0]),
    ],
    ids=str,
)
def test_luck_that_cannot_be_a_match_s_counts_as_none_and_all_else_is_shown(
    luck: list[float], piecemeal: bool
) -> None:
    four = [VersionId(n) for n in range(1, 5)]
    # At the front and at the end: neither may tell how long the others are.
    broken, without = (
        [Row(1, "first", "first", four, [1, 2, 3, 4], one)]
        + [replace(row, sequence=row.sequence + 1) for row in BEFORE]
        + [Row(len(BEFORE) + 2, "last", "last", four, [1, 2, 3, 4], one)]
        for one in (luck, None)
    )
    board, expected = Board("bluff"), board_of(without, ScoreRule.PLACEMENT).lines(VERSIONS)
    for part in [[row] for row in broken] if piecemeal else [broken]:
        board.extend(columns(part))
    assert_same(board.lines(VERSIONS), expected)
    assert all(line.luck_adjusted is not None for line in expected)


def test_ladders_are_shared_by_tables_of_two_three_to_four_and_five_to_six() -> None:
    assert [list(table_sizes(seats)) for seats in (2, 3, 4, 6)] == [[2], [3, 4], [3, 4], [5, 6]]
    assert list(table_sizes(11)) == [11]


def test_a_live_board_rests_two_seconds_and_nine_tenths_of_its_time() -> None:
    assert rest_seconds(0.001) == 2.0
    assert rest_seconds(1.0) == 10.0
