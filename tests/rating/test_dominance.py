"""Cycles and unbeaten bots: found where they are, and hardly ever where chance alone makes them."""

import numpy as np
import pytest

from arena.rating.confidence_sequence import confidence_sequence
from arena.rating.dominance import dominance, dominance_in_words
from arena.rating.head_to_head import HeadToHead


def matrix(wins: np.ndarray, ties: np.ndarray | None = None) -> HeadToHead[str]:
    """A matrix of bots A, B, C …; wins[i, j] is how often i beat j."""
    ties = np.zeros_like(wins) if ties is None else ties
    pairs = wins + ties + wins.T
    with np.errstate(invalid="ignore"):
        share = (wins + ties / 2) / pairs
    bots = tuple("ABCDEFGHIJKLMNOP"[: len(wins)])
    return HeadToHead(bots, wins, ties, wins.T, share, share, share)


def league(chances: np.ndarray, matches: int, seed: int) -> HeadToHead[str]:
    """Each pair plays so many matches; chances[i, j] is i's chance to win."""
    random, bots = np.random.default_rng(seed), len(chances)
    wins = np.zeros((bots, bots), int)
    for one in range(bots):
        for other in range(one + 1, bots):
            wins[one, other] = random.binomial(matches, chances[one, other])
            wins[other, one] = matches - wins[one, other]
    return matrix(wins)


ROCK_PAPER_SCISSORS = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])


def test_a_cycle_is_found_and_told() -> None:
    found = dominance(matrix(np.array([[0, 70, 25], [30, 0, 80], [75, 20, 0]])))
    assert found.cycle == ("A", "B", "C")
    assert found.shares == (0.7, 0.8, 0.75)
    assert found.unbeaten == ()
    assert dominance_in_words(found, str.lower) == (
        "A cycle, which no order by one number shows: a beats b (70%), b beats c (80%), c beats a "
        "(75%). This holds at 95 %, for all pairs together and however often one looks."
    )


def test_the_unbeaten_are_those_that_beat_somebody_and_are_beaten_by_nobody() -> None:
    wins = np.array([[0, 52, 90, 0], [48, 0, 85, 0], [10, 15, 0, 0], [0, 0, 0, 0]])
    found = dominance(matrix(wins))
    assert (found.cycle, found.unbeaten) == ((), ("A", "B"))
    assert dominance_in_words(found, str).startswith(
        "Shown to beat a bot, and not shown to be beaten: A and B. This holds"
    )


def test_five_are_named_and_the_rest_are_counted() -> None:
    for bots, named in ((6, "A, B, C, D and E"), (8, "A, B, C, D, E and 2 more")):
        wins = np.zeros((bots, bots), int)
        wins[:-1, -1] = 90
        assert f"not shown to be beaten: {named}. " in dominance_in_words(
            dominance(matrix(wins)), str
        )


def test_a_longer_cycle_is_found_where_there_is_no_shorter_one() -> None:
    wins = np.full((4, 4), 50) - 50 * np.eye(4, dtype=int)
    for one in range(4):
        other = (one + 1) % 4
        wins[one, other], wins[other, one] = 90, 10
    assert dominance(matrix(wins)).cycle == ("A", "B", "C", "D")


def test_few_matches_decide_nothing_and_say_nothing() -> None:
    found = dominance(matrix(np.array([[0, 3, 0], [0, 0, 3], [3, 0, 0]])))
    assert not found.beats.any()
    assert dominance_in_words(found, str) == ""


def test_ties_are_half_points() -> None:
    none = np.zeros((2, 2), int)
    assert not dominance(matrix(none, np.array([[0, 400], [400, 0]]))).beats.any()
    wins = np.array([[0, 60], [0, 0]])
    assert dominance(matrix(wins, np.array([[0, 40], [40, 0]]))).beats.tolist() == [
        [False, True],
        [False, False],
    ]


def test_a_pair_alone_is_decided_where_its_confidence_sequence_excludes_a_half() -> None:
    for wins in range(101):
        found = dominance(matrix(np.array([[0, wins], [100 - wins, 0]])))
        low, high = confidence_sequence(wins, 100)
        assert found.beats.tolist() == [[False, low > 0.5], [high < 0.5, False]]


def test_more_pairs_ask_for_clearer_results_whether_they_met_or_not() -> None:
    wins = np.array([[0, 67], [33, 0]])
    assert dominance(matrix(wins)).beats[0, 1]
    more = np.pad(wins, (0, 1))
    assert not dominance(matrix(more)).beats.any()
    more[0, 1], more[1, 0] = 72, 28
    assert dominance(matrix(more)).beats[0, 1]


def test_many_names_are_counted() -> None:
    wins = np.zeros((8, 8), int)
    wins[:7, 7] = 100
    found = dominance(matrix(wins))
    assert "beaten: A, B, C, D, E and 2 more. This" in dominance_in_words(found, str)


@pytest.mark.parametrize("spread", [0.0, 0.02, 0.05])
def test_an_order_without_cycles_shows_one_in_at_most_a_twentieth_of_leagues(
    spread: float,
) -> None:
    strength = np.arange(8) * spread
    chances = 0.5 + (strength[:, None] - strength[None, :])
    leagues = [dominance(league(np.clip(chances, 0, 1), 200, seed)) for seed in range(400)]
    assert np.mean([bool(one.cycle) for one in leagues]) <= 0.05
    wrong = [(one.beats & (chances <= 0.5)).any() for one in leagues]
    assert np.mean(wrong) <= 0.05 + 2 * (0.05 * 0.95 / 400) ** 0.5


def test_looking_often_at_equal_bots_ever_shows_an_edge_in_at_most_a_twentieth_of_leagues() -> None:
    """400 leagues of four bots, looked at 40 times while each pair meets 400 times."""
    random, ever = np.random.default_rng(12), 0
    counts = np.arange(10, 410, 10)[:, None, None] * (1 - np.eye(4, dtype=int))
    for _ in range(400):
        won = np.triu(np.cumsum(random.binomial(10, 0.5, (40, 4, 4)), axis=0), 1)
        won += np.tril(counts - won.transpose(0, 2, 1), -1)
        ever += any(dominance(matrix(one)).beats.any() for one in won)
    assert ever / 400 <= 0.05


def test_rock_paper_scissors_is_found() -> None:
    leagues = [dominance(league(ROCK_PAPER_SCISSORS, 300, seed)) for seed in range(50)]
    assert all(one.cycle == ("A", "B", "C") for one in leagues)
