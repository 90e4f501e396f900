"""Randomness of matches from a whole number: keyed draws, as in every match of the arena."""

import hmac
import secrets

from arena.randomness import KeyedRandomness


def fresh_seed() -> int:
    """Return a new random seed."""
    return secrets.randbits(63)


def match_key(seed: int, number: int) -> bytes:
    """Return the key of all that is drawn in match `number` of a seed, counted from 0."""
    return hmac.digest(str(seed).encode(), f"match {number}".encode(), "sha256")


def match_randomness(seed: int, number: int) -> KeyedRandomness:
    """Return the dealer's source of draws in match `number` of a seed."""
    return KeyedRandomness(match_key(seed, number))
