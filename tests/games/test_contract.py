"""The contract of arena/games/game.py, kept by every game."""

import json
from collections import Counter, deque
from collections.abc import Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import islice
from math import fsum
from random import Random
from typing import Any

import pytest

from arena.games import GAMES
from arena.games.chance import MOST_OUTCOMES
from arena.games.game import DEALER, IllegalActionError, competition_ranking
from arena.games.notation import NotationError
from arena.randomness import KeyedRandomness
from tests.games.contract import HOOKS, TOY, Case, OnceRandomness, Step, cases, playout, small_cases
from tests.outcomes import outcomes
from tests.thoroughness import tries

SEEDS = range(tries(2, quick=1))
MANY = tries(400, quick=100)
"""Legal sets above this size are tried out by a sample."""
DRAWS = tries(400, quick=100)

GARBAGE = (None, 17, True, "bet", (), object(), Random, {"type": "doubt"})
"""What no game takes for an action."""

every_case = pytest.mark.parametrize("case", [*cases(), *cases(TOY)], ids=str)
every_small_case = pytest.mark.parametrize("case", [*small_cases(), *small_cases(TOY)], ids=str)


@cache
def playouts(case: Case) -> list[list[Step]]:
    return [playout(case, seed) for seed in SEEDS]


def steps_of(case: Case) -> list[Step]:
    return [step for steps in playouts(case) for step in steps]


def is_accepted(case: Case, state: Any, actor: Any, action: Any) -> bool:
    try:
        case.game.apply(state, actor, action)
    except IllegalActionError:
        return False
    return True


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_hooks_for_this_test(name: str) -> None:
    assert name in HOOKS, f"{name} has no hooks in tests/games/contract.py"
    assert GAMES[name].name == name


@every_case
def test_what_is_legal_is_accepted_and_nothing_else(case: Case) -> None:
    random = Random(1)
    seen = list({step.action for step in steps_of(case) if step.actor is not DEALER})
    for step in steps_of(case):
        if step.actor is DEALER or random.random() > 0.4:
            continue
        legal = set(case.game.legal_actions(step.before, step.actor))
        tried = sorted(legal, key=str) if len(legal) <= MANY else random.sample(list(legal), MANY)
        for action in tried:
            assert is_accepted(case, step.before, step.actor, action), action
        strange = [
            *case.hooks.near_misses(case.game, step.before, step.actor),
            *random.sample(seen, min(len(seen), 50)),
        ]
        for action in strange:
            accepted = is_accepted(case, step.before, step.actor, action)
            assert accepted == (action in legal), (action, step.before)


@pytest.mark.slow
@every_small_case
def test_legal_and_accepted_agree_throughout_a_small_tree(case: Case) -> None:
    game = case.game
    asking = small_tree(case, limit=tries(500, quick=125))
    choices = [list(game.legal_actions(state, seat)) for state, seat in asking]
    universe = {action for legal in choices for action in legal}
    assert len(asking) > 10
    for (state, seat), legal in zip(asking, choices, strict=True):
        assert len(legal) == len(set(legal)), "an action is listed twice"
        assert {a for a in universe if is_accepted(case, state, seat, a)} == set(legal), state


def small_tree(case: Case, limit: int) -> list[tuple[Any, int]]:
    """States with the first seat that is asked in them, nearest to the start first."""
    game = case.game
    start = game.start(case.seats)
    seen, queue, asking = {start}, deque([start]), list[tuple[Any, int]]()
    while queue and len(asking) < limit:
        state = queue.popleft()
        actor: Any = game.to_act(state)
        if actor is DEALER:
            drawn = islice(outcomes(partial(game.draw, state)), 1_500)
            actions = list(dict.fromkeys(draw for draw, _ in drawn))
        elif actor:
            actor = actor[0]
            asking.append((state, actor))
            actions = list(game.legal_actions(state, actor))
        else:
            continue
        for action in actions:
            after = game.apply(state, actor, action)
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return asking


@every_case
def test_seats_that_are_not_asked_have_no_actions(case: Case) -> None:
    game = case.game
    for step in steps_of(case):
        asked = game.to_act(step.before)
        for seat in range(case.seats):
            if asked is DEALER or seat not in asked:
                assert next(game.legal_actions(step.before, seat), None) is None
                assert not is_accepted(case, step.before, seat, step.action)
        if asked is not DEALER:
            assert not is_accepted(case, step.before, DEALER, step.action)


@every_case
def test_after_the_end_nobody_acts(case: Case) -> None:
    for steps in playouts(case):
        end = steps[-1].after
        assert case.game.to_act(end) == ()
        for step in steps:
            assert not is_accepted(case, end, step.actor, step.action)
        with pytest.raises(ValueError, match="draw"):
            case.game.draw(end, OnceRandomness(0))


