"""A table of luck is the one that its name promises, and can be made again."""

import hashlib
import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

from arena.games.bloeff.kit import luck as bloeff
from arena.games.bluff.kit import luck as bluff
from arena.games.bluff_you.kit import luck as bluff_you
from arena.lab.luck import LuckTableError, TableName
from tools.luck_tables import build_bloeff, build_bluff, build_bluff_you

TABLES = (bluff, bluff_you, bloeff)
of_each_game = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.TABLE.file)


def content(table: Any) -> bytes:
    return files(table.__package__).joinpath(table.TABLE.file).read_bytes()


@of_each_game
def test_the_shipped_table_is_the_named_one_and_small(table: Any) -> None:
    assert hashlib.sha256(content(table)).hexdigest() == table.TABLE.sha256
    assert len(content(table)) < 200_000
    assert table.read_table(content(table), table.TABLE) == table.luck_table()


@of_each_game
def test_a_changed_table_is_refused(table: Any) -> None:
    name = table.TABLE
    changed = content(table).replace(b"-2", b"-3", 1)
    assert changed != content(table)
    with pytest.raises(LuckTableError, match=rf"{name.file} has the SHA-256 [0-9a-f]{{64}}, not"):
        table.read_table(changed, name)


def test_a_table_whose_weights_are_not_those_of_dice_is_refused() -> None:
    document = json.loads(content(bluff))
    document["duels"]["1 1"][0][-1] += 1
    changed = json.dumps(document).encode()
    with pytest.raises(LuckTableError, match="weights"):
        bluff.read_table(changed, TableName("mine", hashlib.sha256(changed).hexdigest()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "matches"),
    [(build_bluff.table, 150), (build_bluff_you.table, 20), (build_bloeff.table, 20)],
)
def test_the_same_seed_makes_the_same_table(
    table: Callable[[int, str], bytes], matches: int
) -> None:
    assert table(matches, "7") == table(matches, "7")
    assert table(matches, "7") != table(matches, "8")


def test_what_is_rolled_and_dealt_is_worth_what_a_player_would_expect() -> None:
    """A chip of five points that can be taken from another is worth most, an own one nothing."""
    for values in bluff_you.luck_table().values():
        centre, own, other = values
        assert centre[0] > centre[-1] and other[0] > other[-1]
        assert max(own) < 0 < min(centre[0], other[0])
