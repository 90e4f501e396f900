"""The possible outcomes of a draw, listed with their probabilities, or sampled where they are many.

What the games build theirs from: rolls of dice that are noted in order, and shuffles.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Final, TypeAlias, TypeVar

from arena.randomness import Randomness

ActionT = TypeVar("ActionT")
FaceT = TypeVar("FaceT", bound=Hashable)

MOST_OUTCOMES: Final = 100_000
"""Draws with more outcomes than this are sampled. Five dice for each of two seats have 63,504."""

Sampler: TypeAlias = Callable[[Randomness], ActionT]
"""Draws one outcome, each with its probability."""

ChanceOutcomes: TypeAlias = Mapping[ActionT, Fraction] | Sampler[ActionT]
"""Every outcome with its probability (above 0; the sum is 1), or a sampler of the outcomes."""


def equally_likely(outcomes: Sequence[ActionT]) -> dict[ActionT, Fraction]:
    """Different outcomes, each as likely as the others."""
    chance = Fraction(1, len(outcomes))
    return dict.fromkeys(outcomes, chance)


# Bounded by the faces of a die and the dice of a cup.
@cache
def rolls(faces: tuple[FaceT, ...], count: int) -> Mapping[tuple[FaceT, ...], Fraction]:
    """Return the rolls of `count` dice, each noted in the order of `faces`."""
    orders = factorial(count)
    return {
        dice: Fraction(orders // prod(map(factorial, Counter(dice).values())), len(faces) ** count)
        for dice in combinations_with_replacement(faces, count)
    }


def orders(cards: Sequence[FaceT]) -> int:
    """Return the number of different orders of cards, some of which may be equal."""
    return factorial(len(cards)) // prod(map(factorial, Counter(cards).values()))


def shuffles(cards: Sequence[FaceT]) -> Iterator[tuple[FaceT, ...]]:
    """Yield the different orders of cards, some of which may be equal; all are equally likely."""
    left = Counter(cards)

    def continued(order: tuple[FaceT, ...]) -> Iterator[tuple[FaceT, ...]]:
        if len(order) == len(cards):
            yield order
            return
        for card in list(left):
            if left[card]:
                left[card] -= 1
                yield from continued((*order, card))
                left[card] += 1

    return continued(())
