"""The board says what the log says: anchored, in order, and the same however it was read."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from arena.match.transcript import Entrant
from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Anchor, fit
from arena.rating.ladder import rate
from arena.rating.results import Results
from arena.records import Registered, VersionId
from arena.server.boards.board import CENTRE, Board, BoardLine
from tests.board_rows import Row, columns


def registered(version: int, bot: str, *, house: bool = False, label: str = "1") -> Registered:
    return Registered(VersionId(version), Entrant(bot, label, "somebody"), house)


VERSIONS = {
    version.version_id: version
    for version in (
        registered(1, "honest", house=True),
        registered(2, "alpha"),
        registered(3, "beta"),
        registered(4, "honest", house=True, label="2"),
    )
}


def rows(count: int, versions: tuple[int, ...] = (1, 2, 3), seats: int = 2) -> list[Row]:
    """Random results in which a smaller number is a better bot; every tenth is a tie."""
    random = Random(7)
    found = []
    for sequence in range(1, count + 1):
        table = random.sample(versions, seats)
        strength = {bot: random.random() / bot for bot in table}
        order = sorted(table, key=lambda bot: -strength[bot])
        placings = [1 if sequence % 10 == 0 else 1 + order.index(bot) for bot in table]
        found.append(
            Row(
                sequence,
                f"m{sequence}",
                f"b{sequence // 2}",
                [VersionId(v) for v in table],
                placings,
            )
        )
    return found


def assert_same(some: list[BoardLine], others: list[BoardLine]) -> None:
    """To 1e-9 Elo, and exactly in all that is counted."""
    assert len(some) == len(others)
    for one, other in zip(some, others, strict=True):
        assert one.elo == pytest.approx(other.elo, abs=1e-9)
        assert one.interval == pytest.approx(other.interval, abs=1e-9)
        same = replace(one, elo=other.elo, interval=other.interval)
        assert same == other


def test_an_empty_board_has_no_lines() -> None:
    assert Board("bluff").lines(VERSIONS) == []


def test_the_house_bot_honest_stands_at_1500() -> None:
    board = Board("bluff")
    board.extend(columns(rows(200)))
    lines = board.lines(VERSIONS)
    anchored = [line for line in lines if line.anchor]
    assert [(line.bot, line.elo) for line in anchored] == [("honest", pytest.approx(CENTRE))]
    assert lines == sorted(lines, key=lambda line: -line.elo)
    assert [line.rank for line in lines] == [1, 2, 3]


def test_the_first_version_of_the_anchor_is_the_anchor() -> None:
    board = Board("bluff")
    board.extend(columns(rows(200, (4, 2, 1))))
    assert board.anchor(VERSIONS) == 1


def test_somebody_elses_bot_named_like_the_anchor_is_no_anchor() -> None:
    impostor = VERSIONS | {VersionId(1): registered(1, "honest")}
    board = Board("bluff")
    board.extend(columns(rows(50)))
    assert board.anchor(impostor) is None


def test_without_the_anchor_the_mean_stands_at_1500_and_no_line_is_marked() -> None:
    for game, versions in (("bluff", (2, 3)), ("bloeff", (1, 2, 3))):
        board = Board(game)
        board.extend(columns(rows(100, versions)))
        lines = board.lines(VERSIONS)
        assert sum(line.elo for line in lines) / len(lines) == pytest.approx(CENTRE)
        assert all(line.interval[0] < line.elo < line.interval[1] for line in lines)
        assert not any(line.anchor for line in lines)


def test_a_board_that_grew_says_what_the_whole_log_says() -> None:
    log = [
        replace(row, version_ids=row.version_ids[:2], placings=[1, 2]) if row.sequence % 3 else row
        for row in rows(300, seats=3)
    ]
    grown, whole = Board("bluff"), Board("bluff")
    whole.extend(columns(log))
    for start, end in pairwise([0, 73, 145, 217, 289, 300]):  # between blocks
        grown.extend(columns(log[start:end]))
        grown.lines(VERSIONS)
    assert_same(grown.lines(VERSIONS), whole.lines(VERSIONS))
    assert grown.sequence == whole.sequence == 300
    assert len(grown) == 300


def test_of_results_without_faults_none_are_kept_for_their_faults() -> None:
    assert len(columns(rows(3, seats=3)).troubled) == 0


def test_the_latest_results_are_as_many_as_there_are_at_most() -> None:
    log = columns(rows(3))
    assert [len(log.latest(count)) for count in (1, 3, 4)] == [1, 3, 3]


def test_a_board_that_grew_match_by_match_calls_the_same_bots_provisional() -> None:
    met = {(1, 2): 8, (1, 3): 1, (1, 4): 8, (1, 5): 10, (2, 3): 1}
    met |= {(2, 5): 6, (3, 4): 12, (3, 5): 8, (4, 5): 3}
    tables = [
        pair if number % 2 else pair[::-1] for pair, times in met.items() for number in range(times)
    ]
    versions = {VersionId(n): registered(n, f"bot{n}") for n in range(1, 6)}
    found = set()
    for seed in range(6):
        log = [
            Row(n, f"m{n}", f"b{n}", [VersionId(one) for one in table], [1, 2])
            for n, table in enumerate(Random(seed).sample(tables, len(tables)), start=1)
        ]
        grown, whole = Board("bluff"), Board("bluff")
        whole.extend(columns(log))
        for row in log:
            grown.extend(columns([row]))
        assert_same(grown.lines(versions), whole.lines(versions))
        found.add(tuple((line.version_id, line.flags) for line in whole.lines(versions)))
    assert len(found) == 1


def test_its_elo_is_that_of_the_rating_package() -> None:
    log = rows(300, seats=3)
    board = Board("bluff")
    board.extend(columns(log))
    results = Results.of_rows(
        (row.match_id, row.block_id, list(zip(row.version_ids, row.placings, strict=True)))
        for row in log
    )
    expected = fit(Aggregate.of(results), anchor=Anchor(VersionId(1), CENTRE)).ratings()
    assert {line.version_id: line.elo for line in board.lines(VERSIONS)} == expected
    assert all(line.ranked for line in board.lines(VERSIONS))


def test_its_intervals_are_those_of_the_ladder_with_one_cluster_per_block() -> None:
    log = rows(300, seats=3)
    board = Board("bluff")
    board.extend(columns(log))
    results = Results.of_rows(
        (row.match_id, row.block_id, list(zip(row.version_ids, row.placings, strict=True)))
        for row in log
    )
    expected = rate(results, anchor=Anchor(VersionId(1), CENTRE)).ratings
    lines = board.lines(VERSIONS)
    assert [(line.version_id, line.rank_low, line.rank_high) for line in lines] == [
        (rating.bot, rating.rank_low, rating.rank_high) for rating in expected
    ]
    for line, rating in zip(lines, expected, strict=True):
        assert line.interval == pytest.approx(rating.interval, abs=1e-9)


def test_ties_share_the_first_place_and_the_mean_of_the_places_they_fill() -> None:
    board = Board("bluff")
    seats = [VersionId(1), VersionId(2), VersionId(3)]
    board.extend(columns([Row(1, "a", "x", seats, [1, 1, 3]), Row(2, "b", "x", seats, [3, 1, 1])]))
    said = {
        line.version_id: (line.matches, line.win_share, line.mean_placing)
        for line in board.lines(VERSIONS)
    }
    assert said == {1: (2, 0.25, 2.25), 2: (2, 0.5, 1.5), 3: (2, 0.25, 2.25)}
