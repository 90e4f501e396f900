"""Chance that anyone can check: keyed draws, and the commitment that binds them to a match.

A draw is not the next number of a sequence but the value of a key that names what is drawn
("round 2 seat 0 die 3"). Equal keys under equal match keys are equal draws, whatever was drawn
before, and any single draw can be recomputed alone.

    match key  = HMAC-SHA256(secret, frame(match id) + frame(entropy of seat 0) + ...)
    draw(key)  = first 8 bytes of HMAC-SHA256(match key, "<key>#<attempt>"), big-endian
    frame(x)   = length of x as 4 bytes, big-endian, then x

Attempts count from 0; one is rejected when its number lies in the incomplete last block of
`bound` values, so that every value is equally likely.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Final, Protocol, TypeVar

SECRET_BYTES = 32
ENTROPY_BYTES = 16
"""What the SDK sends; the referee accepts MIN_ENTROPY_BYTES to MAX_ENTROPY_BYTES."""
MIN_ENTROPY_BYTES = 8
MAX_ENTROPY_BYTES = 64

_SPAN = 1 << 64

_BLOCK_BYTES: Final = 64
_INNER_PAD: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER_PAD: Final = bytes(byte ^ 0x5C for byte in range(256))
"""HMAC hashes with the key's bytes changed in these ways (RFC 2104)."""

T = TypeVar("T")


class Randomness(Protocol):
    """A source of draws. Games ask it and never know where the numbers come from."""

    def below(self, key: str, bound: int) -> int:
        """The number in [0, bound) that belongs to `key`."""
        ...


class KeyedRandomness:
    """Draws as values of a match key (32 bytes)."""

    def __init__(self, match_key: bytes) -> None:
        # HMAC written out: what depends on the key alone is hashed once a match. A match draws
        # dozens of dice, and this halves the price of each.
        padded = match_key.ljust(_BLOCK_BYTES, b"\0")
        if len(padded) > _BLOCK_BYTES:
            raise ValueError(f"a match key has at most {_BLOCK_BYTES} bytes")
        self._inner = hashlib.sha256(padded.translate(_INNER_PAD))
        self._outer = hashlib.sha256(padded.translate(_OUTER_PAD))

    def below(self, key: str, bound: int) -> int:
        limit = _limit(bound)
        attempt = 0
        while True:
            inner, outer = self._inner.copy(), self._outer.copy()
            inner.update(f"{key}#{attempt}".encode())
            outer.update(inner.digest())
            number = int.from_bytes(outer.digest()[:8], "big")
            if number < limit:
                return number % bound
            attempt += 1


# Bounded by the sizes of dice, decks and tables.
@cache
def _limit(bound: int) -> int:
    """Numbers from here on belong to the incomplete last block."""
    return _SPAN - _SPAN % bound


def shuffled(randomness: Randomness, key: str, items: Sequence[T]) -> tuple[T, ...]:
    """`items` in random order (Fisher-Yates from the end): position i is drawn by "<key> <i>"."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        chosen = randomness.below(f"{key} {last}", last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def commitment(secret: bytes) -> bytes:
    """What the referee publishes before the seats send their entropy: SHA-256 of its secret."""
    return hashlib.sha256(secret).digest()


def match_key(secret: bytes, match_id: str, entropies: Sequence[bytes]) -> bytes:
    """The key of all draws of a match; `entropies` in seat order."""
    message = b"".join(
        len(part).to_bytes(4, "big") + part for part in (match_id.encode(), *entropies)
    )
    return hmac.digest(secret, message, "sha256")


def outcomes(draw: Callable[[Randomness], T]) -> Iterator[tuple[T, Fraction]]:
    """Every value `draw` can return, each path of draws once, with its exact probability.

    This is how the tests enumerate a game's chance without a second description of it.
    """
    script: list[int] = []
    while True:
        path = _ScriptedRandomness(script)
        value = draw(path)
        yield value, path.probability
        script = path.next_script()
        if not script:
            return


class _ScriptedRandomness:
    """Follows a script of numbers, then zeros; knows the script that comes next."""

    def __init__(self, script: Sequence[int]) -> None:
        self._script = script
        self._taken: list[tuple[int, int]] = []
        self._by_key: dict[str, int] = {}

    @property
    def probability(self) -> Fraction:
        probability = Fraction(1)
        for _, bound in self._taken:
            probability /= bound
        return probability

    def below(self, key: str, bound: int) -> int:
        if key not in self._by_key:
            position = len(self._taken)
            number = self._script[position] if position < len(self._script) else 0
            self._taken.append((number, bound))
            self._by_key[key] = number
        return self._by_key[key]

    def next_script(self) -> list[int]:
        taken = list(self._taken)
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        if not taken:
            return []
        return [number for number, _ in taken[:-1]] + [taken[-1][0] + 1]
