"""Luck in Blöff and Bluff You!: read off the record, nothing on average, and worth something."""

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest

from arena.games import make_game
from arena.games.bloeff import Deal
from arena.games.bloeff.kit.luck import luck_table as bloeff_table
from arena.games.bluff_you import Roll, Steal, Swap, Take, Win
from arena.games.bluff_you.kit.luck import UNIT, BluffersLuck, rolls
from arena.games.bluff_you.kit.luck import luck_table as bluff_you_table
from arena.games.bluff_you.values import CHIPS
from arena.games.game import DEALER
from arena.lab.luck import luck_of, table_of
from arena.local.in_process import PlayedMatch, play_series
from arena.match.replay import replay
from arena.match.transcript import Step
from arena.randomness import KeyedRandomness
from arena.rating.luck import AdjustedMean, luck_adjusted
from tests.lab.luck.matches import recorded, sample


def played(game: str, names: list[str], matches: int, **options: object) -> list[PlayedMatch]:
    return list(play_series(make_game(game, options), sample(*names), matches, "1"))


def anyhow(game: str, seats: int, matches: int, **options: object) -> list[PlayedMatch]:
    return played(game, ["random"] * seats, matches, **options)


def gain(found: list[PlayedMatch]) -> AdjustedMean:
    """What luck takes out of the first bot's share of the seats that it beats."""
    lucks, shares = [], []
    for one in found:
        seat = one.contenders.index(0)
        places = one.result.placing
        beaten = sum((p > places[seat]) + 0.5 * (p == places[seat]) for p in places) - 0.5
        lucks.append(luck_of(one.transcript).seats[seat])
        shares.append(beaten / (len(places) - 1))
    return luck_adjusted(np.array(shares), np.array(lucks))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_luck_of_a_deal_is_nothing_on_average(seats: int) -> None:
    game = make_game("bloeff")
    deck = list(game.draw(game.start(seats), KeyedRandomness(b"any")).cards)
    means = [Fraction(0)] * seats
    # Turned round, every card comes to every place once: as in all orders together.
    for turn in range(len(deck)):
        deal = Deal((*deck[turn:], *deck[:turn]))
        (draw,) = luck_of(recorded(game, seats, [Step(DEALER, deal)])).draws
        assert draw.step == 1
        assert sum(draw.seats) == pytest.approx(0, abs=1e-12)
        assert any(draw.seats)
        # Floats of whole numbers of ten-thousandths by seat: what they were, exactly.
        exact = [Fraction(round(luck * seats * 10_000), seats * 10_000) for luck in draw.seats]
        assert [float(one) for one in exact] == pytest.approx(draw.seats, abs=1e-15)
        means = [mean + luck for mean, luck in zip(means, exact, strict=True)]
    assert means == [0] * seats


def test_a_deal_with_more_red_cards_is_luckier() -> None:
    """As the reader of a match expects: what others are made to draw is worth most."""
    for seats in bloeff_table():
        for one in anyhow("bloeff", seats, 5):
            luck = luck_of(one.transcript)
            assert luck.table == table_of("bloeff")
            (draw,) = luck.draws
            assert draw.seats == luck.seats
    values = bloeff_table()[2]
    assert sorted(values, key=values.__getitem__)[-2:] == [7, 6]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"steal_takes": "any_chip"},
        {"swap_max_per_turn": 3, "swap_min_give": 1},
        {"announce_missing_chip": "no_effect"},
    ],
    ids=str,
)
@pytest.mark.parametrize("seats", [2, 4])
def test_where_the_chips_lie_is_read_off_the_record(seats: int, options: dict[str, object]) -> None:
    seen: set[type] = set()
    for one in anyhow("bluff_you", seats, 25, **options):
        states = {frame.index: frame.state for frame in replay(one.transcript)}
        seen |= {type(step.action) for step in one.transcript.steps}
        made_rolls = 0
        for made in rolls(one.transcript):
            before = states[made.step - 1]
            assert (made.bluffer, made.roll) == (
                before.bluffer,
                one.transcript.steps[made.step - 1].action,
            )
            owners = dict.fromkeys(before.centre) | {
                number: seat for seat, chips in enumerate(before.chips) for number in chips
            }
            assert made.owners == owners
            made_rolls += 1
        assert made_rolls == sum(step.actor is DEALER for step in one.transcript.steps)
    assert seen >= {Win, Steal, Swap}
    assert (Take in seen) == ("steal_takes" in options)


