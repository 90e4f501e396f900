"""The interface of a kit's module `batch`: the rules of a game for many matches at once, compiled.

A batch is a set of arrays with one row per match. The compiled functions take them in the order of
`BatchArrays`; they change rows in place and never look at other rows, so that a batch may be cut
into slices for threads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Compiled: TypeAlias = Callable[..., None]

BatchPolicy: TypeAlias = Callable[[NDArray[np.float32], NDArray[np.uint8]], NDArray[np.integer]]
"""A choice of actions: from observations [M, O] and masks [M, A] to legal ids [M]."""


class Rewards(Enum):
    """The rewards of a seat for steps."""

    PLACING = "placing"
    """At the end of a match: the share of the others that it beats, minus the share ahead of it."""
    CHANCES = "chances"
    """After each round: twice the change of its chance to win, by solved play."""


class BatchArrays(NamedTuple):
    """The arrays of a batch of N matches between S seats, with O numbers and A actions."""

    state: NDArray[np.int32]
    """[N, width] The complete states; their layout is the game's."""
    random: NDArray[np.uint64]
    """[N] The streams of the dealers."""
    observations: NDArray[np.float32]
    """[N, O] What the seats to act see."""
    masks: NDArray[np.uint8]
    """[N, A]"""
    seats: NDArray[np.int8]
    """[N] The seats to act."""
    rewards: NDArray[np.float32]
    """[N, S] What the step gave each seat."""
    done: NDArray[np.bool_]
    """[N] Whether the step ended a match; the other arrays then show the next one."""


@dataclass(frozen=True)
class BatchRules:
    """The compiled rules of a game under fixed options, at a fixed number of seats."""

    width: int
    """The length of a state."""
    tables: tuple[NDArray[Any], ...]
    """The constants that the functions read."""
    begin: Compiled
    """begin(tables, *arrays): begin a match in every row."""
    step: Compiled
    """step(tables, actions, *arrays): apply legal actions; a negative one skips its row."""
    hands: Callable[[NDArray[np.int32]], NDArray[np.uint8]]
    """Return what all seats hold, counted by kind: from [N, width] to [N, S, kinds]."""


@runtime_checkable
class GameBatch(Protocol):
    """The interface of a kit's module `batch`."""

    def batch_rules(self, encoding: Any, rewards: Rewards) -> BatchRules:
        """Return the compiled rules whose arrays are those of an encoding.

        Raises:
            EncodingError: The options or the rewards are not supported.
        """
