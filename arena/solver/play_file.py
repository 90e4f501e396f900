"""The file of play that the sample bot `cfr` reads.

A line of JSON with the format, the dice per seat and of each state the opener's dice, the other's,
the opener's value and how many of the last bets the play knows (null for all). Then, compressed by
zlib, of each state the opener's play and the other's: row by row a byte for each hand, 255 times
the probability. Rows and hands are those of `PlayedState`.
"""

import json
import zlib
from collections.abc import Sequence
from math import comb
from pathlib import Path
from shutil import rmtree
from typing import Final

import numpy as np

from arena.solver.play import VALUE_DIGITS, PlayedState
from arena.solver.recall import recall_nodes
from arena.solver.state_files import StrategyFileError, replaced
from arena.solver.tables import layout_of

FORMAT: Final = "arena-play/2"
_SCALE = 255


def is_play(path: Path) -> bool:
    """Whether a file looks like one of this format, rather than like tables of the solver."""
    with path.open("rb") as file:
        return file.read(1) == b"{"


def write_play(path: Path, states: Sequence[PlayedState]) -> None:
    """Write all states of a match, smallest first; a file that is there is replaced as a whole.
    Raises StrategyFileError."""
    header = {
        "format": FORMAT,
        "dice": max(state.dice[0] for state in states),
        "states": [
            [*state.dice, round(state.value, VALUE_DIGITS), state.recall] for state in states
        ],
    }
    tables = b"".join(
        np.rint(play * _SCALE).astype(np.uint8).tobytes() for state in states for play in state.play
    )
    with replaced(path) as file:
        file.write(json.dumps(header).encode() + b"\n" + zlib.compress(tables, 9))


def read_play(path: Path) -> list[PlayedState]:
    """The states of a file, smallest first. Raises StrategyFileError."""
    try:
        line, _, rest = path.read_bytes().partition(b"\n")
        header = json.loads(line)
        if header["format"] != FORMAT:
            raise StrategyFileError(f"{path} is of another format: solve it again.")
        tables = zlib.decompress(rest)
        states, at = [], 0
        for opener, other, value, recall in header["states"]:
            layout = layout_of(6 * (opener + other))
            play = []
            for seat, dice in enumerate((opener, other)):
                nodes = None if recall is None else recall_nodes(layout.bets, recall)
                rows = layout.actions(seat) if nodes is None else int(nodes.rows[-1])
                shape = rows, comb(dice + 5, 5)
                size = shape[0] * shape[1]
                bytes_ = np.frombuffer(tables, np.uint8, size, at)
                play.append(bytes_.reshape(shape) / _SCALE)
                at += size
            states.append(PlayedState((opener, other), value, recall, (play[0], play[1])))
        return states
    except (OSError, ValueError, KeyError, TypeError, zlib.error) as error:
        raise StrategyFileError(f"{path} holds no play: {error}.") from error


class PartFiles:
    """The states that are solved so far, a file each, beside the file that all of them become."""

    def __init__(self, path: Path, name: str) -> None:
        """The `name` tells apart parts that are solved in different ways."""
        self._folder = path.with_name(f"{path.name}.{name}")

    def read(self) -> list[PlayedState]:
        """What an interrupted solve left. Raises StrategyFileError."""
        return [state for part in sorted(self._folder.glob("*.part")) for state in read_play(part)]

    def write(self, state: PlayedState) -> None:
        """Keep a state. Raises StrategyFileError."""
        write_play(self._folder / f"{state.dice[0]}-{state.dice[1]}.part", [state])

    def remove(self) -> None:
        """Forget the parts: all of them are in the file."""
        rmtree(self._folder, ignore_errors=True)
