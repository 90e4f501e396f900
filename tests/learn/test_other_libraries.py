"""The environments of PettingZoo, Gymnasium and OpenSpiel keep the contracts of these libraries."""

from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from gymnasium.utils.env_checker import check_env
from open_spiel.python.algorithms import exploitability, external_sampling_mccfr
from open_spiel.python.algorithms.best_response import BestResponsePolicy
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.algorithms.generate_playthrough import playthrough
from open_spiel.python.policy import Policy as SpielPolicy
from pettingzoo.test import api_test, seed_test

from arena.lab.analysis.bluff.solved_play import chosen
from arena.lab.solver import Strategy, match_round, proven_bounds
from arena.lab.solver.tables import lanes_for
from arena.learn import (
    EncodingError,
    PolicyError,
    aec_env,
    gym_env,
    openspiel_game,
    policy_exploitability,
    uniform,
)
from arena.learn.openspiel import ArenaGame
from arena.learn.policies import Masks, Observations

TABLES: list[tuple[str, int, dict[str, Any]]] = [
    ("bluff", 2, {}),
    ("bluff", 4, {"show_and_reroll": True, "dice_per_player": 2, "history": True}),
    ("bluff_you", 3, {}),
    ("bloeff", 3, {}),
]
every_table = pytest.mark.parametrize(("game", "seats", "options"), TABLES)


