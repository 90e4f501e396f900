"""Random numbers inside compiled loops: one stream of splitmix64 for each match of a batch.

Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014). A stream is
its 64-bit state, so that draws are the same on every platform and in any number of threads.
"""

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_DIE_BITS: Final = np.uint64(60)
_DIE_REST: Final = np.uint64((1 << 60) - 1)
_DIE_SHIFT: Final = np.uint64(4)
_SIX: Final = np.uint64(6)


def streams(seed: int, count: int) -> NDArray[np.uint64]:
    """Return `count` independent streams of a seed, which is 0 or more."""
    return np.random.SeedSequence(seed).generate_state(count, np.uint64).astype(np.uint64)


@njit(cache=True, nogil=True)
def bits(streams, index):  # type: ignore[no-untyped-def]
    """Return the next 64 random bits of a stream."""
    streams[index] += _STEP
    z = streams[index]
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@njit(cache=True, nogil=True)
def below(streams, index, bound):  # type: ignore[no-untyped-def]
    """Return a number in [0, bound); the probability of each is off by less than 2^-32."""
    return np.int64(((bits(streams, index) >> _32) * np.uint64(bound)) >> _32)


@njit(cache=True, nogil=True)
def roll(streams, index, count, faces):  # type: ignore[no-untyped-def]
    """Add `count` fair dice to the counts of their faces, `faces[0:6]`.

    Eight dice are the leading digits to base 6 of one random fraction of 60 bits: the probability
    of each roll is off by less than 2^-59.
    """
    fraction = np.uint64(0)
    for die in range(count):
        if die % 8 == 0:
            fraction = bits(streams, index) >> _DIE_SHIFT
        fraction *= _SIX
        faces[np.int64(fraction >> _DIE_BITS)] += 1
        fraction &= _DIE_REST