@every_case
def test_a_match_starts_only_with_an_allowed_number_of_seats(case: Case) -> None:
    for seats in (case.game.seat_counts[0] - 1, case.game.seat_counts[-1] + 1):
        with pytest.raises(ValueError, match=str(seats)):
            case.game.start(seats)


@every_case
def test_an_action_leaves_the_state_before_it_as_it_was(case: Case) -> None:
    for steps in playouts(case):
        state = case.game.start(case.seats)
        for step in steps:
            # The states before were made long ago; equality with a fresh fold shows that no
            # later action has reached back into one.
            assert step.before == state
            hash(step.before)
            state = case.game.apply(state, step.actor, step.action)


@every_case
def test_a_record_of_draws_and_actions_reproduces_every_state(case: Case) -> None:
    notation = case.game.notation
    for steps in playouts(case):
        record = [(s.actor, json.dumps(notation.to_json(s.action))) for s in steps]
        state = case.game.start(case.seats)
        for step, (actor, written) in zip(steps, record, strict=True):
            action = notation.from_json(json.loads(written))
            assert action == step.action
            assert str(action) == str(step.action)
            state = case.game.apply(state, actor, action)
            assert state == step.after


@every_case
def test_an_answer_is_an_action_of_a_seat_and_never_a_draw(case: Case) -> None:
    notation, read = case.game.notation, case.game.view_notation.answer_from_json
    with pytest.raises(NotationError) as refusal:
        read({"type": "no such action"})
    drawn = 0
    for step in steps_of(case):
        value = json.loads(notation.to_text(step.action))
        allowed = f'"{value["type"]}"' in str(refusal.value)
        assert allowed == (step.actor is not DEALER)
        if allowed:
            assert read(value) == step.action
        else:
            drawn += 1
            with pytest.raises(NotationError, match=r"type: found .*; allowed is one of "):
                read(value)
    assert drawn


@every_case
def test_the_same_match_key_deals_the_same(case: Case) -> None:
    for seed, steps in zip(SEEDS, playouts(case), strict=True):
        again = OnceRandomness(seed)
        for step in steps:
            if step.actor is DEALER:
                assert case.game.draw(step.before, again) == step.action


@every_case
def test_the_outcomes_of_chance_are_those_of_the_draws(case: Case) -> None:
    game = case.game
    for step in first_draws(case):
        expected = game.chance_outcomes(step.before)
        drawn = [game.draw(step.before, KeyedRandomness(key)) for key in keys(DRAWS)]
        if not isinstance(expected, Mapping):
            assert [expected(KeyedRandomness(key)) for key in keys(5)] == drawn[:5]
            continue
        assert len(expected) <= MOST_OUTCOMES
        assert fsum(expected.values()) == pytest.approx(1, abs=1e-12)
        for action in [*Random(4).sample(list(expected), min(50, len(expected))), step.action]:
            assert is_accepted(case, step.before, DEALER, action)
        assert expected.keys() >= {step.action, *drawn}
        assert chi_square(expected, drawn) < 40, "one in 10 million draws of this many differs more"


@every_small_case
def test_outcomes_of_chance_have_exactly_the_chances_of_the_draws(case: Case) -> None:
    game = case.game
    for step in first_draws(case):
        expected = game.chance_outcomes(step.before)
        if isinstance(expected, Mapping):
            assert min(expected.values()) > 0
            chances = dict.fromkeys(expected, Fraction(0))
            for action, chance in outcomes(partial(game.draw, step.before)):
                chances[action] += chance
            assert expected == chances


def first_draws(case: Case) -> list[Step]:
    """The first draw of each kind in a match."""
    draws = {type(s.action): s for s in reversed(playouts(case)[0]) if s.actor is DEALER}
    return list(draws.values())


def keys(count: int) -> list[bytes]:
    return [number.to_bytes(32, "big") for number in range(count)]


def chi_square(expected: Mapping[Any, Fraction], drawn: list[Any]) -> float:
    """How far draws are from their probabilities, with every fourth outcome in one bin."""
    found, distance = Counter(drawn), 0.0
    for first in range(min(4, len(expected))):
        mean = fsum(islice(expected.values(), first, None, 4)) * len(drawn)
        distance += (sum(found[a] for a in islice(expected, first, None, 4)) - mean) ** 2 / mean
    return distance


@every_case
def test_nothing_is_drawn_out_of_turn(case: Case) -> None:
    for step in steps_of(case):
        if step.actor is not DEALER:
            with pytest.raises(ValueError, match="draw"):
                case.game.chance_outcomes(step.before)


