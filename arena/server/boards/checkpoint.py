"""A board as bytes: the content of a checkpoint in the database.

A checkpoint saves reading the log and never decides a number: a reader that finds none, or one that
it cannot read, reads the log. Sums of whole numbers are kept exactly; the others up to the rounding
with which they were added.
"""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import zstandard
from numpy.typing import NDArray

from arena.lab.luck import table_of
from arena.rating.methods import ScoreRule
from arena.server.boards.board import Board

FORMAT: Final = 3
"""The number of the format: the arrays' names and meanings.

A new format gets a new number: releases that know another one leave these checkpoints alone and
write their own.
"""
_LEVEL: Final = 1
_HEAD_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A board at one moment, to be stored."""

    revision: int
    """The revision of the log."""
    sequence: int
    """The last rating event in it, of any ladder."""
    data: bytes


class CheckpointDamagedError(Exception):
    """The error for a checkpoint that cannot be read; the log still can."""


@cache
def edition(game: str) -> str:
    """Return the edition of a game's checkpoints: the format, and the game's table of luck."""
    luck = table_of(game)
    return f"{FORMAT} {luck.sha256[:16]}" if luck is not None else f"{FORMAT}"


def pack(board: Board) -> bytes:
    """Return the board as bytes: names, types and shapes as JSON, then the arrays, compressed."""
    heads, parts = [], []
    for name, array in board.arrays().items():
        stored = _narrowed(array)
        heads.append((name, stored.dtype.str, stored.shape))
        parts.append(np.ascontiguousarray(stored).tobytes())
    head = json.dumps(heads).encode()
    content = b"".join([len(head).to_bytes(_HEAD_BYTES, "big"), head, *parts])
    return zstandard.ZstdCompressor(level=_LEVEL).compress(content)


def unpack(game: str, score: ScoreRule, packed: bytes) -> Board:
    """Return the board that was packed. Raises CheckpointDamagedError."""
    try:
        content = zstandard.ZstdDecompressor().decompress(packed)
        at = _HEAD_BYTES + int.from_bytes(content[:_HEAD_BYTES], "big")
        arrays: dict[str, NDArray[Any]] = {}
        for name, kind, shape in json.loads(content[_HEAD_BYTES:at]):
            dtype = np.dtype(kind)
            count = int(np.prod(shape))
            arrays[name] = np.frombuffer(content, dtype, count, at).reshape(shape)
            at += count * dtype.itemsize
        return Board.of_arrays(game, score, arrays)
    except (zstandard.ZstdError, ValueError, KeyError, TypeError, IndexError) as error:
        raise CheckpointDamagedError(str(error)) from error


def _narrowed(array: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in the smallest type that holds them.

    They compress better and are read faster. Other arrays are returned unchanged.
    """
    if not array.size:
        return array
    if array.dtype.kind == "f":
        whole = array.astype(np.int32) if np.abs(array).max() < 2**31 else array
        if whole is array or not np.array_equal(whole, array):
            return array
        array = whole
    return array.astype(np.result_type(*map(np.min_scalar_type, (array.min(), array.max()))))
