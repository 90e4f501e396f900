"""Comparisons follow the ladder: its bots, their order, its fit, its log."""

from statistics import fmean

import numpy as np
import pytest

from arena.match.transcript import Entrant
from arena.rating.head_to_head import wilson
from arena.rating.ladder import rate
from arena.rating.methods import ScoreRule
from arena.rating.results import Results
from arena.records import Registered, VersionId
from arena.server.boards.board import CENTRE, Board
from arena.server.boards.comparisons import across_tables, comparisons
from arena.server.boards.model_check import model_check
from arena.server.boards.rating_history import MOST_POINTS, rating_history
from tests.board_rows import Row, columns
from tests.rating.leagues import random_results


def league(matches: int = 200, seats: int = 3, bots: int = 5) -> list[Row]:
    log = random_results(
        np.random.default_rng(5), bots=bots, matches=matches, seats=(seats,), block=seats
    )
    return [
        Row(
            2 * number + 2,
            f"m{number}",
            f"b{match.block}",
            [VersionId(bot) for bot, _ in match.seats],
            [placing for _, placing in match.seats],
        )
        for number, match in enumerate(log.matches())
    ]


VERSIONS = {
    VersionId(n): Registered(VersionId(n), Entrant(f"bot{n}", "1", f"owner{n}"), house=False)
    for n in range(5)
}


def board(rows: list[Row], score: ScoreRule = ScoreRule.PLACEMENT) -> Board:
    found = Board("bluff", score)
    found.extend(columns(rows))
    return found


@pytest.mark.parametrize("score", list(ScoreRule))
def test_the_matrix_follows_the_ladder_and_its_score_rule(score: ScoreRule) -> None:
    rows = league()
    ladder = board(rows, score)
    lines, found = ladder.lines(VERSIONS), comparisons(ladder.ladder(VERSIONS))
    assert found.bots == tuple(line.version_id for line in lines)
    for at, one in enumerate(found.bots):
        assert found.met(at, at) is None
        for other, two in enumerate(found.bots):
            if at == other:
                continue
            wins = ties = losses = 0
            for row in rows:
                if {one, two} <= set(row.version_ids):
                    a, b = (row.placings[row.version_ids.index(bot)] for bot in (one, two))
                    if score is ScoreRule.WINNER and min(a, b) > 1:
                        continue
                    wins, ties, losses = wins + (a < b), ties + (a == b), losses + (a > b)
            met = found.met(at, other)
            assert met is not None
            assert (met.wins, met.ties, met.losses) == (wins, ties, losses)
            points, games = np.array([wins + ties / 2]), np.array([float(wins + ties + losses)])
            low, high = wilson(points, games)
            assert (met.share, met.low, met.high) == pytest.approx(
                (points[0] / games[0], low[0], high[0])
            )


def test_nash_weights_add_up_and_do_not_sort_the_ladder() -> None:
    # Rock, paper, scissors, and a fourth that farms one of them.
    rows, number = [], 0
    for winner, loser, times in ((0, 1, 9), (1, 2, 9), (2, 0, 9), (3, 2, 30), (0, 3, 20)):
        for time in range(times + 1):
            number += 1
            seats = [VersionId(winner), VersionId(loser)]
            rows.append(Row(number, f"m{number}", f"b{number}", seats, [1, 2] if time else [2, 1]))
    ladder = board(rows)
    found = comparisons(ladder.ladder(VERSIONS))
    assert sum(found.nash_weight) == pytest.approx(1.0)
    assert max(found.nash_value) <= 1e-6
    assert list(found.nash_weight) != sorted(found.nash_weight, reverse=True)


