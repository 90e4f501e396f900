"""A bot that plays the nets of policy_gradient.py, with sight.py and net-SEATS.npz beside it.

At tables of a size or with options for which there is no net it plays the first legal action.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sight import SHARPNESS, Sight

from arena.bot import Bot, Match, Turn, run
from arena.learn import encoding


@cache
def trained(seats: int) -> tuple[Any, Sight, list[np.ndarray]] | None:
    """Return the encoding, its sight and the net for a number of seats, if there is one."""
    path = Path(__file__).parent / f"net-{seats}.npz"
    if not path.exists():
        return None
    with np.load(path) as file:
        about = json.loads(str(file["about"]))
        weights = [file[f"arr_{number}"] for number in range(len(file.files) - 1)]
    encoded = encoding("bluff", seats, **about["options"])
    if encoded.version != about["version"]:
        raise ValueError(f"the net sees {about['version']}; this is {encoded.version}")
    return encoded, Sight(encoded), weights


class Trained(Bot):
    """A bot that draws its actions by the probabilities of a net."""

    def match_started(self, match: Match) -> None:
        self.net = trained(len(match.entrants))
        if self.net is not None and self.net[0].game.options != match.game.options:
            self.net = None

    def act(self, turn: Turn) -> Any:
        if self.net is None:
            return next(turn.choices())
        encoded, sight, weights = self.net
        seen, mask = encoded.observe(turn.view)[None], encoded.mask(turn.view)[None]
        right = sight.right(seen)
        values, depth = sight.inputs(seen, mask, right)[0], len(weights) // 2
        for layer in range(depth):
            values = values @ weights[layer] + weights[depth + layer]
            if layer < depth - 1:
                values = np.maximum(values, 0)
        legal = np.flatnonzero(mask[0])
        values = values + SHARPNESS * right[0]
        chances = np.exp(values[legal] - values[legal].max())
        (number,) = self.random.choices(legal.tolist(), chances.tolist())
        return encoded.action(number, turn.view.seat)


if __name__ == "__main__":
    run(Trained)
