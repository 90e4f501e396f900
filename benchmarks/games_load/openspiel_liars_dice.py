"""Random playouts of OpenSpiel's liars_dice: the acting seat's observation, then its action.

PYTHON openspiel_liars_dice.py - SEATS SECONDS

One match is one round with five dice per seat, without a second roll.
"""

import random
import sys

import pyspiel
from measuring import measure


def main() -> None:
    """Run the measurement named on the command line."""
    game = pyspiel.load_game(f"liars_dice(players={int(sys.argv[2])},numdice=5)")
    choose = random.Random(1)

    def playout() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                # Every face is equally likely.
                state.apply_action(choose.choice(state.legal_actions()))
                continue
            state.observation_tensor(state.current_player())
            state.apply_action(choose.choice(state.legal_actions()))
            decisions += 1
        return decisions

    measure(playout, float(sys.argv[3]))


if __name__ == "__main__":
    main()
