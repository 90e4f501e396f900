"""Batches of matches: the same as the pure rules from the same draws, and repeatable."""

import re
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.learn import EncodingError, vector_env
from benchmarks.learn_load.pure_rules import DEALERS
from tests.learn.as_the_rules import (
    OPTIONS,
    matches_played_as_by_the_rules,
    rewards_by_chances_add_up,
)
from tests.thoroughness import tries

every_table = pytest.mark.parametrize(
    ("game", "seats", "options"),
    [(game, *table) for game, tables in OPTIONS.items() for table in tables],
)


@every_table
def test_a_batch_plays_as_the_pure_rules_do(
    game: str, seats: int, options: dict[str, object]
) -> None:
    assert matches_played_as_by_the_rules(game, seats, options, 12, tries(200, quick=120))


@pytest.mark.parametrize("game", OPTIONS)
def test_equal_seeds_give_equal_bytes_in_any_number_of_threads(game: str) -> None:
    def bytes_of(seed: int, threads: int) -> bytes:
        env = vector_env(game, 3, batch=37, seed=seed, threads=threads)
        env.reset()
        steps = [env.step(env.random_actions()) for _ in range(50)]
        return b"".join([array.tobytes() for array in (*steps[-1], env.hands())])

    assert bytes_of(5, 1) == bytes_of(5, 2) == bytes_of(5, 1)
    assert bytes_of(5, 1) != bytes_of(6, 1)


@pytest.mark.parametrize("game", OPTIONS)
def test_reset_begins_the_same_matches_again(game: str) -> None:
    env = vector_env(game, 2, batch=8, seed=1)
    first = [array.copy() for array in env.reset()]
    for _ in range(20):
        env.step(env.random_actions())
    assert all(np.array_equal(*pair) for pair in zip(first, env.reset(), strict=True))


@pytest.mark.parametrize("game", DEALERS)
def test_an_illegal_action_is_named_and_changes_nothing(game: str) -> None:
    env = vector_env(game, 2, batch=3, seed=1)
    with pytest.raises(EncodingError, match="call reset before the first step"):
        env.step(np.zeros(3, np.int32))
    seen = env.reset()
    before = [array.tobytes() for array in (*seen, env.hands())]
    illegal = int(np.flatnonzero(seen.masks[1] == 0)[0])
    for wrong in (-1, illegal, env.encoding.actions):
        actions = env.random_actions().copy()
        actions[1] = wrong
        with pytest.raises(EncodingError, match=f"action {wrong} is not legal in match 1"):
            env.step(actions)
    with pytest.raises(EncodingError, match="is not legal in match 0"):
        env.step(env.random_actions().astype(np.int64) + 2**32)
    for shape in (np.zeros(2, np.int32), np.zeros(3)):
        with pytest.raises(EncodingError, match="actions are 3 whole numbers"):
            env.step(shape)
    assert before == [array.tobytes() for array in (*seen, env.hands())]


@pytest.mark.parametrize(
    ("game", "options", "why"),
    [
        ("bluff", {"show_and_reroll": True}, r"bluff in batches has no extension \(show_and"),
        ("bluff", {"batch": 0}, "batch is 0; allowed is 1 or more"),
        ("bluff", {"threads": 0}, "threads is 0; allowed is 1 or more"),
        ("bluff", {"seed": -1}, "seed is -1; allowed is 0 to 9223372036854775807"),
        ("skull", {}, "skull has no encoding"),
        ("bluff", {"rewards": "luck"}, "rewards is 'luck'; allowed is placing, chances"),
        ("bluff", {"rewards": "chances", "dice_per_player": 6}, "at most five dice per player"),
        ("bluff", {"rewards": "chances", "bet_cap": "table"}, "bet_cap=dice_in_play, at most"),
        ("bloeff", {"rewards": "chances"}, "bloeff in batches has rewards by placing only"),
        ("bluff_you", {"rewards": "chances"}, "bluff_you in batches has rewards by placing only"),
    ],
)
def test_what_batches_do_not_support_is_refused_in_a_sentence(
    game: str, options: dict[str, object], why: str
) -> None:
    given: dict[str, object] = {"batch": 2, "seed": 1} | options
    with pytest.raises(EncodingError, match=why):
        vector_env(game, 2, **given)


