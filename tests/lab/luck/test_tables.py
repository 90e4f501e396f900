"""A table of luck is the one that its name promises, and can be made again."""

import hashlib
import json
from collections.abc import Callable
from importlib.resources import files

import pytest

from arena.lab.luck import (
    BLOEFF,
    BLUFF,
    BLUFF_YOU,
    LuckTableError,
    TableName,
)
from arena.lab.luck.tables import (
    bloeff_table,
    bluff_table,
    bluff_you_table,
    read_card_table,
    read_roll_tables,
    read_table,
)
from tools.luck_tables import build_bloeff, build_bluff, build_bluff_you

READ: dict[TableName, tuple[Callable[[bytes, TableName], object], Callable[[], object]]] = {
    BLUFF: (read_table, bluff_table),
    BLUFF_YOU: (read_roll_tables, bluff_you_table),
    BLOEFF: (read_card_table, bloeff_table),
}


def content(name: TableName) -> bytes:
    return files("arena.lab.luck").joinpath(name.file).read_bytes()


@pytest.mark.parametrize("name", READ, ids=lambda name: name.file)
def test_the_shipped_table_is_the_named_one_and_small(name: TableName) -> None:
    assert hashlib.sha256(content(name)).hexdigest() == name.sha256
    assert len(content(name)) < 200_000
    read, shipped = READ[name]
    assert read(content(name), name) == shipped()


@pytest.mark.parametrize("name", READ, ids=lambda name: name.file)
def test_a_changed_table_is_refused(name: TableName) -> None:
    read, _ = READ[name]
    changed = content(name).replace(b"-2", b"-3", 1)
    assert changed != content(name)
    with pytest.raises(LuckTableError, match=rf"{name.file} has the SHA-256 [0-9a-f]{{64}}, not"):
        read(changed, name)


def test_a_table_whose_weights_are_not_those_of_dice_is_refused() -> None:
    document = json.loads(content(BLUFF))
    document["duels"]["1 1"][0][-1] += 1
    changed = json.dumps(document).encode()
    with pytest.raises(LuckTableError, match="weights"):
        read_table(changed, TableName("mine", hashlib.sha256(changed).hexdigest()))


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
    for values in bluff_you_table().values.values():
        centre, own, other = values
        assert centre[0] > centre[-1] and other[0] > other[-1]
        assert max(own) < 0 < min(centre[0], other[0])
