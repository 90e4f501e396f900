"""Numbers that are others in rounds with few dice."""

import pytest

from arena.lab.solver import ByDice, ByDiceError, read_by_dice


def test_a_number_alone_is_that_of_all_rounds() -> None:
    assert read_by_dice("40") == ByDice(40)
    assert [ByDice(40).at(dice) for dice in (2, 10)] == [40, 40]


def test_a_second_number_is_that_of_rounds_with_few_dice() -> None:
    number = read_by_dice("2,4:5")
    assert number == ByDice(2, few=4, small=5)
    assert [number.at(dice) for dice in (2, 4, 5, 10)] == [5, 5, 2, 2]


@pytest.mark.parametrize("text", ["1", "2,4:5", "40,4:200"])
def test_it_is_written_as_it_is_read(text: str) -> None:
    assert str(read_by_dice(text)) == text


@pytest.mark.parametrize("text", ["", "0", "-1", "two", "2,", "2,4", "2,4:", "2,0:5", "2,4:5,6:7"])
def test_anything_else_is_told_with_what_is_allowed(text: str) -> None:
    with pytest.raises(ByDiceError, match="a number from 1, such as 2, nor one with another"):
        read_by_dice(text)
