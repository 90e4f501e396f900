"""Groups of bots connected by results: components of a directed graph."""

import numpy as np
from numpy.typing import NDArray


def strong_groups(edges: NDArray[np.bool_]) -> list[list[int]]:
    """The strongly connected components of a graph (K, K), largest first, then by least member.

    edges[i, j]: there is an edge from i to j. With a symmetric matrix these are the connected
    components.
    """
    left = np.ones(len(edges), np.bool_)
    groups = []
    for bot in range(len(edges)):
        if left[bot]:
            group = left & _reached(edges & left, bot) & _reached(edges.T & left, bot)
            left &= ~group
            groups.append(np.flatnonzero(group).tolist())
    groups.sort(key=lambda group: (-len(group), group[0]))
    return groups


def _reached(edges: NDArray[np.bool_], start: int) -> NDArray[np.bool_]:
    """(K,): the nodes reachable from `start`, including itself."""
    seen = np.zeros(len(edges), np.bool_)
    seen[start] = True
    frontier = seen
    while frontier.any():
        frontier = edges[frontier].any(axis=0) & ~seen
        seen |= frontier
    return seen
