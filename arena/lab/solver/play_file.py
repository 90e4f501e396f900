"""The file of play that the sample bot `cfr` reads.

It begins with a line of JSON: the format, the dice per seat, and for each state the opener's dice,
the other's, the opener's value and how many of the last bets the play knows (null for all). Then
follows, compressed by zlib, for each state the opener's play and the other's: row by row a byte for
each hand, 255 times the probability. Rows and hands are those of `PlayedState`.
"""

import json
import zlib
from collections.abc import Sequence
from math import comb
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

import numpy as np

from arena.lab.solver.matches import MOST_DICE
from arena.lab.solver.play import VALUE_DIGITS, PlayedState
from arena.lab.solver.recall import row_count
from arena.lab.solver.state_files import StrategyFileError, replaced
from arena.lab.solver.tables import layout_of

FORMAT: Final = "arena-play/2"
_SCALE = 255
_BETS_A_DIE = 6
_MOST_DICE_OF_A_SEAT = 16
"""The most dice of a seat that the game's options allow."""


def is_play(path: Path) -> bool:
    """Return whether a file looks like this format, rather than like tables of the solver."""
    with path.open("rb") as file:
        return file.read(1) == b"{"


def write_play(path: Path, states: Sequence[PlayedState]) -> None:
    """Write all states of a match, smallest first, replacing an existing file atomically.

    Raises StrategyFileError.
    """
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
    """Return the states of a file, smallest first. Raises StrategyFileError."""
    try:
        line, _, rest = path.read_bytes().partition(b"\n")
        header = json.loads(line)
        if header["format"] != FORMAT:
            raise StrategyFileError(f"{path} is of another format: solve it again.")
        return _states(header["states"], zlib.decompress(rest))
    except (OSError, ValueError, KeyError, TypeError, zlib.error) as error:
        raise StrategyFileError(f"{path} holds no play: {error}.") from error


def _states(rows: list[list[Any]], tables: bytes) -> list[PlayedState]:
    """Return the states that the header lists, with their play. Raises ValueError."""
    states: list[PlayedState] = []
    at = 0
    for opener, other, value, recall in rows:
        _check(opener, other, value, recall)
        play = []
        for seat, dice in enumerate((opener, other)):
            bets = _BETS_A_DIE * (opener + other)
            actions = layout_of(bets).actions(seat) if recall is None else row_count(bets, recall)
            size = actions * comb(dice + 5, 5)
            if at + size > len(tables):
                raise ValueError("it ends too early")
            table = np.frombuffer(tables, np.uint8, size, at).reshape(actions, -1)
            if not table.any(0).all():
                raise ValueError(f"with {opener} against {other} dice a hand has no action")
            play.append(table / _SCALE)
            at += size
        states.append(PlayedState((opener, other), value, recall, (play[0], play[1])))
    if at < len(tables):
        raise ValueError("it goes on after the last state")
    order = [(sum(state.dice), state.dice) for state in states]
    if order != sorted({*order}):
        raise ValueError("its states are not in order, the smallest first")
    return states


def _check(opener: Any, other: Any, value: Any, recall: Any) -> None:
    """Raise ValueError if these are not the figures of a state."""
    if not all(type(dice) is int and 1 <= dice <= _MOST_DICE_OF_A_SEAT for dice in (opener, other)):
        raise ValueError(f"there is no round of {opener} against {other} dice")
    state = f"with {opener} against {other} dice"
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise ValueError(f"{state} the value {value} is no probability")
    bets = _BETS_A_DIE * (opener + other)
    if recall is None and opener + other > MOST_DICE:
        raise ValueError(f"{state} play cannot know all bets")
    if recall is not None and not (type(recall) is int and 1 <= recall <= bets):
        raise ValueError(f"{state} play cannot know the last {recall} of {bets} bets")


class PartFiles:
    """The states solved so far, one file each, beside the file that will hold all of them."""

    def __init__(self, path: Path, name: str) -> None:
        """Set the folder beside `path`.

        The `name` tells apart parts that are solved in different ways.
        """
        self._folder = path.with_name(f"{path.name}.{name}")

    def read(self) -> list[PlayedState]:
        """Return the states that an interrupted solve left. Raises StrategyFileError."""
        return [state for part in sorted(self._folder.glob("*.part")) for state in read_play(part)]

    def write(self, state: PlayedState) -> None:
        """Write a state. Raises StrategyFileError."""
        write_play(self._folder / f"{state.dice[0]}-{state.dice[1]}.part", [state])

    def remove(self) -> None:
        """Remove the parts once the file holds all of them."""
        rmtree(self._folder, ignore_errors=True)
