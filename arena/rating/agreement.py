"""How alike programs answer in the same positions, beyond what the field and obvious plays explain.

Each program's answers are predicted by a mixture of obvious plays, the other programs and chance:
first the kind of action (a bet or a doubt), then the action within its kind. The weights, one set
for each set of legal kinds, are fitted to the program by EM (Dempster, Laird and Rubin 1977). The
mixture leaves out the program that it is compared with, and the GROUP programs most like it: else a
group of copies would explain itself. If, given the answers of one, the other answers independently
as predicted, two programs agree in a position with the probability

    e = 1/2 sum over answers a of  (f1(a) p2(a) + f2(a) p1(a)),

with f the frequencies of their answers and p the predictions. This is the omega of Wollack (1997),
an index of answer copying in tests, with a mixture in place of its response model, and averaged
over both directions. An exact copy agrees with probability c, as often as a program agrees with
itself when it is asked again. The likeness is, in the manner of Cohen's kappa (1960),

    kappa = sum (x - e) / sum (c - e)

over the positions, x being the observed agreement: 0 is as predicted, 1 a copy. For a kappa k the
number of agreements has the mean sum m and at most the variance sum m (1 - m), m = e + k (c - e):
from it follow the interval (all k within 1.96 standard deviations, as Wilson's) and the test.

The test is whether kappa exceeds INDEPENDENT, which separately written programs with similar ideas
reach; p-values are corrected by Holm (1979) for the number of pairs. Where c exceeds e by less than
LEAST_OWN on average, two programs have too few answers of their own to be compared.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from arena.rating.elo import Z_95, FloatArray, IntArray
from arena.rating.holm import holm

GROUP: Final = 3
INDEPENDENT: Final = 0.5
LEAST_OWN: Final = 0.05
LEAST_CLASS: Final = 30
"""The least number of positions with the same legal kinds for which weights are fitted."""
MARKED: Final = 0.01
"""The corrected p-value below which a pair is marked."""
MOST_TOLD: Final = 5
"""The largest number of telling positions of a pair."""
_ROUNDS: Final = 25
_LEAST_CHANCE: Final = 0.02
"""The least share of chance in a mixture: asked only a few times, a program has unseen answers."""

Answer = tuple[str, str]
"""The kind of an action, such as a bet, and the action."""
Answers = Mapping[Answer, float]
"""How often a program gave each answer in a position; empty if it was not asked."""
Choices = Mapping[str, int]
"""The number of legal actions of each kind in a position."""
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Telling:
    """A position in which two programs agree."""

    position: int
    answer: Answer
    """Their most frequent common answer."""
    expected: float
    """The chance of agreement by independent answers."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two programs, by their numbers."""

    one: int
    other: int
    positions: int
    """The number of positions that both were asked; if 0, nothing below is known."""
    agreed: float
    """The share of them in which they agree."""
    expected: float
    """The share in which they would agree with independent answers."""
    copies: float
    """The share in which exact copies would agree."""
    kappa: float | None
    """None if the two have too few answers of their own to be compared."""
    low: float
    high: float
    """The 95 % interval of kappa."""
    p: float
    """The probability of at least this many agreements if kappa is INDEPENDENT."""
    telling: tuple[Telling, ...]
    """The positions in which they agree against the strongest expectation."""
    corrected: float = 1.0
    """`p`, corrected for the number of pairs."""

    @property
    def marked(self) -> bool:
        """Whether they are significantly more alike than independent programs, at MARKED."""
        return self.corrected < MARKED


def agreements(
    programs: Sequence[Sequence[Answers]],
    obvious: Sequence[Sequence[Answers]],
    choices: Sequence[Choices],
    pairs: Sequence[tuple[int, int]],
    tests: int | None = None,
) -> list[Agreement]:
    """Return the agreement of pairs of programs, in their order.

    Args:
        programs: By program and position, how often it gave each answer.
        obvious: The same for obvious plays.
        choices: By position, the number of legal actions of each kind.
        pairs: The pairs to compare.
        tests: The number of tests that `corrected` corrects for; at least that of `pairs`.
    """
    field = _Field(programs, obvious, choices)
    found = [field.compared(one, other) for one, other in pairs]
    corrected = holm([one.p for one in found], tests)
    return [replace(one, corrected=p) for one, p in zip(found, corrected, strict=True)]