def test_dice_are_fair_and_every_seat_opens_equally_often() -> None:
    env = vector_env("bluff", 3, batch=60_000, seed=11)
    seats = np.bincount(env.reset().seats, minlength=3) / env.batch
    faces = env.hands().sum(axis=(0, 1)) / (env.batch * 15)
    # Five standard errors.
    assert np.abs(seats - 1 / 3).max() < 5 * (2 / 9 / env.batch) ** 0.5
    assert np.abs(faces - 1 / 6).max() < 5 * (5 / 36 / env.batch / 15) ** 0.5


def lowest(observations: NDArray[np.float32], masks: NDArray[np.uint8]) -> NDArray[np.int64]:
    """A policy that doubts, or bets as little as it can."""
    return masks.argmax(axis=1)


@pytest.mark.parametrize("game", OPTIONS)
@pytest.mark.parametrize("seats", [2, 4])
def test_a_learner_among_opponents_is_asked_alone(game: str, seats: int) -> None:
    env = vector_env(game, seats, batch=12, seed=2, opponents=lowest)
    own = np.arange(12) % seats
    seen, learner, ended = env.reset(), Random(1), 0
    for _ in range(60):
        assert (seen.seats == own).all()
        actions = [learner.choice(np.flatnonzero(row)) for row in seen.masks]
        stepped = env.step(np.array(actions, np.int32))
        assert (stepped.rewards[~stepped.done] == 0).all()
        assert np.allclose(stepped.rewards.sum(axis=1), 0, atol=1e-6)
        ended += int(stepped.done.sum())
    assert ended >= 12


@pytest.mark.parametrize(
    ("game", "rewards"), [*((game, "placing") for game in OPTIONS), ("bluff", "chances")]
)
def test_rewards_among_opponents_are_those_of_the_same_play_by_hand(
    game: str, rewards: str
) -> None:
    """Both seats play the lowest action: with opponents inside, or seen from outside."""
    options = {"rewards": rewards} | ({"dice_per_player": 2} if game == "bluff" else {})
    env = vector_env(game, 2, batch=10, seed=4, opponents=lowest, **options)
    by_hand = vector_env(game, 2, batch=10, seed=4, **options)
    inside: list[list[float]] = [[] for _ in range(10)]
    outside: list[list[float]] = [[] for _ in range(10)]
    own = np.arange(10) % 2
    for playing, found in ((env, inside), (by_hand, outside)):
        gained, asked = np.zeros(10), np.zeros(10, np.bool_)
        seen = playing.reset()
        for _ in range(400):
            asked |= seen.seats == own
            stepped = playing.step(lowest(seen.observations, seen.masks).astype(np.int32))
            gained += stepped.rewards[:, 0]
            for match in np.flatnonzero(stepped.done):
                if asked[match]:
                    found[match].append(round(float(gained[match]), 4))
            gained[stepped.done], asked[stepped.done] = 0, False
    for ours, theirs in zip(inside, outside, strict=True):
        shorter = min(len(ours), len(theirs))
        assert shorter and ours[:shorter] == theirs[:shorter]


def test_the_example_of_the_page_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "learn.md").read_text()
    (code,) = re.findall(r"```python\n(from arena.learn import vector_env.*?)```", page, re.DOTALL)
    asked: list[int] = []

    def my_policy(observations: NDArray[np.float32], masks: NDArray[np.uint8]) -> NDArray[np.int64]:
        asked.append(len(observations))
        if len(asked) == 3:
            raise KeyboardInterrupt
        return lowest(observations, masks)

    with pytest.raises(KeyboardInterrupt):
        exec(code, {"my_policy": my_policy})
    assert asked == [4096, 4096, 4096]


def test_an_illegal_action_of_the_opponents_is_named() -> None:
    with pytest.raises(EncodingError, match=r"the opponents' action -9\d is not"):
        vector_env(
            "bluff", 2, 9, 1, opponents=lambda seen, masks: masks.argmax(axis=1) - 99
        ).reset()


def test_rewards_by_chances_add_up_to_the_result_less_the_first_chance() -> None:
    rewards_by_chances_add_up(300)


def test_rewards_by_chances_add_up_where_opponents_end_rounds() -> None:
    rewards_by_chances_add_up(300, lowest)