def test_the_mean_over_ladders_is_a_plain_mean_of_those_it_played_on() -> None:
    two, three = board(league(seats=2, bots=5)), board(league(seats=3, bots=4))
    shown = [
        (range(2, 3), two.lines(VERSIONS), two.win_shares()),
        (range(3, 5), three.lines(VERSIONS), three.win_shares()),
    ]
    found = across_tables(shown)
    assert {len(one.elo) for one in found.values()} == {1, 2}
    for one in found.values():
        assert one.mean_elo == pytest.approx(fmean(elo for _, elo in one.elo))
        assert [cell.seats for cell in one.wins] == [sizes.start for sizes, _ in one.elo]
        for cell in one.wins:
            assert cell.interval[0] <= cell.share <= cell.interval[1]


def test_the_history_ends_at_the_board_with_the_board_s_intervals() -> None:
    for score in ScoreRule:
        ladder = board(league(), score)
        log = columns(league())
        points = rating_history(log.results(), log.sequences, anchor=None, score=score)
        assert len(points) == MOST_POINTS
        assert points[-1].sequence == ladder.sequence
        now = {rating.version_id: rating for rating in points[-1].ratings}
        for line in ladder.lines(VERSIONS):
            assert now[line.version_id].elo == pytest.approx(line.elo, abs=1e-9)
            assert now[line.version_id].interval == pytest.approx(line.interval, abs=1e-9)
            assert now[line.version_id].matches == line.matches


def test_a_point_is_the_ladder_of_its_past_and_of_nothing_later() -> None:
    rows = league()
    log = columns(rows)
    for point in rating_history(log.results(), log.sequences, anchor=VersionId(2), points=4):
        past = Results.of_rows(
            (row.match_id, row.block_id, list(zip(row.version_ids, row.placings, strict=True)))
            for row in rows[: point.matches]
        )
        from_nothing = rate(past)
        shift = CENTRE - next(r.elo for r in from_nothing.ratings if r.bot == 2)
        assert point.sequence == rows[point.matches - 1].sequence
        for rating in from_nothing.ratings:
            then = next(one for one in point.ratings if one.version_id == rating.bot)
            assert then.elo == pytest.approx(rating.elo + shift, abs=1e-9)


def test_a_history_has_one_to_fifty_points() -> None:
    few = columns(league(matches=12))
    log, sequences = few.results(), few.sequences
    assert len(rating_history(log, sequences, anchor=None)) == 12
    assert len(rating_history(log, sequences, anchor=None, points=1)) == 1
    for points in (0, 51):
        with pytest.raises(ValueError, match="1 to 50"):
            rating_history(log, sequences, anchor=None, points=points)
    assert rating_history(Results(), sequences, anchor=None) == []


def test_the_check_looks_at_no_more_matches_than_it_may_and_says_so() -> None:
    log = columns(league()).results()
    whole = model_check(log, replicates=10)
    assert whole is not None
    assert (whole.matches, whole.looked_at) == (200, 200)
    assert (whole.misfit, whole.displaced) == (False, ())
    part = model_check(log, most=70, replicates=10)
    assert part is not None
    assert part.matches == 200
    assert part.looked_at <= 70
    assert model_check(log, replicates=10) == whole
    assert model_check(Results()) is None
    for low, high in whole.nash_interval.values():
        assert 0.0 <= low <= high <= 1.0


def test_the_exact_model_knows_no_ladder_of_first_places() -> None:
    log = columns(league()).results()
    check = model_check(log, score=ScoreRule.WINNER, replicates=2)
    assert check is not None
    assert (check.misfit, check.stretch, check.displaced) == (None, None, ())


def test_a_cycle_among_bots_is_found() -> None:
    pairs = [(0, 1), (1, 2), (2, 0)] * 60
    rows = [
        Row(2 * number + 2, f"m{number}", f"b{number}", [VersionId(one), VersionId(two)], [1, 2])
        for number, (one, two) in enumerate(pairs)
    ]
    found = comparisons(board(rows).ladder(VERSIONS))
    cycle = found.dominance.cycle
    at = cycle.index(VersionId(0))
    assert cycle[at:] + cycle[:at] == (VersionId(0), VersionId(1), VersionId(2))
    assert found.dominance.unbeaten == ()
