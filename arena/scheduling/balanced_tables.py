"""Lists of tables of more than two seats with evenly distributed bots and meetings.

Guarantees, for n bots and s seats, checked by tests for all n up to 30 and s up to 10:

- every bot sits at equally many tables;
- every two bots meet, and no two meet more than three times as often as any other two
  (measured, not derived).

If all combinations are not more tables than the construction below, they are used: then every two
bots meet equally often. Otherwise the bots are placed on a circle, and a few tables (base tables)
are turned around the whole circle. This treats all bots equally; two bots meet as often as their
distance occurs in the base tables, which are chosen greedily so that distances occur evenly.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from math import comb

_MOST_TRIED = 3_000
"""Up to this many base tables, all are tried; otherwise a table is built seat by seat."""

Table = tuple[int, ...]


@lru_cache(maxsize=64)
def balanced_tables(bots: int, seats: int) -> tuple[Table, ...]:
    """Return the tables, as ascending positions from 0.

    Needs at least as many bots as seats.
    """
    turned = _turned_tables(bots, seats)
    if comb(bots, seats) <= len(turned):
        return tuple(combinations(range(bots), seats))
    return turned


@lru_cache(maxsize=4096)
def table_count(bots: int, seats: int) -> int:
    """Return the length of `balanced_tables`; it is cached for far more sizes than the tables."""
    return len(balanced_tables(bots, seats))


def _turned_tables(bots: int, seats: int) -> tuple[Table, ...]:
    meetings = [0] * (bots // 2 + 1)
    """The number of meetings of two bots, by their distance on the circle."""
    found: list[Table] = []
    while min(meetings[1:], default=1) == 0:
        base = _best_base(bots, seats, meetings)
        turns = sorted({_turn(base, by, bots) for by in range(bots)})
        found += turns
        # A base table with a rotational symmetry gives fewer tables.
        for distance, more in Counter(_occurrences(base, bots)).items():
            meetings[distance] += more * len(turns) // bots
    return tuple(found)


def _turn(base: Table, by: int, bots: int) -> Table:
    return tuple(sorted((at + by) % bots for at in base))


def _occurrences(base: Table, bots: int) -> Iterator[int]:
    """Yield the distance of each two seats, once for each meeting at it in a full turn."""
    for one, other in combinations(base, 2):
        distance = min((other - one) % bots, (one - other) % bots)
        yield distance
        if 2 * distance == bots:  # opposite bots meet twice in a full turn
            yield distance


def _best_base(bots: int, seats: int, meetings: list[int]) -> Table:
    if comb(bots - 1, seats - 1) <= _MOST_TRIED:
        tried = ((0, *rest) for rest in combinations(range(1, bots), seats - 1))
        return min(tried, key=lambda base: _unevenness(base, bots, meetings))
    base: Table = (0,)
    while len(base) < seats:
        longer = ((*base, at) for at in range(bots) if at not in base)
        base = min(longer, key=lambda table: _unevenness(table, bots, meetings))
    return base


def _unevenness(base: Table, bots: int, meetings: list[int]) -> tuple[int, int]:
    """Return the sort key of a base table: distances that never occur, then unevenness."""
    after = list(meetings)
    for distance in _occurrences(base, bots):
        after[distance] += 1
    return after[1:].count(0), sum(count * count for count in after)
