"""Batches beside the pure rules; as a program, all of them for a moment, to be run uncompiled."""

from collections.abc import Mapping
from random import Random

import numpy as np

from arena.lab.analysis.bluff.solved_play import chosen
from arena.learn import vector_env
from arena.learn.batch_rules import BatchPolicy
from benchmarks.learn_load.pure_rules import PureRules
from tests.games.contract import HOOKS

DEAL_TO_TEN = [{"seats": seats, "cards": 5} for seats in range(2, 11)]
OPTIONS: Mapping[str, list[tuple[int, dict[str, object]]]] = {
    "bluff": [
        (2, {}),
        (2, {"start_mode": "seat", "dice_per_player": 1}),
        (3, {"bet_cap": "table", "dice_per_player": 2, "history": True}),
        (6, {"start_star_value": 0}),
        (4, {"dice_per_player": 16, "start_rerolls": 0}),
        (6, {"history": True, "dice_per_player": 3}),
    ],
    "bluff_you": [
        (2, {}),
        (4, {"announce_missing_chip": "no_effect", "steal_takes": "any_chip", "no_win_limit": 3}),
        (6, {"swap_min_give": 1, "swap_max_per_turn": 3, "players_max": 6}),
        (3, {"chip_points": (1,) * 16, "swap_max_per_turn": 0, "steal_takes": "any_chip"}),
    ],
    "bloeff": [
        *(
            (seats, variant)
            for variant, seats in zip(HOOKS["bloeff"].variants, (2, 3, 6, 5, 2), strict=True)
        ),
        (2, {"history": True}),
        (4, {"history": True, "limits": (99,), "first_seat": 1, "doubt_penalty": 0}),
        (10, {"players_max": 10, "deal": DEAL_TO_TEN, "points_other": 1, "history": True}),
    ],
}
"""All options that batches support, at some numbers of seats."""


def matches_played_as_by_the_rules(
    game: str, seats: int, options: Mapping[str, object], batch: int, steps: int
) -> int:
    """Play `steps` steps of a batch beside the rules; return how many matches ended."""
    env = vector_env(game, seats, batch=batch, seed=3, **options)
    seen = env.reset()
    pure = PureRules(env, 3)
    pure.compare(None, seen)
    random, ended = Random(1), 0
    for _ in range(steps):
        actions = env.random_actions()
        # A uniform choice climbs to the top at once and never sees a long round.
        for match in range(env.batch):
            legal = np.flatnonzero(seen.masks[match])
            if random.random() < 0.5:
                actions[match] = legal[random.randrange(min(4, len(legal)))]
        stepped = env.step(actions)
        pure.compare(actions, stepped)
        ended += int(stepped.done.sum())
        seen = env.seen
    return ended


def rewards_by_chances_add_up(batch: int, opponents: BatchPolicy | None = None) -> None:
    """Raise AssertionError unless they are the result of a match less its first chance."""
    by_chance, by_placing = (
        vector_env("bluff", 2, batch, 5, rewards=rewards, dice_per_player=3, opponents=opponents)
        for rewards in ("chances", "placing")
    )
    seen = by_chance.reset()
    opens = seen.observations[:, by_chance.encoding.fields["opener"]][:, 0] == 1
    opened = np.where(opens, seen.seats, 1 - seen.seats)
    by_placing.reset()
    solved = chosen()
    assert solved is not None
    first = solved.values[3, 3]
    gained, ended = np.zeros(batch), np.zeros(batch, np.bool_)
    while not ended.all():
        actions = by_chance.random_actions()
        chances, placing = by_chance.step(actions), by_placing.step(actions)
        gained[~ended] += chances.rewards[~ended, 0]
        now = chances.done & ~ended
        start = np.where(opened[now] == 0, first, 1 - first)
        won = placing.rewards[now, 0] == 1
        assert np.allclose(gained[now], 2 * (won - start), atol=1e-5)
        assert (chances.rewards[:, 0] == -chances.rewards[:, 1]).all()
        ended |= chances.done


if __name__ == "__main__":
    with np.errstate(over="ignore"):  # as compiled: the streams' numbers have 64 bits
        for game, tables in OPTIONS.items():
            ended = [matches_played_as_by_the_rules(game, *table, 4, 60) for table in tables]
            print(game, ended)
            assert any(ended)
        rewards_by_chances_add_up(8)