@every_case
def test_a_view_does_not_depend_on_what_its_seat_may_not_know(case: Case) -> None:
    game, random, varied = case.game, Random(2), 0
    for step in steps_of(case):
        for seat in (None, *range(case.seats)):
            other = case.hooks.vary_secrets(game, step.after, seat, random)
            varied += other != step.after
            assert game.view(other, seat) == game.view(step.after, seat)
            assert game.to_act(other) == game.to_act(step.after)
            if seat is not None:
                assert game.legal_hint(other, seat) == game.legal_hint(step.after, seat)
                assert firsts(case, other, seat) == firsts(case, step.after, seat)
    assert varied, "the hook changes no secret"


def firsts(case: Case, state: Any, seat: int) -> list[Any]:
    return list(islice(case.game.legal_actions(state, seat), 200))


@every_case
def test_an_event_tells_nothing_that_its_step_does_not_reveal(case: Case) -> None:
    game, random, varied, told = case.game, Random(3), 0, 0
    for step in steps_of(case):
        events = game.events(step.before, step.actor, step.action, step.after)
        told += len(events)
        before, action = case.hooks.vary_step(game, step.before, step.actor, step.action, random)
        after = game.apply(before, step.actor, action)
        varied += (before, action) != (step.before, step.action)
        assert game.events(before, step.actor, action, after) == events
        assert game.view(after, None) == game.view(step.after, None)
    assert varied, "the hook changes no secret"
    assert told


@every_case
def test_no_match_is_longer_than_promised(case: Case) -> None:
    for steps in playouts(case):
        actions = sum(step.actor is not DEALER for step in steps)
        assert 0 < actions <= case.game.longest(case.seats)


@every_case
def test_the_default_action_is_legal(case: Case) -> None:
    for step in steps_of(case):
        if step.actor is not DEALER:
            action = case.game.default_action(step.before, step.actor)
            assert is_accepted(case, step.before, step.actor, action)
            assert action in set(case.game.legal_actions(step.before, step.actor))


@every_case
def test_what_is_told_of_a_fault_does_not_depend_on_the_answers_of_others(case: Case) -> None:
    # A seat whose time is over is told while others that were asked with it still think.
    game = case.game
    for step in steps_of(case):
        asked, left = game.to_act(step.before), game.to_act(step.after)
        if asked is DEALER or left is DEALER or set(left) != set(asked) - {step.actor}:
            continue  # another question
        for seat in left:
            for told in (game.default_action, game.legal_hint):
                assert told(step.before, seat) == told(step.after, seat)


@every_case
def test_a_match_of_silent_seats_ends(case: Case) -> None:
    game, randomness, actions = case.game, OnceRandomness(5), 0
    state = game.start(case.seats)
    while (asked := game.to_act(state)) != ():
        if asked is DEALER:
            state = game.apply(state, DEALER, game.draw(state, randomness))
            continue
        answers = [(seat, game.default_action(state, seat)) for seat in asked]
        for seat, action in answers:
            state = game.apply(state, seat, action)
            actions += 1
        assert actions <= game.longest(case.seats)
    assert len(game.placing(state)) == case.seats


@every_case
def test_the_placing_is_a_ranking_that_the_scores_bear_out(case: Case) -> None:
    for steps in playouts(case):
        end = steps[-1].after
        placing, scores = case.game.placing(end), case.game.scores(end)
        assert len(placing) == len(scores) == case.seats
        assert placing == competition_ranking([-rank for rank in placing])
        if case.hooks.most_points_win is None:
            continue
        for mine, my_rank in zip(scores, placing, strict=True):
            for other, other_rank in zip(scores, placing, strict=True):
                ahead = mine > other if case.hooks.most_points_win else mine < other
                assert not (ahead and my_rank > other_rank), (placing, scores)


@every_case
def test_nobody_is_placed_before_the_end(case: Case) -> None:
    for unfinished in (case.game.start(case.seats), playouts(case)[0][-1].before):
        with pytest.raises(ValueError, match="over"):
            case.game.placing(unfinished)
        with pytest.raises(ValueError, match="over"):
            case.game.scores(unfinished)


@every_case
def test_refusals_say_what_is_legal(case: Case) -> None:
    for step in steps_of(case):
        if step.actor is DEALER:
            continue
        hint = case.game.legal_hint(step.before, step.actor)
        assert hint.endswith(".")
        with pytest.raises(IllegalActionError) as refusal:
            case.game.apply(step.before, step.actor, GARBAGE[0])
        assert refusal.value.legal == hint
        assert refusal.value.reason.endswith(".")
        assert str(refusal.value) == f"{refusal.value.reason} {hint}"
        assert "Legal" not in refusal.value.reason


@every_case
@pytest.mark.parametrize("garbage", GARBAGE, ids=lambda value: type(value).__name__)
def test_garbage_is_refused_from_everybody(case: Case, garbage: Any) -> None:
    for step in playouts(case)[0]:
        for actor in (DEALER, *range(case.seats)):
            with pytest.raises(IllegalActionError):
                case.game.apply(step.before, actor, garbage)
