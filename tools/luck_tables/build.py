"""The matches and the command line that all programs for building luck tables share."""

import argparse
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from arena.games.game import DEALER, AnyGame
from arena.randomness import KeyedRandomness, Randomness


def match_played(
    game: AnyGame,
    seats: int,
    seed: str,
    temperament: Callable[[Randomness, int], Any],
    act: Callable[..., Any],
) -> Iterator[tuple[Any, Any]]:
    """Play a match of reference players; yield each state with its draw, then the end with None.

    `act` gets the game, the view, the seat's temperament and the source of all chance.
    """
    chance = KeyedRandomness(hashlib.sha256(seed.encode()).digest())
    how = [temperament(chance, seat) for seat in range(seats)]
    state = game.start(seats)
    while (to_act := game.to_act(state)) != ():
        if to_act is DEALER:
            draw = game.draw(state, chance)
            yield state, draw
            state = game.apply(state, DEALER, draw)
        else:
            for seat in to_act:
                action = act(game, game.view(state, seat), how[seat], chance)
                state = game.apply(state, seat, action)
    yield state, None


def main(program: str, table: Callable[[int, str], bytes], *, matches: int) -> None:
    """Build a table, write it and print its hash. `table` gets the number of matches, by default
    `matches`, and the seed."""
    parser = argparse.ArgumentParser(prog=f"python -m tools.luck_tables.{program}")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--matches", type=int, default=matches)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    content = table(options.matches, options.seed)
    options.file.write_bytes(content)
    print(f"{options.file}: {len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}")
