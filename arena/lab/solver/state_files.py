"""Solved states in a folder, one file each: strategy, figures, and what a search needs to resume.

A file is a line of JSON, padded with spaces, then the tables in single precision: the average
strategy by seat, then the regrets by seat. A table is mapped into memory and read when it is used,
because four dice in play take gigabytes.

StrategyFileError    a file cannot be read or written, or holds no solved state of this format
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import numpy as np

from arena.errors import UserError
from arena.games.bluff.bets import track
from arena.lab.solver.round_game import ValueBounds, hands_of
from arena.lab.solver.search import DicePair, SolvedState
from arena.lab.solver.tables import Strategy, Table, lanes_for, layout_of
from arena.replacing import replacing

_FORMAT = "arena-state/1"
_HEADER_BYTES = 512
_NAME = re.compile(r"([1-9])-([1-9])\.state", re.ASCII)


class StrategyFileError(UserError):
    """A file that cannot be read or written, or that holds no strategies of this format."""


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that atomically replaces `path` once it is written.

    The folder is made if it is missing. If writing fails, nothing changes. Raises
    StrategyFileError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as beside, beside.open("wb") as file:
            yield file
    except OSError as error:
        raise StrategyFileError(f"{path} cannot be written: {error.strerror}.") from error


@dataclass(frozen=True)
class StateFiles:
    """The solved states of a folder, which is made when the first is written."""

    folder: Path

    def prepare(self) -> None:
        """Make the folder and check that it is writable. Raises StrategyFileError."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=self.folder):
                pass
        except FileExistsError as error:
            raise StrategyFileError(f"{self.folder} is no folder of solved states.") from error
        except OSError as error:
            raise StrategyFileError(f"{self.folder} takes no files: {error.strerror}.") from error

    def write(self, state: SolvedState) -> None:
        """Write a state, replacing an existing file atomically. Raises StrategyFileError."""
        assert state.regrets is not None, "no search ends in such a state"
        figures = {
            "format": _FORMAT,
            "dice": state.dice,
            "bounds": state.bounds,
            "exploitability": state.exploitability,
            "iterations": state.iterations,
            "seconds": state.seconds,
        }
        with replaced(self._path(state.dice)) as file:
            file.write(json.dumps(figures).encode().ljust(_HEADER_BYTES - 1) + b"\n")
            for table in (*state.strategy.weights, *state.regrets.weights):
                file.write(table.data)

    def read(self, dice: DicePair) -> SolvedState | None:
        """Return a state, or None if it has no file. Raises StrategyFileError."""
        path = self._path(dice)
        try:
            with path.open("rb") as file:
                figures = json.loads(file.read(_HEADER_BYTES))
            if figures["format"] != _FORMAT or tuple(figures["dice"]) != dice:
                raise ValueError
            tables = _mapped(path, dice)
            bounds = ValueBounds(*map(float, figures["bounds"]))
            exploitability, seconds = float(figures["exploitability"]), float(figures["seconds"])
            iterations = int(figures["iterations"])
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StrategyFileError(f"{path} cannot be read: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError) as error:
            raise StrategyFileError(
                f"{path} holds no solved state of this version: remove it, and it is solved again."
            ) from error
        # NaN fails both comparisons.
        if not all(table.min() >= 0 and table.max() < inf for table in tables):
            raise StrategyFileError(f"{path}: weights are negative or not finite.")
        average, regrets = Strategy((tables[0], tables[1])), Strategy((tables[2], tables[3]))
        return SolvedState(
            dice, bounds, exploitability, iterations, seconds, average, regrets=regrets
        )

    def dice(self) -> list[DicePair]:
        """Return the dice of all states with a file, smallest first. Raises StrategyFileError."""
        if self.folder.exists() and not self.folder.is_dir():
            raise StrategyFileError(f"{self.folder} is no folder of solved states.")
        names = [_NAME.fullmatch(path.name) for path in self.folder.glob("*.state")]
        pairs = [(int(name[1]), int(name[2])) for name in names if name]
        return sorted(pairs, key=lambda dice: (sum(dice), dice))

    def _path(self, dice: DicePair) -> Path:
        return self.folder / f"{dice[0]}-{dice[1]}.state"


def is_state(path: Path) -> bool:
    """Return whether a path is that of an existing state file."""
    return path.is_file() and _NAME.fullmatch(path.name) is not None


def _mapped(path: Path, dice: DicePair) -> list[Table]:
    layout = layout_of(len(track(sum(dice))))
    sizes = [layout.actions(seat) * lanes_for(len(hands_of(dice[seat]))) for seat in (0, 1)] * 2
    if path.stat().st_size != _HEADER_BYTES + 4 * sum(sizes):
        raise ValueError
    tables: list[Table] = []
    at = _HEADER_BYTES
    for size in sizes:
        # Copy-on-write, because numba compiles loops again for arrays that are read-only.
        table: Any = np.memmap(path, np.float32, "c", at, (size,))
        tables.append(np.asarray(table))
        at += table.nbytes
    return tables
