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
    """Return (K,) the group of each bot, named by its first member.

    A group is a largest set of bots such that no cut through the links among them weighs less than
    `least`: a k-edge-connected component. There is one such division into groups, so the order of
    the bots does not matter. A bot that is in no such set is a group of its own, and its links do
    not help to connect others.

    Args:
        weights: (K, K), symmetric, zero on the diagonal.
        least: The least weight of a cut within a group.
    """
    groups = np.arange(len(weights))
    least -= _ROUNDING
    parts = [np.arange(len(weights))]
    while parts:
        part = parts.pop()
        links = weights[np.ix_(part, part)]
        kept = _linked_enough(links, least)
        if not kept.any():
            continue
        if not kept.all():
            part, links = part[kept], links[np.ix_(kept, kept)]
        pieces = _pieces(links, least)
        numbers = np.unique(pieces)
        if len(numbers) > 1:
            parts += [part[pieces == number] for number in numbers]
        else:
            groups[part] = part[0]
    return groups


def _linked_enough(weights: FloatArray, least: float) -> NDArray[np.bool_]:
    """Return (K,) whether a node is left when nodes with links of less than `least` are removed.

    The removal is repeated, because it may leave others with too few links.
    """
    left, links = np.ones(len(weights), np.bool_), weights.sum(axis=1)
    while (few := left & (links < least)).any():
        left &= ~few
        links -= weights[:, few].sum(axis=1)
    return left


def _pieces(weights: FloatArray, least: float) -> IntArray:
    """Return (K,) the piece of each bot; cuts that weigh less than `least` divide the pieces.

    If there is one piece, it has no such cut. Scans in maximum-adjacency order (Nagamochi and
    Ibaraki 1992) find nodes that can be contracted. If there are none, the last node of the scan is
    linked to all others by less than `least`: such nodes are removed, each as a piece of its own. A
    piece may have further cuts, because it was contracted by links that are now cut. A few scans
    are needed, at O(K^2) each.
    """
    node = np.arange(len(weights))
    """The node into which each bot was contracted."""
    while len(weights) > 1:
        numbers = _contracted(weights, least)
        if numbers.max() + 1 == len(weights):
            break
        weights = _summed(_summed(weights, numbers).T, numbers)
        np.fill_diagonal(weights, 0.0)
        node = numbers[node]
    left = _linked_enough(weights, least)
    left[weights.sum(axis=1).argmin()] = False  # so that rounding cannot prevent a cut
    return np.where(left, 0, 1 + np.arange(len(weights)))[node]


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
