"""The outcomes of chance draws: listed with their probabilities, or sampled if there are many.

Games compose their draws from two kinds: dice rolls sorted by face, and shuffles.
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
"""A function that draws one outcome according to the probabilities."""

ChanceOutcomes: TypeAlias = Mapping[ActionT, Fraction] | Sampler[ActionT]
"""All outcomes with their probabilities (each above 0, sum 1), or a sampler of the outcomes."""


def equally_likely(outcomes: Sequence[ActionT]) -> dict[ActionT, Fraction]:
    """Return a uniform distribution over distinct outcomes."""
    chance = Fraction(1, len(outcomes))
    return dict.fromkeys(outcomes, chance)


# The cache is bounded by the faces of a die and the dice of a cup.
@cache
def rolls(faces: tuple[FaceT, ...], count: int) -> Mapping[tuple[FaceT, ...], Fraction]:
    """Return the distribution of the sorted rolls of `count` fair dice.

    Args:
        faces: The faces of one die, in sorting order.
        count: The number of dice.

    Returns:
        The probability of each sorted roll, by the multinomial distribution.
    """
    orders = factorial(count)
    return {
        dice: Fraction(orders // prod(map(factorial, Counter(dice).values())), len(faces) ** count)
        for dice in combinations_with_replacement(faces, count)
    }


def orders(cards: Sequence[FaceT]) -> int:
    """Return the number of distinct orders of cards, of which some may be equal."""
    return factorial(len(cards)) // prod(map(factorial, Counter(cards).values()))


def shuffles(cards: Sequence[FaceT]) -> Iterator[tuple[FaceT, ...]]:
    """Return an iterator over the distinct, equally likely orders of cards."""
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