def test_over_all_rolls_the_mean_is_zero_wherever_the_chips_lie() -> None:
    random = Random(1)
    for seats, values in bluff_you_table().items():
        for _ in range(20):
            owners = {number: random.choice([None, *range(seats)]) for number in CHIPS}
            (made,) = rolls(
                recorded(
                    make_game("bluff_you"),
                    seats,
                    [Step(DEALER, Roll((1, 1, 1))), Step(random.randrange(seats), None)],
                )
            )
            made = made._replace(owners=owners, moved=list(CHIPS))
            lucks = [
                BluffersLuck(values, seats).of(made._replace(roll=Roll(dice)))
                for dice in product(range(1, 7), repeat=3)
            ]
            assert len(lucks) == 216
            assert sum(lucks) == 0
            assert any(lucks)


@pytest.mark.parametrize("seats", [2, 4])
def test_the_luck_of_a_roll_is_its_worth_less_the_mean_of_all_rolls(seats: int) -> None:
    values = bluff_you_table()[seats]
    for one in anyhow("bluff_you", seats, 10, swap_max_per_turn=3, swap_min_give=1):
        states = {frame.index: frame.state for frame in replay(one.transcript)}
        for draw in luck_of(one.transcript).draws:
            before = states[draw.step - 1]

            def worth(dice: tuple[int, ...]) -> int:
                total, own = sum(dice), before.chips[before.bluffer]  # noqa: B023 - used at once
                place = 0 if total in before.centre else 1 if total in own else 2  # noqa: B023
                return values[place][min(total - 3, 18 - total)]

            mean = sum(map(worth, product(range(1, 7), repeat=3)))
            expected = (216 * worth(draw.draw.dice) - mean) / UNIT
            assert draw.seats[before.bluffer] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("seats", [2, 3])
def test_what_the_bluffer_gains_the_others_lose(seats: int) -> None:
    for one in anyhow("bluff_you", seats, 5):
        luck = luck_of(one.transcript)
        assert luck.table == table_of("bluff_you")
        rolled = [i for i, step in enumerate(one.transcript.steps, 1) if step.actor is DEALER]
        assert [draw.step for draw in luck.draws] == rolled
        for draw in luck.draws:
            bluffer = one.transcript.steps[draw.step].actor
            others = {luck for seat, luck in enumerate(draw.seats) if seat != bluffer}
            assert len(others) == 1
            assert sum(draw.seats) == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "names", "matches", "factor"),
    [
        ("bloeff", ["bloeff_honest"] * 2, 300, 0.7),
        ("bloeff", ["bloeff_counter", "bloeff_honest"], 300, 0.7),
        ("bluff_you", ["bluff_you_honest"] * 2, 300, 0.95),
    ],
)
def test_luck_explains_results_and_moves_no_estimate(
    game: str, names: list[str], matches: int, factor: float
) -> None:
    found = gain(played(game, names, matches))
    # Fixed seeds: nothing here can fail by chance.
    assert found.variance_factor < factor
    assert found.coefficients[0] > 0
    assert found.adjusted == pytest.approx(found.raw, abs=3 * found.raw_se)
    if names[0] == names[1]:
        assert found.adjusted == pytest.approx(0.5, abs=3 * found.adjusted_se)


@pytest.mark.parametrize(("game", "seats"), [("bloeff", 5), ("bloeff", 6)])
def test_at_larger_tables_there_is_no_luck(game: str, seats: int) -> None:
    for one in anyhow(game, seats, 2):
        luck = luck_of(one.transcript)
        assert (luck.draws, luck.seats) == ((), (0.0,) * seats)
