"""The smallest Bluff, solved exactly: one die each at two seats, against the literature's value.

The loser of that round is out, so the round is the match; a win counts +1, a loss -1. The game is
Dudo with one die each, whose value for the opener is -7/258 (Neller and Hnath 2011; Neller and
Lanctot 2013). The tree comes from the contract alone, and is solved as a linear program over
realization plans (sequence form: Koller, Megiddo and von Stengel 1996).
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack

from arena.games import make_game
from arena.games.bluff import Bet, CupRoll, Doubt
from arena.games.bluff.bets import bets_within
from arena.games.game import DEALER
from tests.outcomes import outcomes

pytestmark = pytest.mark.slow

GAME = make_game("bluff", {"start_mode": "seat", "dice_per_player": 1, "players_max": 2})
BETS = [Bet(quantity, face) for quantity, face in bets_within((1,) * 6, 2)]
NUMBERS = {bet: number for number, bet in enumerate(BETS)}
DEALS = list(outcomes(partial(GAME.draw, GAME.start(2))))

LITERATURE = Fraction(-7, 258)

History = int
"""A history of rising bets is the set of its bets: bet b is bit b."""
Sequence = tuple[int, History, bool]
"""What a seat has done so far: its die, the history after its last bet, whether it then doubted."""
NOTHING: Sequence = (0, 0, False)
"""Before its first action a seat has done nothing, whatever its die."""


def histories(deal: CupRoll) -> dict[History, int | None]:
    """Every history, and the seat that wins when its last bet is doubted (None: no bet yet)."""
    return dict(_histories_from(GAME.apply(GAME.start(2), DEALER, deal), 0))


def _histories_from(state: Any, history: History) -> Iterator[tuple[History, int | None]]:
    asked: Any = GAME.to_act(state)
    (seat,) = asked
    winner = None
    for action in GAME.legal_actions(state, seat):
        after = GAME.apply(state, seat, action)
        if isinstance(action, Doubt):
            assert GAME.to_act(after) == (), "the loser of the round is out"
            winner = GAME.placing(after).index(1)
        else:
            yield from _histories_from(after, history | 1 << NUMBERS[action])
    yield history, winner


def on_turn(history: History) -> int:
    return history.bit_count() % 2


def without_last_bet(history: History) -> History:
    return history ^ (1 << history.bit_length() >> 1)


class Plans:
    """The realization plans of a seat: a weight for each sequence, and what they must add up to.

    Row 0 says that doing nothing has weight 1; every other row says that the weights of the
    actions in one situation (own die and history) add up to that of the sequence before it.
    """

    def __init__(self, seat: int, every_history: list[History]) -> None:
        self.columns: dict[Sequence, int] = {NOTHING: 0}
        entries = [(0, 0, 1.0)]
        situations = [(die, h) for die in range(1, 7) for h in every_history if on_turn(h) == seat]
        for row, (die, history) in enumerate(sorted(situations), start=1):
            before = without_last_bet(history)
            entries.append((row, self.columns[(die, before, False) if before else NOTHING], -1.0))
            actions = [
                (die, history | 1 << bet, False) for bet in range(history.bit_length(), len(BETS))
            ]
            if history:
                actions.append((die, history, True))
            for action in actions:
                column = self.columns[action] = len(self.columns)
                entries.append((row, column, 1.0))
        self.rows = len(situations) + 1
        self.constraints = sparse(entries, (self.rows, len(self.columns)))


def sparse(entries: list[tuple[int, int, float]], shape: tuple[int, int]) -> csr_array[Any]:
    rows, columns, values = zip(*entries, strict=True)
    return coo_array((values, (rows, columns)), shape=shape).tocsr()


@pytest.fixture(scope="module")
def tree() -> dict[tuple[int, int], dict[History, int | None]]:
    """The histories of every deal, by the dice of both seats."""
    found = {}
    for deal, probability in DEALS:
        assert isinstance(deal, CupRoll)
        assert probability == Fraction(1, 36)
        found[int(deal.dice[0][0]), int(deal.dice[1][0])] = histories(deal)
    return found


def test_two_dice_have_two_to_the_twelfth_bid_histories(
    tree: dict[tuple[int, int], dict[History, int | None]],
) -> None:
    assert len(tree) == 36
    assert len(BETS) == 12
    for winners in tree.values():
        assert sorted(winners) == list(range(1 << 12))
        assert [history for history, winner in winners.items() if winner is None] == [0]


@pytest.mark.system  # computes for long
def test_one_die_each_is_worth_minus_7_258ths_to_the_opener(
    tree: dict[tuple[int, int], dict[History, int | None]],
) -> None:
    every_history = list(range(1 << len(BETS)))
    opener, other = Plans(0, every_history), Plans(1, every_history)
    entries = []
    for (first, second), winners in tree.items():
        for history, winner in winners.items():
            if winner is not None:
                doubter = on_turn(history)
                row = opener.columns[first, history, doubter == 0]
                column = other.columns[second, history, doubter == 1]
                entries.append((row, column, (1 if winner == 0 else -1) / 36))
    payoff = sparse(entries, (len(opener.columns), len(other.columns)))

    # The opener's plan x maximises the value v[0] of the other's best answer, which by duality is
    # the largest v[0] with other.constraints' v <= payoff' x.
    solution = linprog(  # type: ignore[call-overload]  # its stubs know no sparse matrices
        c=-np.eye(1, len(opener.columns) + other.rows, len(opener.columns))[0],
        A_ub=hstack([-payoff.T, other.constraints.T]).tocsr(),
        b_ub=np.zeros(len(other.columns)),
        A_eq=hstack([opener.constraints, csr_array((opener.rows, other.rows))]).tocsr(),
        b_eq=np.eye(1, opener.rows)[0],
        bounds=[(0, None)] * len(opener.columns) + [(None, None)] * other.rows,
        method="highs-ipm",
    )
    assert solution.status == 0, solution.message
    assert -solution.fun == pytest.approx(float(LITERATURE), abs=1e-9)
