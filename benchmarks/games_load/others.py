"""Random playouts of other platforms' games: the acting seat's observation, then its action.

PYTHON others.py PLATFORM SEATS SECONDS

It runs in an environment of its own, so it imports nothing of this project, and only the platform
that is measured; `measure` is for the programs of this project as well.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

Playout = Callable[[], int]
"""Plays one match and returns its number of decisions."""
WARM_UP_S = 0.2
CALL = "[Call]"


def measure(playout: Playout, seconds: float) -> None:
    """Play matches for `seconds` of CPU time and print decisions, matches and the time used.

    CPU time is used because elapsed time on a shared core depends on the other processes.
    """
    _play(playout, WARM_UP_S)
    decisions, matches, used = _play(playout, seconds)
    print(json.dumps({"decisions": decisions, "matches": matches, "seconds": used}))


def _play(playout: Playout, seconds: float) -> tuple[int, int, float]:
    decisions = matches = 0
    used, begun = 0.0, time.process_time()
    while used < seconds:
        decisions += playout()
        matches += 1
        used = time.process_time() - begun
    return decisions, matches, used


def openspiel(seats: int, choose: random.Random) -> Playout:
    """OpenSpiel's liars_dice. A match is one round with five dice each, without a second roll."""
    import pyspiel

    game = pyspiel.load_game(f"liars_dice(players={seats},numdice=5)")

    def playout() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if not state.is_chance_node():  # there every face is equally likely
                state.observation_tensor(state.current_player())
                decisions += 1
            state.apply_action(choose.choice(state.legal_actions()))
        return decisions

    return playout


def pettingzoo(_seats: int, _choose: random.Random) -> Playout:
    """PettingZoo's leduc_holdem_v4, of two seats, with its mask."""
    import numpy as np
    from pettingzoo.classic import leduc_holdem_v4

    env, choose = leduc_holdem_v4.env(), np.random.default_rng(1)

    def playout() -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            seen, _, ended, truncated, _ = env.last()
            if ended or truncated:
                env.step(None)
            else:
                env.step(choose.choice(np.flatnonzero(seen["action_mask"])))
                decisions += 1
        return decisions

    return playout


def rlcard(_seats: int, choose: random.Random) -> Playout:
    """RLCard's leduc-holdem, of two seats."""
    import rlcard

    env = rlcard.make("leduc-holdem", config={"seed": 1})

    def playout() -> int:
        seen, _ = env.reset()
        decisions = 0
        while not env.is_over():
            seen, _ = env.step(choose.choice(list(seen["legal_actions"])))
            decisions += 1
        return decisions

    return playout


def textarena(seats: int, choose: random.Random, *, reused: bool = False) -> Playout:
    """TextArena's LiarsDice-v0, with an environment for each match, or with one that is `reused`.

    A reused one is reset, as usual with Gym: then each observation includes those of all earlier
    matches, so its cost grows with their number. The rules do not limit bids; as in Bluff, a random
    seat bids at most the dice in play and chooses among these bids and the call.
    """
    import textarena

    kept = textarena.make("LiarsDice-v0") if reused else None

    def playout() -> int:
        environment: Any = textarena.make("LiarsDice-v0") if kept is None else kept
        environment.reset(num_players=seats)
        decisions, done = 0, False
        while not done:
            environment.get_observation()
            state = environment.state.game_state
            standing = state["current_bid"]
            lowest, face = max(1, standing["quantity"]), max(1, standing["face_value"])
            answers = [
                f"[Bid: {quantity}, {shown}]"
                for quantity in range(lowest, sum(state["remaining_dice"].values()) + 1)
                for shown in range(face, 7)
            ]
            if standing["quantity"]:
                # The first answer is the standing bid itself, which is not legal.
                answers[0] = CALL
            done, _ = environment.step(choose.choice(answers))
            decisions += 1
        return decisions

    return playout


PLATFORMS: dict[str, Callable[[int, random.Random], Playout]] = {
    "openspiel": openspiel,
    "pettingzoo": pettingzoo,
    "rlcard": rlcard,
    "textarena-fresh": textarena,
    "textarena-reused": lambda seats, choose: textarena(seats, choose, reused=True),
}


if __name__ == "__main__":
    measure(PLATFORMS[sys.argv[1]](int(sys.argv[2]), random.Random(1)), float(sys.argv[3]))
