"""Verifiable random draws: keyed draws, and the commitment that binds them to a match.

A draw is not the next number of a sequence. It is computed from a key that names the thing drawn
("round 2 seat 0 die 3"). Equal keys under equal match keys give equal draws, independent of earlier
draws, and any single draw can be recomputed alone.

    match key  = HMAC-SHA256(secret, frame(match id) + frame(entropy of seat 0) + ...)
    draw(key)  = first 8 bytes of HMAC-SHA256(match key, "<key>#<attempt>"), big-endian
    frame(x)   = length of x as 4 bytes, big-endian, then x

Attempts count from 0; an attempt is rejected if its number is in the incomplete last block of
`bound` values, so that every value is equally likely.
"""

import hashlib
import hmac
from collections.abc import Sequence
from functools import cache
from typing import Final, Protocol, TypeVar

SECRET_BYTES = 32
ENTROPY_BYTES = 16
"""The length that the SDK sends; the referee accepts MIN_ENTROPY_BYTES to MAX_ENTROPY_BYTES."""
MIN_ENTROPY_BYTES = 8
MAX_ENTROPY_BYTES = 64

_SPAN = 1 << 64

_BLOCK_BYTES: Final = 64
_INNER_PAD: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER_PAD: Final = bytes(byte ^ 0x5C for byte in range(256))
"""The inner and outer pads of HMAC, as translation tables of the key's bytes (RFC 2104)."""

T = TypeVar("T")


class Randomness(Protocol):
    """A source of draws; games do not know which one they use."""

    def below(self, key: str, bound: int) -> int:
        """Return the number in [0, bound) for `key`."""
        ...


class KeyedRandomness:
    """A source of draws computed from a match key (32 bytes)."""

    def __init__(self, match_key: bytes) -> None:
        self.key = match_key
        # HMAC spelled out: the part that depends only on the key is hashed once per match. A match
        # draws dozens of dice, and this halves the cost of each.
        padded = match_key.ljust(_BLOCK_BYTES, b"\0")
        if len(padded) > _BLOCK_BYTES:
            raise ValueError(f"a match key has at most {_BLOCK_BYTES} bytes")
        self._inner = hashlib.sha256(padded.translate(_INNER_PAD))
        self._outer = hashlib.sha256(padded.translate(_OUTER_PAD))

    def below(self, key: str, bound: int) -> int:
        """Return the number in [0, bound) for `key`; equally likely, by rejection."""
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


# The cache stays small: bounds are the sizes of dice, decks and tables.
@cache
def _limit(bound: int) -> int:
    """Return the first number of the incomplete last block."""
    return _SPAN - _SPAN % bound


def shuffled(randomness: Randomness, key: str, items: Sequence[T]) -> tuple[T, ...]:
    """Return `items` in random order (Fisher-Yates from the end).

    Position i has the key "<key> <i>".
    """
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        chosen = randomness.below(f"{key} {last}", last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def commitment(secret: bytes) -> bytes:
    """Return the SHA-256 of the referee's secret, published before the seats send their entropy."""
    return hashlib.sha256(secret).digest()


def match_key(secret: bytes, match_id: str, entropies: Sequence[bytes]) -> bytes:
    """Return the key of all draws of a match; `entropies` are in seat order."""
    message = b"".join(
        [len(part).to_bytes(4, "big") + part for part in (match_id.encode(), *entropies)]
    )
    return hmac.digest(secret, message, "sha256")
