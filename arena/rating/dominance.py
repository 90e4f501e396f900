"""Who beats whom for certain: the cycles that no single number can show, and who is unbeaten.

A bot beats another if the confidence sequence of the share it took is above one half
(`arena.rating.confidence_sequence`); a tie is half a point. The sequence holds at all looks
together, because boards are looked at often. Of many pairs some look decided by chance, so the
sequence of each of n pairs has the error rate 5 % / n (Bonferroni): the probability that any edge
is ever wrong is at most 5 %, and so is that of a cycle or a defeat that does not exist, however the
pairs depend on each other. Pairs that have not met count, too: else the first to meet would use up
the error rate.

The guarantee is for the present bots. A bot that joins adds pairs, with chances of error.
"""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic

import numpy as np
from numpy.typing import NDArray

from arena.rating.confidence_sequence import log_evidence
from arena.rating.head_to_head import HeadToHead
from arena.rating.results import BotT
from arena.wording import listed

ERROR_RATE: Final = 0.05
"""The largest probability that any edge is wrong at any look."""
_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class Dominance(Generic[BotT]):
    """The edges of a head-to-head matrix that hold simultaneously, and what follows from them."""

    bots: tuple[BotT, ...]
    beats: NDArray[np.bool_]
    """(K, K): whether the row's bot beats the column's."""
    shares: tuple[float, ...]
    """The share that each bot of the cycle took from the next one, 0 to 1."""
    cycle: tuple[BotT, ...]
    """A shortest cycle: each bot beats the next one, and the last the first. () without one."""
    unbeaten: tuple[BotT, ...]
    """The bots that beat some bot, and that no bot beats, in the order of `bots`."""


def dominance(matrix: HeadToHead[BotT]) -> Dominance[BotT]:
    """Return the edges that hold for all pairs and at all looks together at 95 %.

    Args:
        matrix: The results of all pairs, under the ladder's score rule.
    """
    edges = _edges(matrix)
    numbers = _shortest_cycle(edges)
    after = [*numbers[1:], *numbers[:1]]
    return Dominance(
        matrix.bots,
        edges,
        tuple(float(matrix.share[at, to]) for at, to in zip(numbers, after, strict=True)),
        tuple(matrix.bots[at] for at in numbers),
        tuple(
            bot for at, bot in enumerate(matrix.bots) if edges[at].any() and not edges[:, at].any()
        ),
    )


def dominance_in_words(found: Dominance[BotT], name: Callable[[BotT], str]) -> str:
    """Return a sentence on a cycle, and one on who is unbeaten; "" if no pair is decided."""
    sentences = []
    if found.cycle:
        names = [name(bot) for bot in found.cycle]
        chain = ", ".join(
            f"{winner} beats {loser} ({share:.0%})"
            for winner, loser, share in zip(
                names, [*names[1:], names[0]], found.shares, strict=True
            )
        )
        sentences.append(f"A cycle, which no order by one number shows: {chain}.")
    if found.unbeaten:
        named = [name(bot) for bot in found.unbeaten[:_MOST_NAMED]]
        if (more := len(found.unbeaten) - _MOST_NAMED) > 0:
            named.append(f"{more} more")
        sentences.append(f"Shown to beat a bot, and not shown to be beaten: {listed(named)}.")
    if not sentences:
        return ""
    return " ".join(
        [*sentences, "This holds at 95 %, for all pairs together and however often one looks."]
    )


def _edges(matrix: HeadToHead[BotT]) -> NDArray[np.bool_]:
    pairs = matrix.wins + matrix.ties + matrix.losses
    points = matrix.wins + matrix.ties / 2
    edges = points > pairs / 2
    limit = math.log(max(1, math.comb(len(edges), 2)) / ERROR_RATE)
    results = zip(points[edges].tolist(), pairs[edges].tolist(), strict=True)
    edges[edges] = [log_evidence(won, count, 0.5) > limit for won, count in results]
    return edges


def _shortest_cycle(edges: NDArray[np.bool_]) -> list[int]:
    """Return the numbers of the bots of a shortest cycle, beginning with the first bot; or []."""
    from scipy.sparse.csgraph import connected_components

    if not edges.any():
        return []
    _, parts = connected_components(edges, connection="strong")
    shared = np.bincount(parts)[parts] > 1
    best: list[int] = []
    for start in np.flatnonzero(shared).tolist():
        found = _cycle_through(start, edges, len(best) or len(edges) + 1)
        if found:
            best = found
        if len(best) == 3:  # no two bots beat each other
            break
    return best


def _cycle_through(start: int, edges: NDArray[np.bool_], shorter_than: int) -> list[int]:
    """Return a shortest cycle through `start` with fewer than `shorter_than` bots, or []."""
    before, waiting = {start: -1}, deque([(start, 1)])
    while waiting:
        at, length = waiting.popleft()
        if length >= shorter_than:
            return []
        for to in np.flatnonzero(edges[at]).tolist():
            if to == start:
                path = [at]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            if to not in before:
                before[to] = at
                waiting.append((to, length + 1))
    return []
