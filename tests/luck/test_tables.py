"""A table of luck is the one that its name promises, and can be made again."""

import hashlib
import json
from importlib.resources import files

import pytest

from arena.luck import BLUFF, LuckTableError, TableName
from arena.luck.build_bluff import table
from arena.luck.tables import bluff_table, read_table


def content() -> bytes:
    return files("arena.luck").joinpath(BLUFF.file).read_bytes()


def test_the_shipped_table_is_the_named_one_and_small() -> None:
    assert hashlib.sha256(content()).hexdigest() == BLUFF.sha256
    assert len(content()) < 200_000
    assert bluff_table().name == BLUFF


def test_a_changed_table_is_refused() -> None:
    with pytest.raises(LuckTableError, match=r"bluff_1\.json has the SHA-256 [0-9a-f]{64}, not"):
        read_table(content().replace(b"-1", b"-2", 1), BLUFF)


def test_a_table_whose_weights_are_not_those_of_dice_is_refused() -> None:
    document = json.loads(content())
    document["duels"]["1 1"][0][-1] += 1
    changed = json.dumps(document).encode()
    with pytest.raises(LuckTableError, match="weights"):
        read_table(changed, TableName("mine", hashlib.sha256(changed).hexdigest()))


def test_the_same_seed_makes_the_same_table() -> None:
    assert table(150, "7") == table(150, "7")
