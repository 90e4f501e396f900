"""What `arena up` says of its sample bots."""

from pathlib import Path

from arena.commands.serving.children import children, nobody_to_play
from arena.commands.serving.table_option import table_types


def test_a_ladder_for_which_there_are_too_few_sample_bots_is_named() -> None:
    found = table_types(["bluff:2", "bluff:3", "bloeff:2"])
    (three, bloeff) = nobody_to_play(found, ["honest", "timid"])
    assert "bluff:3" in three and "honest, timid" in three
    assert "bloeff:2" in bloeff and "none" in bloeff
    assert "arena bot new" in bloeff
    assert list(nobody_to_play(found[:1], ["honest", "timid"])) == []


def test_what_a_bot_that_does_not_connect_printed_last_is_quoted(tmp_path: Path) -> None:
    with children(tmp_path) as running:
        (tmp_path / "honest.log").write_text("")
        assert running.last_words(["honest"]).endswith("yet.")
        (tmp_path / "timid.log").write_bytes(b"before\nNot connected \x1b[1m\xff\n\n")
        said = running.last_words(["nobody", "honest", "timid"])
    assert said == rf"The last line in {tmp_path / 'timid.log'}: Not connected \x1b[1m" + "\ufffd"
