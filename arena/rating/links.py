"""Groups of bots connected by results: components of a directed graph."""

import numpy as np
from numpy.typing import NDArray


def strong_groups(edges: NDArray[np.bool_]) -> list[list[int]]:
    """The strongly connected components of a graph (K, K), largest first, then by least member.

    edges[i, j]: there is an edge from i to j. With a symmetric matrix these are the connected
    components.
    """
    left, back = np.ones(len(edges), np.bool_), np.ascontiguousarray(edges.T)
    # Those without an edge from or to others are groups of their own, and there may be many.
    ends = left
    while ends.any():
        ends = left & ~(edges[left].any(axis=0) & back[left].any(axis=0))
        left = left & ~ends
    groups = [[bot] for bot in np.flatnonzero(~left).tolist()]
    for bot in np.flatnonzero(left).tolist():
        if left[bot]:
            group = _reached(edges, bot, left) & _reached(back, bot, left)
            left &= ~group
            groups.append(np.flatnonzero(group).tolist())
    groups.sort(key=lambda group: (-len(group), group[0]))
    return groups


def _reached(edges: NDArray[np.bool_], start: int, within: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(K,): the nodes `within` that are reachable from `start`, including itself."""
    seen = np.zeros(len(edges), np.bool_)
    seen[start] = True
    frontier = seen
    while frontier.any():
        frontier = edges[frontier].any(axis=0) & within & ~seen
        seen |= frontier
    return seen
