"""What a seat recalls of a round: nodes and rows, and how the sample bot finds them."""

from collections.abc import Iterator

import pytest

from arena.lab.solver.recall import recall_nodes, row_count
from arena_sample_bots.cfr import first_rows, recalled_row

BETS = 12
"""With two dice in play."""


def histories(place: int = 0) -> Iterator[tuple[int, ...]]:
    """All histories after a place."""
    yield ()
    for bet in range(place + 1, BETS + 1):
        for rest in histories(bet):
            yield (bet, *rest)


def node_after(history: tuple[int, ...], recall: int) -> int:
    nodes, node = recall_nodes(BETS, recall), 0
    for bet in history:
        node = int(nodes.below[nodes.rows[node] + bet - nodes.places[node]])
    return node


@pytest.mark.parametrize("recall", [1, 2, 3])
def test_histories_share_a_node_if_their_last_bets_are_the_same(recall: int) -> None:
    known: dict[int, set[tuple[int, ...]]] = {}
    for history in histories():
        known.setdefault(node_after(history, recall), set()).add(history[-recall:])
    assert all(len(bets) == 1 for bets in known.values())
    assert len(known) == len(recall_nodes(BETS, recall).places)


def test_all_bets_recalled_are_histories() -> None:
    assert len(recall_nodes(BETS, BETS).places) == 2**BETS


@pytest.mark.parametrize("recall", [1, 2, 3, 4, BETS])
def test_the_bot_finds_the_rows(recall: int) -> None:
    rows = recall_nodes(BETS, recall).rows
    assert first_rows(BETS, recall)[-1] == rows[-1] == row_count(BETS, recall)
    for history in histories():
        assert recalled_row([*history], recall, BETS) == rows[node_after(history, recall)]
