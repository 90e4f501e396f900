"""Values of actions by solved tables, and how the tables are read."""

import os
import subprocess
import sys
import weakref
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from arena.games import make_game
from arena.games.bluff import STAR, Bet, BluffView, Doubt, Face, PlacedBet
from arena.games.bluff.bets import lowest_raises
from arena.lab.analysis import BluffTables, analyse, kept_form
from arena.lab.analysis.bluff.recall import TableNodes
from arena.lab.analysis.bluff.round_values import RoundValues
from arena.lab.analysis.bluff.solved_play import PlayFileError, RoundPlay, SolvedPlay, chosen, read
from arena.lab.analysis.bluff.table import hands_of
from arena.lab.solver import ByDice, exact_play, solve_last_bets, solve_matches, write_play
from arena.lab.solver.recall import recall_nodes
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot


def written(recall: int | None) -> bytes:
    """The file of play with one die each that knows so many of the last bets, or all."""
    states = (
        [exact_play(solve_matches([(1, 1)], width=1e-2)[1, 1])]
        if recall is None
        else solve_last_bets([(1, 1)], recall=ByDice(recall), sweeps=ByDice(20))
    )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "play"
        write_play(file, states)
        return file.read_bytes()


@cache
def solved(recall: int | None) -> SolvedPlay:
    """The same play, as it is read."""
    return read(written(recall))


@pytest.mark.parametrize("recall", [None, 1, 2, 3])
@pytest.mark.parametrize("role", [0, 1])
def test_the_values_of_actions_add_up_to_that_of_the_round(recall: int | None, role: int) -> None:
    play = solved(recall).rounds[1, 1]
    total = 0.0
    for number, hand in enumerate(hands_of(1).dice):
        values = RoundValues(solved(recall), play, role, hand)
        for opening in range(1, 13) if role else [0]:
            history = [opening] if role else []
            likely = hands_of(1).chances
            if role:
                likely = likely * play.weights(0, [])[opening]
            own = play.weights(role, history)[:, number]
            if likely.any():
                worth = own @ values.values(history, likely / likely.sum())
                total += hands_of(1).chances[number] * likely.sum() * worth
    opener = 1 - total if role else total
    # The file holds the value to six digits, and probabilities to a byte.
    assert opener == pytest.approx(solved(recall).values[1, 1], abs=0.01)


def won_by_opener(play: RoundPlay, history: tuple[int, ...], opener: int, other: int) -> float:
    """How often the opener wins a round with these hands of one die each that goes on by the play
    after a history, found by trying all that may follow."""
    role, place = len(history) % 2, history[-1] if history else 0
    own = play.weights(role, history)[:, (opener, other)[role]]
    won = 0.0
    if place:
        bet, dice = play.bets[place - 1], hands_of(1).matching[:, [opener, other]]
        true = dice[bet.face - 1].sum() >= bet.quantity
        won += own[0] * (true == (role == 1))  # the bettor was the other of the two
    for action in own[1:].nonzero()[0].tolist():
        won += own[action + 1] * won_by_opener(play, (*history, place + 1 + action), opener, other)
    return won


@pytest.mark.parametrize("recall", [1, 2, 3])
@pytest.mark.parametrize("history", [(), (2,), (5, 6), (4, 6, 7)], ids=str)
def test_values_are_those_of_all_that_may_follow(recall: int, history: tuple[int, ...]) -> None:
    """With one die each, who wins the round wins the match."""
    play, role, hand = solved(recall).rounds[1, 1], len(history) % 2, 3
    values = RoundValues(solved(recall), play, role, hands_of(1).dice[hand])
    belief = np.arange(1, 7) / 21
    place = history[-1] if history else 0
    for action, value in enumerate(values.values(history, belief)[1:], 1):
        won = [
            won_by_opener(play, (*history, place + action), *pair)
            for theirs in range(6)
            for pair in [(hand, theirs) if role == 0 else (theirs, hand)]
        ]
        opener = float(belief @ won)
        assert value == pytest.approx(opener if role == 0 else 1 - opener)


@pytest.mark.parametrize("recall", [1, 2, 3, 12])
def test_play_is_read_from_the_rows_in_which_it_is_written(recall: int) -> None:
    nodes = recall_nodes(12, recall)
    play = RoundPlay((1, 1), recall, (np.empty((0, 6), np.uint8),) * 2)
    for size in range(5):
        for history in combinations(range(1, 13), size):
            node = 0
            for bet in history:
                node = int(nodes.below[nodes.rows[node] + bet - nodes.places[node]])
            assert play.rows(0, history) == slice(nodes.rows[node], nodes.rows[node + 1])


@pytest.mark.parametrize(("bets", "recall"), [(12, 1), (12, 2), (12, 3), (12, 12), (18, 4)])
def test_nodes_are_those_of_the_solver(bets: int, recall: int) -> None:
    nodes, expected = TableNodes.of(bets, recall), recall_nodes(bets, recall)
    assert nodes.first_rows[-1] == expected.rows[-1]
    below = [
        nodes.below(place, np.arange(end - first)).ravel()
        for place, (first, end) in enumerate(pairwise(nodes.first))
    ]
    doubts = expected.rows[:-1]
    assert np.array_equal(np.concatenate(below), np.delete(expected.below, doubts))


