"""Random playouts of this project's games, with the acting seat's view built for every decision.

python -m benchmarks.games_load.arena_games GAME SEATS SECONDS          speed of the rules alone
python -m benchmarks.games_load.arena_games GAME-memory SEATS MATCHES   resident memory, with
                                                                        events, steps and results
"""

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from arena.games import make_game
from arena.games.game import DEALER, AnyGame
from arena.match.flow import TimedAction, play
from arena.randomness import KeyedRandomness
from benchmarks.games_load.others import measure
from benchmarks.memory import resident_mb

MEMORY_FIRST = 1_000


def main() -> None:
    """Run the measurement named on the command line."""
    name, _, what = sys.argv[1].partition("-")
    game, seats, random = make_game(name), int(sys.argv[2]), Random(1)
    if what == "memory":
        _memory(game, seats, random, int(sys.argv[3]))
    else:
        measure(lambda: playout(game, seats, random), float(sys.argv[3]))


def playout(
    game: AnyGame, seats: int, random: Random, choose: Callable[[Any, int], Any] | None = None
) -> int:
    """Play one match with the rules alone; returns the number of decisions.

    `choose` returns the action for a view and a seat; by default it is a random legal one.
    """
    dealing = KeyedRandomness(random.randbytes(32))
    state, decisions = game.start(seats), 0
    while (to_act := game.to_act(state)) != ():
        if to_act is DEALER:
            state = game.apply(state, DEALER, game.draw(state, dealing))
            continue
        for seat in to_act:
            view = game.view(state, seat)
            action = choose(view, seat) if choose else random.choice(list(game.choices(view)))
            state = game.apply(state, seat, action)
            decisions += 1
    return decisions


def _memory(game: AnyGame, seats: int, random: Random, matches: int) -> None:
    resident = {}
    for number in range(1, matches + 1):
        _match(game, seats, random)
        if number in (MEMORY_FIRST, matches):
            resident[number] = resident_mb(os.getpid())
    print(json.dumps(resident))


def _match(game: AnyGame, seats: int, random: Random) -> None:
    """Play one match with events, steps and result."""
    flow = play(game, seats, KeyedRandomness(random.randbytes(32)))
    with suppress(StopIteration):
        ask = next(flow)
        while True:
            ask = flow.send(
                [TimedAction(random.choice(list(game.choices(turn.view)))) for turn in ask.turns]
            )


if __name__ == "__main__":
    main()