@every_table
@pytest.mark.filterwarnings("ignore:Observation")  # PettingZoo doubts all that is no bare array
def test_pettingzoo_accepts_the_environment(
    game: str, seats: int, options: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    api_test(aec_env(game, seats, **options), num_cycles=200)
    seed_test(lambda: aec_env(game, seats, **options), num_cycles=60)
    assert "Passed API test" in capsys.readouterr().out


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    env = aec_env("bluff", 2)
    env.reset(seed=3)
    before = env.observe(env.agent_selection)
    with pytest.raises(EncodingError, match="action 0 is not legal for seat_"):
        env.step(0)  # nothing to doubt yet
    after = env.observe(env.agent_selection)
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_sealed_answers_stay_sealed_until_all_are_in() -> None:
    sealed = 0
    for seed in range(20):
        env = aec_env("bloeff", 4)
        env.reset(seed=seed)
        random = Random(seed)
        while not any(env.terminations.values()) and sealed < 20:
            agent = env.agent_selection
            before = {name: env.observe(name)["observation"].tobytes() for name in env.agents}
            state = env.unwrapped.match.state
            env.step(int(random.choice(np.flatnonzero(env.observe(agent)["action_mask"]))))
            if env.unwrapped.match.state is state:  # others are still asked
                sealed += 1
                after = {name: env.observe(name)["observation"].tobytes() for name in env.agents}
                assert after == before
                assert not env.observe(agent)["action_mask"].any()
    assert sealed == 20


def test_rewards_are_given_once_and_sum_to_zero() -> None:
    env = aec_env("bluff", 3, dice_per_player=1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    env.reset(seed=1)
    env.action_space("seat_0").seed(5)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        over = terminated or truncated
        env.step(None if over else int(env.action_space("seat_0").sample(seen["action_mask"])))
    assert sorted(total.values()) in ([-1, 0, 1], [-1, 0.5, 0.5], [-0.5, -0.5, 1])


@every_table
def test_gymnasium_accepts_the_environment(game: str, seats: int, options: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match="alternative render modes"):  # it is not registered
        check_env(gym_env(game, seats, uniform, **options))


def test_the_learner_meets_the_bots_it_has_chosen() -> None:
    env, random = gym_env("bluff", 3, ["honest", uniform], dice_per_player=1), Random(2)
    rewards, seats = [], []
    for match in range(30):
        _, info = env.reset(seed=7 if match == 0 else None)
        seats.append(info["seat"])
        over = False
        while not over:
            legal = np.flatnonzero(env.action_masks())
            seen, reward, over, _, info = env.step(np.int64(random.choice(legal)))
        rewards.append(reward)
        assert not seen.any() and not info["action_mask"].any() and info["faults"] == 0
    assert seats == [match % 3 for match in range(30)]
    assert {-1, 0, 1} <= set(rewards) <= {-1, -0.5, 0, 0.5, 1}


def test_illegal_actions_are_faults_and_the_third_loses_the_match() -> None:
    env = gym_env("bluff", 2, "honest", seat=0)
    env.reset(seed=1)
    last = env.action_space.n - 1
    faults = []
    over = False
    while not over:
        over_the_top = 0 if not env.action_masks()[0] else last
        _, reward, over, _, info = env.step(np.int64(over_the_top))
        faults.append(info["faults"])
    assert reward == -1
    assert max(faults) <= 3


def test_opponents_that_do_not_fit_are_refused() -> None:
    with pytest.raises(PolicyError, match="2 opponents for 3 other seats"):
        gym_env("bluff", 4, ["honest", "honest"])
    with pytest.raises(PolicyError, match="does not play bluff"):
        gym_env("bluff", 2, "skull_honest")
    with pytest.raises(EncodingError, match="seat is 2; allowed is 0 to 1"):
        gym_env("bluff", 2, "honest", seat=2)


def test_openspiel_accepts_the_game(capfd: pytest.CaptureFixture[str]) -> None:
    for game, seats, options in [
        ("bluff", 2, {"dice_per_player": 1, "start_mode": "seat"}),
        ("bluff", 3, {"dice_per_player": 1, "start_mode": "seat", "show_and_reroll": True}),
    ]:
        found = openspiel_game(game, seats, **options)
        pyspiel.random_sim_test(found, num_sims=3, serialize=True, verbose=False)
        text = playthrough(str(found), None, seed=1)
        assert "IsTerminal() = True" in text
        assert f"MaxGameLength() = {found.encoding.game.longest(seats)}" in text
    capfd.readouterr()


def test_openspiel_finds_the_exploitability_that_the_solver_proves() -> None:
    def policy(observations: Observations, masks: Masks) -> Observations:
        """Doubt whatever claims two dice; else take one of the lowest bets."""
        weights = np.zeros(masks.shape, np.float32)
        for row, mask in enumerate(masks):
            legal = np.flatnonzero(mask)
            die = int(observations[row, :6].argmax())
            if mask[0] and not mask[1:7].any():
                weights[row, 0] = 1
            elif mask[1:7].all():
                weights[row, legal[:2]] = (1, 3) if die % 2 else (2, 1)
            else:
                weights[row, legal[1 - (die == 5)]] = 1
        return weights

    class Played(SpielPolicy):
        def action_probabilities(self, state: Any, player_id: Any = None) -> dict[int, float]:
            encoded = found.encoding
            view = encoded.game.view(state.place.state, state.current_player())
            (play,) = policy(encoded.observe(view)[None], encoded.mask(view)[None])
            return {int(at): float(play[at] / play.sum()) for at in np.flatnonzero(play)}

    found = openspiel_game("bluff", 2, dice_per_player=1, start_mode="seat")
    theirs = exploitability.nash_conv(found, Played(found, [0, 1]))
    ours = policy_exploitability(policy, dice=1)
    assert ours.exact
    assert 2 * ours.nash_conv == pytest.approx(theirs, abs=1e-6)


ONE_DIE = match_round((1, 1), {})
"""A match with one die each, as the solver sees it: it is one round."""


def as_tree(game: ArenaGame) -> pyspiel.Game:
    """The game with all its histories written out (Gambit's format): its solvers in C++ then need
    no Python."""
    lines = ['EFG 2 R "" { "0" "1" }']
    numbers: tuple[dict[str, int], ...] = ({}, {})

    def add(state: pyspiel.State) -> None:
        actions = state.legal_actions()
        if state.is_terminal():
            first, second = state.returns()
            lines.append(f't "" {len(lines)} "" {{ {first} {second} }}')
        elif state.is_chance_node():
            drawn = " ".join(f'"{draw}" {chance!r}' for draw, chance in state.chance_outcomes())
            lines.append(f'c "" {len(lines)} "" {{ {drawn} }} 0')
        else:
            seat = state.current_player()
            known = numbers[seat]
            number = known.setdefault(state.information_state_string(), len(known) + 1)
            named = " ".join(f'"{action}"' for action in actions)
            lines.append(f'p "" {seat + 1} {number} "" {{ {named} }} 0')
        for action in actions:
            add(state.child(action))

    add(game.new_initial_state())
    return pyspiel.load_efg_game("\n".join(lines))


@pytest.mark.system  # 50 iterations of their solver take a minute
def test_cfr_of_openspiel_finds_the_value_that_the_solver_proves() -> None:
    found, solved = (
        as_tree(openspiel_game("bluff", 2, dice_per_player=1, start_mode="seat")),
        chosen(),
    )
    assert solved is not None
    theirs = pyspiel.CFRPlusSolver(found)
    for _ in range(50):
        theirs.evaluate_and_update_policy()
    average = theirs.average_policy()
    # As far as on OpenSpiel's own game of these rules (docs/solver.md).
    assert pyspiel.nash_conv(found, average) == pytest.approx(0.0335, abs=5e-5)
    value, _ = pyspiel.expected_returns(found.new_initial_state(), average, -1, True)
    # OpenSpiel counts a win 1 and a loss -1.
    assert value == pytest.approx(2 * solved.values[1, 1] - 1, abs=0.002)


def test_the_tables_of_the_solver_are_worth_in_openspiel_what_it_proves() -> None:
    solved = chosen()
    assert solved is not None
    played = solved.rounds[1, 1]
    padded = []
    for seat, table in enumerate(played.tables):
        lanes = np.zeros((len(table), lanes_for(len(ONE_DIE.hands[seat]))), np.float32)
        lanes[:, : table.shape[1]] = table
        padded.append(lanes.reshape(-1))
    low, high = proven_bounds(ONE_DIE, Strategy((padded[0], padded[1])))

    class Solved(SpielPolicy):
        def action_probabilities(self, state: Any, player_id: Any = None) -> dict[int, float]:
            seat = state.current_player()
            view = found.encoding.game.view(state.place.state, seat)
            history = [ONE_DIE.bets.index(placed.bet) + 1 for placed in view.bets]
            hand = ONE_DIE.hands[seat].index(view.hidden_dice)
            chances = played.weights(seat, history)[:, hand]
            higher = ONE_DIE.bets[history[-1] if history else 0 :]
            ids = [0, *map(found.encoding.id, higher)]
            return {at: float(one) for at, one in zip(ids, chances, strict=True) if one}

    found = openspiel_game("bluff", 2, dice_per_player=1, start_mode="seat")
    policy = Solved(found, [0, 1])
    # The other seat's best response meets fewer histories than the opener's.
    response = BestResponsePolicy(found, 1, policy)
    assert response.value(found.new_initial_state()) == pytest.approx(1 - 2 * low, abs=1e-6)
    value, _ = policy_value(found.new_initial_state(), [policy, policy])
    assert value == pytest.approx(2 * solved.values[1, 1] - 1, abs=2 * (high - low))


def test_mccfr_of_openspiel_runs_on_the_rules() -> None:
    found = openspiel_game("bluff", 2, dice_per_player=1, start_mode="seat")
    np.random.seed(1)
    solver = external_sampling_mccfr.ExternalSamplingSolver(found)
    solver.iteration()
    state = found.new_initial_state().child(0)
    assert sum(solver.average_policy().action_probabilities(state).values()) == pytest.approx(1)


def test_draws_with_too_many_outcomes_are_refused() -> None:
    with pytest.raises(EncodingError, match="more than 100,000 outcomes with 6 seats"):
        openspiel_game("bluff", 6, start_mode="seat")
