"""Formats by name."""

import pytest

from arena.scheduling.formats import FormatName, make_format
from arena.scheduling.gauntlet import Gauntlet
from arena.scheduling.knockout import Knockout
from arena.scheduling.knockout_tables import TableKnockout
from arena.scheduling.pairings import FormatError
from arena.scheduling.round_robin import RoundRobin
from arena.scheduling.swiss import Swiss


def made(name: FormatName, *, field: int = 9, seats: int = 2, rounds: int | None = None) -> object:
    return make_format(name, field=field, seats=seats, blocks=3, rounds=rounds, seed="s")


def test_each_name_makes_its_format_with_its_usual_rounds() -> None:
    assert made(FormatName.ROUND_ROBIN, seats=4) == RoundRobin(4, 3, 1, "s")
    assert made(FormatName.GAUNTLET, rounds=2) == Gauntlet(2, 3, 2, "s")
    assert made(FormatName.SWISS) == Swiss(3, 4, "s")
    assert made(FormatName.SWISS, seats=3) == Swiss(3, 4, "s", 3)
    assert made(FormatName.KNOCKOUT) == Knockout(3, "s")
    assert made(FormatName.KNOCKOUT, seats=4) == TableKnockout(3, "s", 4, 9)


@pytest.mark.parametrize(
    ("name", "changed", "sentence"),
    [
        (FormatName.SWISS, {"seats": 10}, "a Swiss needs at least 10 bots"),
        (FormatName.SWISS, {"seats": 3, "rounds": 101}, "at most 100 rounds"),
        (FormatName.KNOCKOUT, {"seats": 10}, "a table of 10 needs at least 10 bots"),
        (FormatName.KNOCKOUT, {"rounds": 3}, "follow from the number of bots"),
        (FormatName.ROUND_ROBIN, {"rounds": 0}, "at least one"),
        (FormatName.GAUNTLET, {"field": 1}, "at least 2 bots"),
    ],
)
def test_what_cannot_be_played_is_refused(
    name: FormatName, changed: dict[str, int], sentence: str
) -> None:
    with pytest.raises(FormatError, match=sentence):
        made(name, **changed)
