"""Every option of Blöff at its alternative, and the tables that it may be given."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from arena.games.bloeff import (
    BloeffOptions,
    BloeffPhase,
    Card,
    DealRow,
    Direction,
    Doubted,
    Ending,
    TableError,
    load_deal,
    load_deck,
    tables,
)
from arena.games.game import DEALER
from arena.randomness import KeyedRandomness
from tests.games.bloeff_positions import (
    A,
    B,
    C,
    D,
    announceable,
    bloeff,
    cards,
    number,
    play,
    position,
    red,
    sizes,
)

HANDS = ("2 2 3", "1 1 1", "0 0 0", "4 4 4")
DECK = Path(tables.__file__).with_name("deck.csv")
DEAL = DECK.with_name("deal.csv")


def test_below_zero_may_force_a_bluff_bo_7() -> None:
    game = bloeff(below_zero="bluff")
    after = play(position("-2 1 1", "1 1", total=1), number(-2, 0), B, game=game)
    assert after.news[0] == Doubted(A, B, Card.MINUS_TWO, 0, -1, False, ())


def test_any_total_from_0_to_99_may_be_announced_bo_12() -> None:
    game = bloeff(announce_range="any")
    assert announceable(position(*HANDS, total=9), 2, game) == list(range(100))


def test_penalties_are_parameters_bo_16_17_21() -> None:
    game = bloeff(doubt_penalty=1, bust_penalty=3, call_penalty=5)
    before = position(*HANDS, total=9)
    assert sizes(play(before, number(2, 9), B, game=game))[A] == 2 + 1
    assert sizes(play(before, number(2, 11), game=game))[A] == 2 + 3
    assert sizes(play(position("2 2", "1", total=9), number(2, 9), game=game))[A] == 1 + 5


def test_without_a_penalty_a_caught_last_card_still_ends_the_match_bo_19() -> None:
    game = bloeff(doubt_penalty=0)
    after = play(position("2", "1 1", total=9), number(2, 9), B, game=game)
    assert after.ending is Ending.EMPTY_HAND


def test_the_referee_may_call_for_everybody_bo_16() -> None:
    game = bloeff(call_mode="auto")
    before = position("2 2", "1 1 1")
    after = play(before, number(2, 2), game=game)
    assert sizes(after) == (1, 3)
    assert not game.view(before, A).call_due


def test_a_draw2_may_cost_the_turn_bo_9() -> None:
    game = bloeff(draw2_ends_turn=True)
    after = play(position(*HANDS, waiting={B: "draw2 draw2"}), number(2, 2), game=game)
    assert (after.on_turn, sizes(after)[B], after.waiting[B]) == (C, 5, cards("draw2"))


def test_a_caught_card_may_return_bo_21() -> None:
    game = bloeff(caught_card_returns=True)
    caught = play(position(*HANDS, total=9, draw_pile="4 skip"), number(2, 9), B, game=game)
    assert caught.hands[A] == cards("2 2 3 4 skip")
    honest = play(position(*HANDS, total=6), number(2, 8), B, game=game)
    assert sizes(honest)[A] == 2


@pytest.mark.parametrize(
    ("direction", "doubters", "chosen"),
    [(1, (B, C), B), (1, (A, C), A), (-1, (A, B), B), (-1, (A, C), C)],
)
def test_the_doubter_may_be_the_next_in_turn_order_bo_f3(
    direction: int, doubters: tuple[int, ...], chosen: int
) -> None:
    game = bloeff(doubt_choice="turn_order")
    before = position(*HANDS, total=4, on_turn=D, direction=Direction(direction))
    after = play(before, number(4, 4), *doubters, game=game)
    assert after.on_turn == chosen


def test_all_doubts_may_be_published_bo_f2() -> None:
    game = bloeff(publish_ballots="all", doubt_choice="turn_order")
    after = play(position(*HANDS, total=9), number(2, 9), B, D, game=game)
    assert after.news[0] == Doubted(A, B, Card.TWO, 9, 11, False, (B, D))
    assert game.view(after, None) == bloeff().view(after, None)


def test_points_are_parameters_bo_24() -> None:
    game = bloeff(points_blue=3, points_other=5)
    end = play(position("2", "1 skip", "reverse"), number(2, 2), game=game)
    assert game.scores(end) == (0, 8, 5)


def test_fewer_cards_may_decide_equal_points_bo_25() -> None:
    game = bloeff(final_tie="fewest_cards")
    end = play(position("2", "1 1", "skip", "draw2"), number(2, 2))
    assert bloeff().placing(end) == (1, 2, 2, 2)
    assert game.placing(end) == (1, 4, 2, 2)


def test_limits_first_seat_and_the_cap_are_parameters_bo_3_5_23() -> None:
    game = bloeff(limits=(4, 1), first_seat=1, max_turns=2)
    start = game.start(2)
    state = game.apply(start, DEALER, game.draw(start, KeyedRandomness(bytes(32))))
    assert (state.on_turn, game.view(state, None).limit) == (1, 4)
    before = position("2 2 2", "1 1", limit=1, game=game)
    assert play(before, number(2, 2), game=game).ending is Ending.LAST_LIMIT
    capped = position("2 2 2", "1 1", limit=4, turn=2, game=game)
    assert play(capped, number(2, 2), game=game).ending is Ending.TURN_CAP
    assert game.longest(2) == 4


def test_a_skipped_turn_counts_towards_the_cap_bo_23() -> None:
    game = bloeff(max_turns=2)
    after = play(position("skip 1 1", "1 1"), red("skip", B), game=game)
    assert (after.phase, after.turn, after.ending) == (BloeffPhase.OVER, 2, Ending.TURN_CAP)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"players_min": 5, "players_max": 4}, "players_min"),
        ({"players_max": 7}, "no row for 7 seats"),
        ({"first_seat": 2}, "first_seat"),
        ({"limits": (4, 6)}, "limits must fall"),
        ({"limits": ()}, "limits"),
        ({"limits": (100,)}, "limits"),
        ({"deal": (DealRow(seats=2, cards=27),)}, "deal, row 1: 2 × 27 = 54"),
        ({"deal": ()}, "deal"),
        ({"deck": ()}, "deck"),
        ({"deck": BloeffOptions().deck[1:]}, "deck, row 6: no number card has the value -2"),
        ({"red_order": "newest_first"}, "red_order"),
        ({"max_turns": 0}, "max_turns"),
        ({"house": 1}, "house"),
    ],
)
def test_unusable_options_are_refused_by_name(options: Any, reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        BloeffOptions(**options)


def test_options_carry_the_tables_and_survive_json() -> None:
    options = BloeffOptions(deck=load_deck(DECK), deal=(DealRow(seats=2, cards=12),), players_max=2)
    written = options.model_dump(mode="json")
    assert written["deck"][0] == {
        "class": "number",
        "name": "-2",
        "value": -2,
        "colour": "blue",
        "effect": None,
        "count": 4,
    }
    assert BloeffOptions.model_validate(written) == options
    assert options.changed() == {"deal": [{"seats": 2, "cards": 12}], "players_max": 2}
    assert BloeffOptions().changed() == {}


@pytest.mark.parametrize(
    ("line", "text", "reason"),
    [
        (1, "class,name,value,colour,effect", "the columns are class,name,value,colour,effect,"),
        (2, "number,-2,-2,blue,,3", "line 8: the number cards add up to 33, the rulebook has 34"),
        (2, "number,-2,-2,blue,,four", "line 2: count"),
        (2, "number,-2,-2,blue,,0", "line 2: count"),
        (2, "number,-3,-3,blue,,4", "line 2: value"),
        (2, "number,two,-2,blue,,4", "line 2: a number card is named by its value"),
        (2, "number,-2,-2,blue,skip,4", "line 2: a number card has a value and no effect"),
        (2, "number,-1,-1,blue,,4", "line 3: card '-1' stands here for a second time"),
        (2, "number,-2,-2,blue,4", "line 2: 5 cells instead of 6"),
        (2, "number,-2,-2,Blue,,4", "line 2: colour"),
        (2, "figure,-2,-2,blue,,4", "line 2: class"),
        (9, "action,reverse,,red,reverse,6", "line 9: cards of effect draw2 and skip are red"),
        (10, "action,draw2,,plain,draw2,6", "line 10: cards of effect draw2 and skip are red"),
        (10, "action,draw2,1,red,draw2,6", "line 10: an action card has an effect and no value"),
        (10, "action,draw2,,red,explode,6", "line 10: effect"),
        (10, "action,take,,red,draw2,6", "line 10: an action card is named by its effect"),
        (11, "action,skip,,red,skip,5", "line 11: the action cards add up to 17"),
    ],
)
def test_a_wrong_deck_is_refused_with_its_line(
    line: int, text: str, reason: str, tmp_path: Path
) -> None:
    lines = DECK.read_text().splitlines()
    lines[line - 1] = text
    with pytest.raises(TableError, match=reason) as refusal:
        load_deck(_written(tmp_path, "my_deck.csv", lines))
    assert str(refusal.value).startswith("my_deck.csv, line ")


def test_a_deck_without_a_value_is_refused(tmp_path: Path) -> None:
    lines = [line for line in DECK.read_text().splitlines() if not line.startswith("number,3,")]
    with pytest.raises(TableError, match="line 7: no number card has the value 3"):
        load_deck(_written(tmp_path, "deck.csv", lines))


@pytest.mark.parametrize(
    ("line", "text", "reason"),
    [
        (2, "2,27", "line 2: 2 × 27 = 54 cards are more than the 52"),
        (3, "2,9", "line 3: 2 seats stand here for a second time"),
        (4, "4,0", "line 4: cards"),
        (5, "x,7", "line 5: seats"),
    ],
)
def test_a_wrong_deal_is_refused_with_its_line(
    line: int, text: str, reason: str, tmp_path: Path
) -> None:
    lines = DEAL.read_text().splitlines()
    lines[line - 1] = text
    with pytest.raises(TableError, match=reason):
        load_deal(_written(tmp_path, "deal.csv", lines))


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    for lines in ([], DEAL.read_text().splitlines()[:1]):
        with pytest.raises(TableError, match="line 1"):
            load_deal(_written(tmp_path, "deal.csv", lines))


def test_a_corrected_deck_is_played_with(tmp_path: Path) -> None:
    text = DECK.read_text()
    text = text.replace("number,4,4,blue,,5", "number,4,4,blue,,4")
    text = text.replace("number,-2,-2,blue,,4", "number,-2,-2,green,,5")
    deck = load_deck(_written(tmp_path, "deck.csv", text.splitlines()))
    game = bloeff(deck=deck)
    assert game.start(2).draw_pile.count(Card.MINUS_TWO) == 5
    end = play(position("2", "-2 1"), number(2, 2), game=game)
    assert game.scores(end) == (0, 3)


def _written(folder: Path, name: str, lines: list[str]) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
