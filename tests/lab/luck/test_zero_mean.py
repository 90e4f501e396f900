"""The mean of luck over all that can be drawn is zero: exactly, not nearly."""

from fractions import Fraction

import pytest

from arena.games import make_game
from arena.games.bluff import Bet, Bluff, BluffAction, CupRoll, Face
from arena.games.bluff.kit.duels import cell_of
from arena.games.bluff.kit.luck import luck_of_roll, luck_table
from arena.games.bluff.state import BluffPhase, BluffState
from arena.games.game import DEALER
from arena.lab.luck import luck_of
from arena.match.transcript import Step
from arena.randomness import KeyedRandomness
from tests.lab.luck.matches import recorded
from tests.outcomes import outcomes
from tools.luck_tables.cell_weights import cell_weights

SMALL = [(1, 1), (2, 1), (1, 2), (2, 2)]


def bluff(**options: object) -> Bluff:
    game = make_game("bluff", options)
    assert isinstance(game, Bluff)
    return game


def before_roll(game: Bluff, counts: tuple[int, ...], opener: int) -> BluffState:
    return game.start(len(counts))._replace(
        phase=BluffPhase.ROLL, round=1, opener=opener, dice_counts=counts, starting=None
    )


def told_of(game: Bluff, draw: BluffAction, after: BluffState) -> tuple[float, ...]:
    """The luck of a draw, read off the record of what follows it."""
    steps = [Step(DEALER, draw)]
    if after.opener is None:
        steps.append(Step(DEALER, game.draw(after, KeyedRandomness(b"any"))))
    else:
        roll = game.draw(after, KeyedRandomness(b"any"))
        steps += [Step(DEALER, roll), Step(after.opener, Bet(1, Face.ONE))]
    first, *_ = luck_of(recorded(game, len(after.dice_counts), steps)).draws
    assert first.step == 1
    return first.seats


@pytest.mark.parametrize("opener", [0, 1])
@pytest.mark.parametrize("counts", SMALL)
def test_over_all_rolls_that_the_dealer_can_draw_the_mean_is_zero(
    counts: tuple[int, int], opener: int
) -> None:
    game = bluff()
    state = before_roll(game, counts, opener)
    duel = luck_table().duels[counts[opener], counts[1 - opener]]
    mean, chances = Fraction(0), Fraction(0)
    for roll, chance in outcomes(lambda randomness: game.draw(state, randomness)):
        assert isinstance(roll, CupRoll)
        cell = cell_of(roll.dice[opener], roll.dice[1 - opener])
        luck = Fraction(duel.lucks[cell], duel.unit)
        told = luck_of_roll(luck_table(), roll.dice[opener], roll.dice[1 - opener])
        assert told == float(luck)
        mean, chances = mean + chance * luck, chances + chance
    assert (mean, chances) == (0, 1)


def test_in_every_duel_the_mean_over_the_weights_is_zero() -> None:
    duels = luck_table().duels
    # Who lost no die yet at a table of two has won all rounds but the first, and opens.
    reachable = [(n, m) for n in range(1, 6) for m in range(1, 6) if m < 5 or n == 5]
    assert sorted(duels) == reachable
    for duel in duels.values():
        assert sum(luck * duel.weights[cell] for cell, luck in duel.lucks.items()) == 0


@pytest.mark.parametrize("dice", [(1, 1), (3, 2), (5, 2), (5, 5)])
def test_the_weights_in_the_file_are_those_of_all_rolls(dice: tuple[int, int]) -> None:
    assert luck_table().duels[dice].weights == cell_weights(*dice)


@pytest.mark.parametrize("options", [{}, {"start_rerolls": 0}])
def test_over_all_starting_rolls_the_mean_is_zero(options: dict[str, object]) -> None:
    game = bluff(dice_per_player=1, **options)
    state = game.start(2)
    mean = Fraction(0)
    for roll, chance in outcomes(lambda randomness: game.draw(state, randomness)):
        told = told_of(game, roll, game.apply(state, DEALER, roll))
        assert told[0] == -told[1]
        mean += chance * Fraction(told[0])
    assert mean == 0


def test_over_both_openers_that_can_be_drawn_the_mean_is_zero() -> None:
    game = bluff(start_rerolls=0)
    state = game.start(2)._replace(phase=BluffPhase.OPENER_DRAW)
    first, second = [
        told_of(game, draw, game.apply(state, DEALER, draw))
        for draw, _ in outcomes(lambda randomness: game.draw(state, randomness))
    ]
    assert first[0] == -second[0] != 0