class _Field:
    """Programs and obvious plays with their answers as arrays."""

    def __init__(
        self,
        programs: Sequence[Sequence[Answers]],
        obvious: Sequence[Sequence[Answers]],
        choices: Sequence[Choices],
    ) -> None:
        everybody = [*programs, *obvious]
        self._programs, self._positions = len(programs), len(choices)
        kinds, texts = [], []
        for at, legal in enumerate(choices):
            given = {answer for answers in everybody for answer in answers[at]}
            kinds += [(at, kind) for kind in sorted({*legal, *(kind for kind, _ in given)})]
            texts += [(at, *answer) for answer in sorted(given)]
        kind_at = {kind: number for number, kind in enumerate(kinds)}
        text_at = {text: number for number, text in enumerate(texts)}
        counts = np.zeros((len(everybody), len(texts)))
        for row, answers in enumerate(everybody):
            for at, said in enumerate(answers):
                for answer, count in said.items():
                    counts[row, text_at[at, *answer]] = count
        self._of_kind = np.array([kind_at[at, kind] for at, kind, _ in texts])
        self._at = np.array([at for at, *_ in texts])
        self._answers = [(kind, text) for _, kind, text in texts]
        self._kind_at = np.array([at for at, _ in kinds])
        totals = _sums(counts, self._at, self._positions)
        self._asked: BoolArray = totals > 0
        self._shares = _ratio(counts, totals[:, self._at])
        self._kinds = _sums(self._shares, self._of_kind, len(kinds))
        self._within = _ratio(self._shares, self._kinds[:, self._of_kind])
        named = np.bincount(self._of_kind, minlength=len(kinds)).astype(float)
        self._legal = np.maximum([choices[at].get(kind, 1.0) for at, kind in kinds], named)
        self._classes = _classes(choices)
        # An unbiased estimate of how often two answers of a program agree.
        mine, total = counts[: self._programs], totals[: self._programs]
        again = _ratio(_sums(mine * (mine - 1), self._at, self._positions), total * (total - 1))
        self._again = np.where(total > 1, again, 1.0)
        everyone = range(self._programs)
        self._alike = np.array(
            [[self._often(one, other) for other in everyone] for one in everyone]
        )

    def _both(self, one: int, other: int) -> BoolArray:
        """Return which positions both were asked."""
        both: BoolArray = np.logical_and(self._asked[one], self._asked[other])
        return both

    def _agreement(self, one: int, other: int) -> FloatArray:
        """Return how often they agree, by position."""
        return self._by_position(self._shares[one] * self._shares[other])

    def _by_position(self, values: FloatArray) -> FloatArray:
        """Return sums over the answers of each position."""
        sums: FloatArray = _sums(values[None], self._at, self._positions)[0]
        return sums

    def _often(self, one: int, other: int) -> float:
        """Return how often they agree where both were asked."""
        both = self._both(one, other)
        return float(self._agreement(one, other)[both].mean()) if both.any() else 0.0

    def _predicted(self, one: int, other: int) -> FloatArray:
        """Return the chances of the answers of `one`, predicted without `other`."""
        rest = [at for at in range(self._programs) if at not in (one, other)]
        rest.sort(key=lambda at: -self._alike[one, at])
        parts = rest[GROUP:] + list(range(self._programs, len(self._shares)))
        even = 1 / np.bincount(self._kind_at, minlength=self._positions)[self._kind_at]
        kinds = _mixture(
            self._kinds[one],
            self._kinds[parts],
            even,
            self._asked[parts],
            self._kind_at,
            self._classes[self._kind_at],
        )
        chance = (1 / self._legal)[self._of_kind]
        texts = _mixture(
            self._shares[one],
            self._within[parts],
            chance,
            self._kinds[parts] > 0,
            self._of_kind,
            self._classes[self._at],
        )
        predicted: FloatArray = texts * kinds[self._of_kind]
        return predicted

    def compared(self, one: int, other: int) -> Agreement:
        """Return the agreement of two programs; `corrected` is left to the caller."""
        both = self._both(one, other)
        if not both.any():
            return Agreement(one, other, 0, 0.0, 0.0, 0.0, None, -1.0, 1.0, 1.0, ())
        given = self._shares[one] * self._predicted(other, one)
        given += self._shares[other] * self._predicted(one, other)
        independent = self._by_position(given / 2)
        seen = self._agreement(one, other)
        copies = (self._again[one] + self._again[other]) / 2
        telling = self._telling(one, other, seen, independent)
        x, e, c = seen[both], independent[both], copies[both]
        kappa, low, high, p = None, -1.0, 1.0, 1.0
        if (own := float((c - e).mean())) >= LEAST_OWN:
            kappa = float((x - e).mean()) / own
            grid = np.linspace(-1, 1, 401)
            inside = grid[np.abs(_away(x, e, c, grid)) <= Z_95]
            low, high = (float(inside[0]), float(inside[-1])) if len(inside) else (kappa, kappa)
            p = float(ndtr(-_away(x, e, c, np.array([INDEPENDENT]))[0]))
        agreed, expected, alike = float(x.mean()), float(e.mean()), float(c.mean())
        count = int(both.sum())
        return Agreement(one, other, count, agreed, expected, alike, kappa, low, high, p, telling)

    def _telling(
        self, one: int, other: int, seen: FloatArray, expected: FloatArray
    ) -> tuple[Telling, ...]:
        found = []
        for at in np.argsort(expected - seen)[:MOST_TOLD].tolist():
            if seen[at] > expected[at]:
                (cells,) = np.nonzero(self._at == at)
                common = self._shares[one, cells] * self._shares[other, cells]
                answer = self._answers[int(cells[int(common.argmax())])]
                found.append(Telling(at, answer, float(expected[at])))
        return tuple(found)


