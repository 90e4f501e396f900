"""Groups of bots connected by results: components of a directed graph, and well-linked groups."""

import numpy as np
from numpy.typing import NDArray

from arena.rating.elo import FloatArray, IntArray

_ROUNDING = 1e-6
"""The tolerance for rounding; it is larger than the rounding errors of sums of weights."""


def strong_groups(edges: NDArray[np.bool_]) -> list[list[int]]:
    """Return the strongly connected components of a graph, largest first, then by least member.

    With a symmetric matrix these are the connected components.

    Args:
        edges: (K, K), whether there is an edge from i to j.

    Returns:
        The nodes of each component, ascending.
    """
    left, back = np.ones(len(edges), np.bool_), np.ascontiguousarray(edges.T)
    # Nodes without an edge from or to others are groups of their own, and there may be many.
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
    """Return (K,) whether each node is reachable from `start`, itself included, in `within`."""
    seen = np.zeros(len(edges), np.bool_)
    seen[start] = True
    frontier = seen
    while frontier.any():
        frontier = edges[frontier].any(axis=0) & within & ~seen
        seen |= frontier
    return seen


def well_linked(weights: FloatArray, least: float) -> IntArray:
    """Return (K,) the group of each bot; no cut inside a group weighs less than `least`.

    Scans in maximum-adjacency order (Nagamochi and Ibaraki 1992) find nodes that can be contracted.
    If there are none, nodes linked by less than `least` become groups of their own and are left
    out. Their links no longer count, so a group may be found smaller than it is but never larger.
    A few scans are needed, at O(K^2) each.

    Args:
        weights: (K, K), symmetric, zero on the diagonal.
        least: The least weight of a cut within a group.
    """
    groups = np.arange(len(weights))
    node = np.arange(len(weights))
    """The node into which each bot was contracted; -1 if its group is final."""
    least -= _ROUNDING
    while len(weights) > 1:
        numbers = _contracted(weights, least)
        if numbers.max() + 1 == len(weights):
            linked = weights.sum(axis=1) >= least
            weights = weights[np.ix_(linked, linked)]
            numbers = np.where(linked, np.cumsum(linked) - 1, -1)
        else:
            weights = _summed(_summed(weights, numbers).T, numbers)
            np.fill_diagonal(weights, 0.0)
        node = np.where(node >= 0, numbers[node], -1)
        members = np.flatnonzero(node >= 0)
        _, first, inverse = np.unique(node[members], return_index=True, return_inverse=True)
        groups[members] = members[first][inverse]
    return groups


def _contracted(weights: FloatArray, least: float) -> IntArray:
    """Return (G,) new numbers of the nodes, from 0; nodes with the same number can be contracted.

    They are those for which a scan in maximum-adjacency order finds that no cut between them weighs
    less than `least`. The scan begins at the node with most links.
    """
    count = len(weights)
    leader = np.arange(count)
    attached = _ROUNDING / 2 * weights.sum(axis=1) / max(float(weights.sum()), 1.0)
    for _ in range(count):
        scanned = int(attached.argmax())
        row = weights[scanned]
        attached += row
        attached[scanned] = -np.inf
        joined = leader[(attached >= least) & (row > 0)]
        while len(joined := joined[joined != leader[scanned]]):
            leader[leader == joined[0]] = leader[scanned]
            joined = joined[1:]
    return np.unique(leader, return_inverse=True)[1].astype(np.int64)


def _summed(rows: FloatArray, numbers: IntArray) -> FloatArray:
    """Return the sums of the rows with the same number, in the order of the numbers."""
    order = np.argsort(numbers, kind="stable")
    starts = np.searchsorted(numbers[order], np.arange(int(numbers.max()) + 1))
    return np.add.reduceat(rows[order], starts, axis=0)
