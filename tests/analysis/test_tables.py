"""Values of actions by solved tables, and how the tables are read."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from arena.analysis import BluffTables, analyse
from arena.analysis.bluff.round_values import RoundValues
from arena.analysis.bluff.solved_play import PlayFileError, SolvedPlay, read, shipped
from arena.analysis.bluff.table import hands_of
from arena.games import make_game
from arena.games.bluff import STAR, Bet, BluffView, Doubt, Face, PlacedBet
from arena.games.bluff.bets import lowest_raises
from arena.home.in_process import Contender, play_series
from arena.home.loading import load_bot
from arena.solver import ByDice, exact_play, solve_last_bets, solve_matches, write_play


@cache
def solved(*, exact: bool) -> SolvedPlay:
    """Play with one die each."""
    states = (
        [exact_play(solve_matches([(1, 1)], width=1e-2)[1, 1])]
        if exact
        else solve_last_bets([(1, 1)], sweeps=ByDice(20))
    )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "play"
        write_play(file, states)
        return read(file.read_bytes())


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("role", [0, 1])
def test_the_values_of_actions_add_up_to_that_of_the_round(exact: bool, role: int) -> None:
    play = solved(exact=exact).rounds[1, 1]
    total = 0.0
    for number, hand in enumerate(hands_of(1).dice):
        values = RoundValues(solved(exact=exact), play, role, hand)
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
    assert opener == pytest.approx(solved(exact=exact).values[1, 1], abs=0.01)


def test_hands_are_believed_by_the_bets_that_the_tables_place_with_them() -> None:
    play = solved(exact=True).rounds[1, 1]
    values = RoundValues(solved(exact=True), play, 1, (Face.TWO,))
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
    valued = BluffTables(solved(exact=True)).look(view_of(Bet(2, Face.FIVE)), Doubt())
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
    assert BluffTables(solved(exact=True)).look(view, Bet(1, Face.ONE)) is None


def test_matches_of_two_are_valued_by_the_shipped_tables() -> None:
    tables = shipped()
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