def _away(
    seen: FloatArray, expected: FloatArray, copies: FloatArray, kappas: FloatArray
) -> FloatArray:
    """Return how many standard deviations the agreements are above the mean for each kappa."""
    means = expected + kappas[:, None] * (copies - expected)
    spread = np.sqrt(np.maximum(1e-9, (means * (1 - means)).sum(axis=1)))
    away: FloatArray = (seen.sum() - means.sum(axis=1)) / spread
    return away


def _mixture(
    said: FloatArray,
    parts: FloatArray,
    chance: FloatArray,
    speaks: BoolArray,
    group: IntArray,
    classes: IntArray,
) -> FloatArray:
    """Return the mixture of parts and chance that predicts best what was said.

    Args:
        said: (cells,): the shares of a program's answers.
        parts: (parts, cells): the shares of others.
        chance: (cells,): the shares by chance.
        speaks: (parts, groups): whether a part says anything in a group; else its shares are 0.
        group: (cells,): the shares of the cells of a group sum to 1.
        classes: (cells,): each class has weights of its own.

    Returns:
        (cells,): the mixture.
    """
    mixed = np.zeros(len(said))
    for one in np.unique(classes):
        inside = classes == one
        everything = np.vstack([parts[:, inside], chance[inside]])
        used = said[inside] > 0
        weights = np.full(len(everything), 1 / len(everything))
        likely, wanted = everything[:, used], said[inside][used]
        for _ in range(_ROUNDS if used.any() else 0):
            weights *= likely @ (wanted / (weights @ likely))
            weights /= weights.sum()
            weights[-1] = max(weights[-1], _LEAST_CHANCE)
            weights /= weights.sum()
        whole = weights[:-1] @ speaks[:, group[inside]] + weights[-1]
        mixed[inside] = weights @ everything / whole
    return mixed


def _classes(choices: Sequence[Choices]) -> IntArray:
    """Return the class of each position; positions with the same legal kinds are one class.

    All classes with fewer than LEAST_CLASS positions are merged.
    """
    sets = [frozenset(legal) for legal in choices]
    often = Counter(sets)
    numbers = {
        one: number for number, one in enumerate(often, start=1) if often[one] >= LEAST_CLASS
    }
    return np.array([numbers.get(one, 0) for one in sets])


def _sums(values: FloatArray, group: IntArray, groups: int) -> FloatArray:
    """Return sums over the cells of each group, (rows, groups)."""
    return np.array([np.bincount(group, row, groups) for row in values]).reshape(
        len(values), groups
    )


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return the quotients, 0 where the divisor is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