@pytest.mark.parametrize("recall", [1, 2, 3])
def test_values_do_not_depend_on_what_was_asked_before(recall: int) -> None:
    play, belief = solved(recall).rounds[1, 1], np.arange(1, 7) / 21
    asked = RoundValues(solved(recall), play, 0, hands_of(1).dice[3])
    for history in [(7, 9), (2, 5), (2, 5, 6, 9), (3, 4), (), (1, 2)]:
        fresh = RoundValues(solved(recall), play, 0, hands_of(1).dice[3])
        assert asked.values(history, belief) == pytest.approx(fresh.values(history, belief))


@pytest.mark.slow
def test_the_tables_of_an_analysis_may_be_chosen(tmp_path: Path) -> None:
    """They name another edition, so that what is kept by others is not read."""
    program = (
        "from arena.lab.analysis import kept_form, known_sources\n"
        "print(kept_form.edition(), [source.name for source in known_sources()])"
    )

    def run(file: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "ARENA_CFR_TABLES": str(file)},
            check=False,
            capture_output=True,
            text=True,
        )

    file = tmp_path / "two.tables"
    file.write_bytes(written(2))
    chosen_edition = run(file).stdout
    assert "['tables', 'search']" in chosen_edition
    assert chosen_edition.split()[0] != kept_form.edition()
    assert "ARENA_CFR_TABLES: " in run(tmp_path / "nothing").stderr


def test_hands_are_believed_by_the_bets_that_the_tables_place_with_them() -> None:
    play = solved(None).rounds[1, 1]
    values = RoundValues(solved(None), play, 1, (Face.TWO,))
    for opening in range(1, 13):
        weights = play.weights(0, [])[opening] * (1 / 6)
        if weights.sum() > 0.05:
            belief = values.belief([opening])
            assert belief.sum() == pytest.approx(1)
            assert np.abs(belief - weights / weights.sum()).max() < 0.15
            assert belief.argmax() == weights.argmax()


def view_of(
    *bets: Bet, dice: tuple[Face, ...] = (Face.TWO,), counts: tuple[int, ...] = (1, 1)
) -> BluffView:
    placed = tuple(PlacedBet(number % 2, bet) for number, bet in enumerate(bets))
    lowest = lowest_raises(bets[-1].quantity, bets[-1].face) if bets else (1,) * 6
    seat = len(bets) % 2
    return BluffView(
        seat, 1, 0, seat, dice, ((),) * len(counts), counts, 8, placed, lowest, sum(counts),
        bool(bets),
    )  # fmt: skip


def test_a_doubt_that_cannot_fail_wins_the_match() -> None:
    valued = BluffTables(solved(None)).look(view_of(Bet(2, Face.FIVE)), Doubt())
    assert valued is not None
    assert valued.standing == 0
    assert valued.values[Doubt()] == pytest.approx(1)
    assert max(valued.values, key=valued.values.__getitem__) == Doubt()


@pytest.mark.parametrize(
    "view",
    [
        view_of(counts=(1, 1, 1)),
        view_of(dice=(Face.TWO, Face.TWO), counts=(2, 1)),
        view_of(Bet(1, STAR))._replace(face_up=((STAR,), ())),
        view_of()._replace(highest=99),
    ],
    ids=["three seats", "more dice", "laid out", "bets beyond the dice"],
)
def test_what_the_tables_do_not_know_is_left_to_others(view: BluffView) -> None:
    assert BluffTables(solved(None)).look(view, Bet(1, Face.ONE)) is None


@pytest.mark.usefixtures("no_garbage_collection")
def test_the_rounds_of_an_analysis_are_freed_without_the_garbage_collector() -> None:
    tables = BluffTables(solved(None))
    tables.look(view_of(Bet(2, Face.FIVE)), Doubt())
    gone = weakref.ref(tables)
    del tables
    assert gone() is None


def test_matches_of_two_are_valued_by_the_shipped_tables() -> None:
    tables = chosen()
    assert tables is not None
    game = make_game("bluff")
    contenders = [Contender(name, load_bot(name)) for name in ("cfr", "random")]
    (played,) = play_series(game, contenders, 1, "tables")
    found = analyse(played.transcript)
    assert {decision.source for decision in found.decisions} == {"tables"}
    for decision in found.decisions:
        assert decision.values is not None
        assert len(decision.values) == len(list(game.choices(decision.view)))
        assert all(0 <= value <= 1 for value in decision.values.values())
    equilibrium, random = found.seats
    assert equilibrium.mean_loss is not None
    assert random.mean_loss is not None
    assert equilibrium.mean_loss < random.mean_loss


@pytest.mark.parametrize("data", [b"", b"{}\n", b'{"format": "arena-play/0"}\n'])
def test_bytes_without_play_are_refused(data: bytes) -> None:
    with pytest.raises(PlayFileError):
        read(data)
