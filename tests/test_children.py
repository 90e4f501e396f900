"""What `arena up` says of its sample bots."""

from arena.commands.serving.children import nobody_to_play
from arena.commands.serving.table_option import table_types


def test_a_ladder_for_which_there_are_too_few_sample_bots_is_named() -> None:
    found = table_types(["bluff:2", "bluff:3", "bloeff:2"])
    (three, bloeff) = nobody_to_play(found, ["honest", "timid"])
    assert "bluff:3" in three and "honest, timid" in three
    assert "bloeff:2" in bloeff and "none" in bloeff
    assert "arena bot new" in bloeff
    assert list(nobody_to_play(found[:1], ["honest", "timid"])) == []
