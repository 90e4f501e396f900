"""Solved states in a file: numpy's npz, with three arrays and the figures of each state."""

import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from arena.errors import UserError
from arena.solver.matches import DicePair, SolvedState, certified_state
from arena.solver.round_game import ValueBounds, match_round
from arena.solver.tables import Strategy, offsets_of

_FORMAT = 1
_FIGURES = "figures.json"


class StrategyFileError(UserError):
    """A file that holds no solved states of this format."""


def save(path: Path, states: Iterable[SolvedState]) -> None:
    """Write the states of a match; a file that is there is replaced as a whole."""
    arrays: dict[str, Any] = {}
    figures = []
    for state in states:
        name = "-".join(map(str, state.dice))
        arrays[f"{name}/opening"] = state.strategy.opening
        for seat, table in enumerate(state.strategy.answers):
            arrays[f"{name}/answers{seat}"] = table.astype(np.float32)
        figures.append(
            [state.dice, state.bounds, state.exploitability, state.iterations, state.seconds]
        )
    beside = path.with_name(f"{path.name}.new")
    with beside.open("wb") as file:
        text = json.dumps({"format": _FORMAT, "states": figures})
        arrays[_FIGURES] = np.frombuffer(text.encode(), np.uint8)
        np.savez_compressed(file, **arrays)
    os.replace(beside, path)  # noqa: PTH105  atomic


def load(path: Path) -> list[SolvedState]:
    """The states of a file, smallest first. Raises StrategyFileError."""
    try:
        with np.load(path, allow_pickle=False) as file:
            figures = json.loads(file[_FIGURES].tobytes())
            if figures["format"] != _FORMAT:
                raise StrategyFileError(f"{path} is of another format: solve it again.")
            return [_state(file, *state) for state in figures["states"]]
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise StrategyFileError(f"{path} holds no solved states: {error}.") from error


def certified_again(states: Iterable[SolvedState]) -> Iterator[SolvedState]:
    """The same states, smallest first, with the bounds that their strategies prove: computed anew
    by exact best responses, and from nothing else."""
    bounds: dict[DicePair, ValueBounds] = {}
    for state in states:
        again = certified_state(state, bounds)
        bounds[state.dice] = again.bounds
        yield again


def _state(
    file: Any,
    dice: list[int],
    bounds: list[float],
    exploitability: float,
    iterations: int,
    seconds: float,
) -> SolvedState:
    opener, other = dice
    name = f"{opener}-{other}"
    # Only its shape is needed, so no later round has to be known.
    later = {(a, b): ValueBounds(0, 1) for a in range(1, 17) for b in range(1, 17)}
    game = match_round((opener, other), later)
    opening = file[f"{name}/opening"]
    answers = file[f"{name}/answers0"], file[f"{name}/answers1"]
    hands = (len(game.hands[0]), len(game.hands[1]))
    sizes = offsets_of(len(game.bets), hands)[:, -1]
    if opening.shape != (len(game.bets), hands[0]) or [*map(len, answers)] != [*sizes]:
        raise ValueError(f"the tables of {opener} against {other} dice are incomplete")
    strategy = Strategy(opening, answers)
    return SolvedState(
        (opener, other), ValueBounds(*bounds), exploitability, iterations, seconds, strategy
    )
