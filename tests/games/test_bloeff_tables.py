"""The tables of Blöff's cards: as values, in JSON, and as files that somebody corrected."""

import json
import re
from pathlib import Path

import pytest

from arena.games import make_game
from arena.games.bloeff import (
    BloeffOptions,
    Card,
    DealRow,
    DeckRow,
    TableError,
    load_deal,
    load_deck,
    tables,
)
from tests.games.bloeff_positions import bloeff, number, play, position

DECK = Path(tables.__file__).with_name("deck.csv")
DEAL = DECK.with_name("deal.csv")
PAGE = Path(__file__).parents[2] / "docs" / "games" / "bloeff.md"


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


def test_tables_are_read_as_the_page_writes_them() -> None:
    (example,) = re.findall(r"```json\n(\{\s+\"deck.*?)```", PAGE.read_text(), re.DOTALL)
    written = json.loads(example)
    deck = BloeffOptions().deck
    for row in written["deck"]:
        shorter = {name: cell for name, cell in row.items() if cell is not None}
        assert DeckRow.model_validate(row) == DeckRow.model_validate(shorter)
        assert DeckRow.model_validate(row) in deck
        assert list(row) == DECK.read_text().splitlines()[0].split(",")
    words = {"deal": json.dumps(written["deal"]), "players_max": "3"}
    options = make_game("bloeff", words).options
    assert options.deal == BloeffOptions().deal[:2]


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
        (2, "number,-1,-1,blue,,4", "line 3: card '-1' is listed twice"),
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
        (3, "2,9", "line 3: 2 seats are listed twice"),
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


def test_a_table_may_begin_with_the_byte_order_mark_of_a_spreadsheet(tmp_path: Path) -> None:
    file = _written(tmp_path, "deck.csv", ["\ufeff" + DECK.read_text().rstrip()])
    assert load_deck(file) == load_deck(DECK)


def _written(folder: Path, name: str, lines: list[str]) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
