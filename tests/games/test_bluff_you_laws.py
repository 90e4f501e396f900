"""What holds in every match of Bluff You!, and what its dice are like."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.bluff_you import (
    CHIPS,
    BluffYou,
    BluffYouPhase,
    BluffYouState,
    Roll,
    Steal,
    Swap,
    Win,
    is_double,
    swap_targets,
)
from arena.games.game import DEALER, IllegalActionError
from arena.randomness import KeyedRandomness
from tests.games.bluff_you_positions import GAME, game, position
from tests.outcomes import outcomes
from tests.thoroughness import tries

RULES = (
    GAME,
    game(announce_missing_chip="no_effect", no_win_limit=2),
    game(steal_takes="any_chip", swap_max_per_turn=3, swap_min_give=1),
    game(players_max=6, chip_points=tuple(range(1, 17))),
)
POINTS = (0, 0, 0, *GAME.options.chip_points)


@dataclass(frozen=True)
class Table:
    """A playout: rules, seats, and which kind of action its seats prefer."""

    rules: BluffYou
    seats: int
    seed: int
    liking: tuple[type, ...]

    def states(self) -> Iterator[BluffYouState]:
        """The states in which somebody acts, and the end."""
        random = Random(self.seed)
        dealing = KeyedRandomness(random.randbytes(32))
        state = self.rules.start(self.seats)
        while (asked := self.rules.to_act(state)) != ():
            yield state
            if asked is DEALER:
                state = self.rules.apply(state, DEALER, self.rules.draw(state, dealing))
            else:
                state = self.rules.apply(state, asked[0], self._choice(state, asked[0], random))
        yield state

    def _choice(self, state: BluffYouState, seat: int, random: Random) -> Any:
        by_kind: dict[type, list[Any]] = {}
        for action in self.rules.legal_actions(state, seat):
            by_kind.setdefault(type(action), []).append(action)
        liked = [kind for kind in self.liking if kind in by_kind]
        return random.choice(by_kind[liked[0] if liked else random.choice(list(by_kind))])


LIKINGS = ((), (Win,), (Steal,), (Swap,), (Swap, Steal), (Steal, Swap))

tables = st.builds(
    lambda rules, seats, seed, liking: Table(
        rules, rules.seat_counts[seats % len(rules.seat_counts)], seed, liking
    ),
    st.sampled_from(RULES),
    st.integers(0, 5),
    st.integers(0, 2**32),
    st.sampled_from(LIKINGS),
)
few = settings(max_examples=tries(40, quick=10), deadline=None)


@few
@given(tables)
def test_no_chip_and_no_point_is_ever_lost(table: Table) -> None:  # BY-2, BY-E21
    total = sum(table.rules.options.chip_points)
    for state in table.states():
        assert sorted(sum(state.chips, state.centre)) == list(CHIPS)
        for chips in (state.centre, *state.chips):
            assert list(chips) == sorted(chips)
        in_centre = sum(table.rules.options.chip_points[chip - 3] for chip in state.centre)
        assert sum(table.rules.view(state, None).points) + in_centre == total


@few
@given(tables)
def test_every_match_ends_within_its_bound(table: Table) -> None:  # BY-23
    states = list(table.states())
    actions = sum(table.rules.to_act(state) is not DEALER for state in states[:-1])
    assert actions <= table.rules.longest(table.seats)
    assert states[-1].centre == ()
    assert sum(table.rules.scores(states[-1])) == sum(table.rules.options.chip_points)


@few
@given(tables)
def test_owned_points_grow_with_every_effective_win_and_rest_otherwise(table: Table) -> None:
    states = [
        s for s in table.states() if s.phase in (BluffYouPhase.ROLL, BluffYouPhase.OVER)
    ]  # BY-23
    owned = [sum(table.rules.view(state, None).points) for state in states]
    for before, after, more, less in zip(states, states[1:], owned[1:], owned, strict=False):
        if after.no_win_turns == 0:
            assert more > less
            assert len(after.centre) == len(before.centre) - 1
        else:
            assert more == less
            assert after.no_win_turns == before.no_win_turns + 1


@few
@given(tables)
def test_only_win_attempts_are_legal_at_the_limit(table: Table) -> None:  # BY-22
    limit = table.rules.view(table.rules.start(table.seats), None).no_win_limit
    for state in table.states():
        assert state.no_win_turns <= limit
        if state.phase is BluffYouPhase.ANNOUNCE and state.no_win_turns == limit:
            legal = list(table.rules.legal_actions(state, state.bluffer))
            assert legal and all(isinstance(a, Win) and a.number in state.centre for a in legal)


@pytest.mark.slow
@few
@given(tables)
def test_the_listed_swaps_are_those_of_the_definition(table: Table) -> None:  # BY-16, BY-17
    options = table.rules.options
    points = (0, 0, 0, *options.chip_points)
    for state in table.states():
        if state.phase is not BluffYouPhase.ANNOUNCE:
            continue
        own = state.chips[state.bluffer]
        possible = {
            Swap(give, take)
            for size in range(options.swap_min_give, min(len(own), 5) + 1)
            if len(own) >= 2
            for give in combinations(own, size)
            for take in state.centre
            if sum(points[chip] for chip in give) == points[take]
        }
        view = table.rules.view(state, state.bluffer)
        locked = state.no_win_turns >= view.no_win_limit
        if not is_double(state.dice) or locked or options.swap_max_per_turn == 0:
            possible = set()
        legal = [a for a in table.rules.legal_actions(state, state.bluffer) if isinstance(a, Swap)]
        assert len(legal) == len(set(legal))
        assert set(legal) == possible
        assert set(view.swap_targets) == {swap.take for swap in possible}


@settings(max_examples=15, deadline=None)
@given(tables)
def test_the_legal_set_is_the_accepted_set(table: Table) -> None:
    states = [s for s in table.states() if table.rules.to_act(s) not in ((), DEALER)]
    universe = {a for s in states for a in table.rules.legal_actions(s, _asked(table.rules, s))}
    for state in Random(table.seed).sample(states, min(len(states), 12)):
        seat = _asked(table.rules, state)
        accepted = {action for action in universe if _accepts(table.rules, state, seat, action)}
        assert accepted == set(table.rules.legal_actions(state, seat))


def _asked(rules: BluffYou, state: BluffYouState) -> int:
    asked = rules.to_act(state)
    assert asked is not DEALER
    return asked[0]


def _accepts(rules: BluffYou, state: BluffYouState, seat: int, action: Any) -> bool:
    try:
        rules.apply(state, seat, action)
    except IllegalActionError:
        return False
    return True


@given(st.sets(st.sampled_from(CHIPS)), st.integers(1, 5))
def test_what_a_swap_can_take_is_known_without_listing_swaps(own: set[int], fewest: int) -> None:
    mine = tuple(sorted(own))
    centre = tuple(chip for chip in CHIPS if chip not in own)
    sums = {
        sum(POINTS[chip] for chip in give)
        for size in range(fewest, len(mine) + 1)
        if len(mine) >= 2
        for give in combinations(mine, size)
    }
    reachable = tuple(chip for chip in centre if POINTS[chip] in sums)
    assert swap_targets(mine, centre, POINTS, fewest) == reachable


SUMS = dict(zip(CHIPS, (1, 3, 6, 10, 15, 21, 25, 27, 27, 25, 21, 15, 10, 6, 3, 1), strict=True))


def rolls() -> list[tuple[Any, Fraction]]:
    return list(outcomes(partial(GAME.draw, GAME.start(2))))


def test_the_216_rolls_are_equally_likely() -> None:  # BY-3
    assert len({roll for roll, _ in rolls()}) == 216
    assert {probability for _, probability in rolls()} == {Fraction(1, 216)}


def test_sums_and_doubles_come_up_as_in_the_table() -> None:  # BY-3
    assert Counter(sum(roll.dice) for roll, _ in rolls()) == SUMS
    assert sum(is_double(roll.dice) for roll, _ in rolls()) == 96


@dataclass
class Asked:
    """Randomness that only remembers what it was asked for."""

    keys: list[tuple[str, int]] = field(default_factory=list)

    def below(self, key: str, bound: int) -> int:
        self.keys.append((key, bound))
        return bound - 1


def test_a_draw_is_keyed_by_turn_and_die() -> None:
    asked = Asked()
    assert GAME.draw(GAME.start(4), asked) == Roll((6, 6, 6))
    assert asked.keys == [("turn 1 die 0", 6), ("turn 1 die 1", 6), ("turn 1 die 2", 6)]


def test_nothing_is_drawn_in_the_middle_of_a_turn() -> None:
    with pytest.raises(ValueError, match="draw"):
        GAME.draw(position((), (), dice=(1, 2, 3)), Asked())


def chi_square(observed: Counter[Any], expected: dict[Any, float]) -> float:
    assert set(observed) <= set(expected)
    return sum((observed[key] - mean) ** 2 / mean for key, mean in expected.items())


def test_rolls_over_turns_and_matches_follow_the_table() -> None:  # BY-3
    start = GAME.start(2)
    dice = []
    for match in range(100):
        draws = KeyedRandomness(match.to_bytes(32, "big"))
        for turn in range(1, 101):
            state = BluffYouState(
                turn, 0, BluffYouPhase.ROLL, (), None, None, 0, 0, CHIPS, start.chips
            )
            roll = GAME.draw(state, draws)
            assert isinstance(roll, Roll)
            dice.append(roll.dice)
    count = len(dice)
    # The quantiles 0.999 of chi-square with 15, 1, 5 and 215 degrees of freedom.
    sums = chi_square(Counter(map(sum, dice)), {s: w * count / 216 for s, w in SUMS.items()})
    assert sums < 37.7
    doubles = chi_square(
        Counter(map(is_double, dice)), {True: count * 96 / 216, False: count * 120 / 216}
    )
    assert doubles < 10.8
    for die in range(3):
        faces = Counter(roll[die] for roll in dice)
        assert chi_square(faces, dict.fromkeys(range(1, 7), count / 6)) < 20.5
    each = {roll.dice: count / 216 for roll, _ in rolls()}
    assert chi_square(Counter(dice), each) < 284.0
