"""A turn asks a person in plain words what it may do."""

import pytest

from arena.games.bloeff.kit import controls as of_bloeff
from arena.games.bluff.kit import controls as of_bluff
from arena.games.skull import Bid, Pass
from arena.games.skull.kit import controls as of_skull
from tests.games.bloeff_positions import BLOEFF, number, position
from tests.games.bluff_table import after, bluff, cups_of, rolled
from tests.games.test_skull import FLOWER, SKULL, Table

NAMES = ("Ann", "Bob", "Cem")


@pytest.mark.parametrize(
    ("bets", "question"),
    [
        ([], "You open the round: place a bet."),
        (["2,5"], "Ann bets 2 × 5. Bet higher, or doubt it."),
        (["2,5", "2,*"], "Bob bets 2 × ★. Bet higher, or doubt it."),
        (["4,*"], "Ann bets 4 × ★. Nothing higher is left: you have to doubt it."),
    ],
)
def test_in_bluff_to_bet_or_to_doubt(bets: list[str], question: str) -> None:
    game = bluff()
    state = after(game, rolled(game, cups_of(2, 2)), *bets)
    assert state.turn is not None
    assert of_bluff.question(game.view(state, state.turn), NAMES) == question


def test_in_skull_to_lay_to_bid_to_turn_over_or_to_give_up() -> None:
    table, asked = Table(), []

    def ask(seat: int) -> None:
        asked.append(of_skull.question(table.game.view(table.state, seat), NAMES))

    ask(1)
    table.all_lay(FLOWER, FLOWER, FLOWER)
    ask(0)
    table.do(0, Bid(2))
    ask(1)
    table.do(1, Pass()).do(2, Pass())
    ask(0)
    table = Table().all_lay(SKULL, FLOWER, FLOWER).do(0, Bid(3))
    ask(0)
    assert asked == [
        "Round 1: lay your first disc; all seats lay theirs at the same time.",
        "Add a disc, or bid how many of the 3 discs you can turn over without a skull.",
        "Ann bids 2 of 3 discs. Raise, or pass?",
        "You have to turn over 1 more disc. Whose?",
        "You turned over your own skull: choose the disc that you give up for good.",
    ]


def test_in_bloeff_an_announcement_above_the_limit_is_called_a_bust() -> None:
    view = BLOEFF.view(position("3 3", "1 1", total=7, limit=10), 0)
    choices = of_bloeff.options([number(3, total) for total in (10, 11)], view, NAMES)
    assert [option.words for _, option in choices] == [
        "Lay 3 and announce 10",
        "Lay 3 and announce 11 (bust)",
    ]
