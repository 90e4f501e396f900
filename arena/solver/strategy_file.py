"""Solved states in a file: numpy's npz, with two arrays and the figures of each state."""

import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from arena.errors import UserError
from arena.games.bluff.bets import track
from arena.solver.matches import DicePair, SolvedState, certified_state
from arena.solver.round_game import ValueBounds, hands_of
from arena.solver.tables import Strategy, lanes_for, layout_of

_FORMAT = 2
_FIGURES = "figures.json"


class StrategyFileError(UserError):
    """A file that holds no solved states of this format."""


def save(path: Path, states: Iterable[SolvedState]) -> None:
    """Write the states of a match; a file that is there is replaced as a whole."""
    arrays: dict[str, Any] = {}
    figures = []
    for state in states:
        name = "-".join(map(str, state.dice))
        for seat, table in enumerate(state.strategy.weights):
            arrays[f"{name}/{seat}"] = table
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
            return [_state(path, file, *state) for state in figures["states"]]
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise StrategyFileError(
            f"{path} holds no solved states "
            f"({why or 'it is no file of `arena solve --to` or `--tables`'})."
        ) from error


def certified_again(states: Iterable[SolvedState]) -> Iterator[SolvedState]:
    """The same states, smallest first, with the bounds that their strategies prove: computed anew
    by exact best responses, and from nothing else."""
    bounds: dict[DicePair, ValueBounds] = {}
    for state in states:
        again = certified_state(state, bounds)
        bounds[state.dice] = again.bounds
        yield again


def _state(
    path: Path,
    file: Any,
    dice: list[int],
    bounds: list[float],
    exploitability: float,
    iterations: int,
    seconds: float,
) -> SolvedState:
    opener, other = dice
    name, against = f"{opener}-{other}", f"{opener} against {other} dice"
    layout = layout_of(len(track(opener + other)))
    weights = file[f"{name}/0"], file[f"{name}/1"]
    sizes = [layout.actions(seat) * lanes_for(len(hands_of(dice[seat]))) for seat in (0, 1)]
    if [*map(len, weights)] != sizes:
        raise StrategyFileError(f"{path}: the tables of {against} are incomplete.")
    if not all(np.isfinite(table).all() and (table >= 0).all() for table in weights):
        raise StrategyFileError(f"{path}: weights of {against} are negative or not finite.")
    strategy = Strategy(weights)
    return SolvedState(
        (opener, other), ValueBounds(*bounds), exploitability, iterations, seconds, strategy
    )
