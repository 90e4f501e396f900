"""A game's draws with their exact probabilities, enumerated without describing them twice."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeVar

from arena.randomness import Randomness

T = TypeVar("T")


def outcomes(draw: Callable[[Randomness], T]) -> Iterator[tuple[T, Fraction]]:
    """Yield what `draw` can return with its exact probability, once per path of draws."""
    script: list[int] = []
    while True:
        path = _ScriptedRandomness(script)
        value = draw(path)
        yield value, path.probability
        script = path.next_script()
        if not script:
            return


class _ScriptedRandomness:
    """A source that returns the numbers of a script, then zeros; it computes the next script."""

    def __init__(self, script: Sequence[int]) -> None:
        self._script = script
        self._taken: list[tuple[int, int]] = []
        self._by_key: dict[str, int] = {}

    @property
    def probability(self) -> Fraction:
        """The probability of the path taken."""
        probability = Fraction(1)
        for _, bound in self._taken:
            probability /= bound
        return probability

    def below(self, key: str, bound: int) -> int:
        """Return the script's next number for a new key, and the same number for a known key."""
        if key not in self._by_key:
            position = len(self._taken)
            number = self._script[position] if position < len(self._script) else 0
            self._taken.append((number, bound))
            self._by_key[key] = number
        return self._by_key[key]

    def next_script(self) -> list[int]:
        """Return the script of the next path; [] after the last."""
        taken = list(self._taken)
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        if not taken:
            return []
        return [number for number, _ in taken[:-1]] + [taken[-1][0] + 1]
