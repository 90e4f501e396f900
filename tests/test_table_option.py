"""The `--table` option: a game, its seats, its options and its time control in one word."""

import pytest

from arena.commands.serving.table_option import table_types
from arena.errors import UserError
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl


def test_a_table_may_have_a_time_control_among_its_options() -> None:
    words = "bluff:2 bluff:2:turn=60s,bank=10m bluff:3:show_and_reroll=true,turn=500ms"
    usual, slow, fast = table_types(words.split())
    assert usual.time_control == DEFAULT_TIME_CONTROL
    assert slow.time_control == TimeControl(60_000, 600_000)
    assert (slow.game, slow.seats, slow.options) == (usual.game, usual.seats, usual.options)
    assert fast.time_control == TimeControl(500, 30_000)
    assert fast.options.changed() == {"show_and_reroll": True}
    assert len({usual.key, slow.key, fast.key}) == 3


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("bluff:2:turn=60", "--table bluff:2:turn=60: turn is '60'; allowed is 100ms to 60m"),
        ("bluff:2:bank=-1s", "bank is '-1s'; allowed is 0s to 24h"),
        ("bluff:2:turn", "turn is not OPTION=VALUE"),
        ("bluff:turn=60s", "write GAME:SEATS, for example bluff:2"),
        ("bluff:\N{SUPERSCRIPT TWO}", "write GAME:SEATS, for example bluff:2"),
        ("bluff:2:time=60s", "there is no option 'time'"),
    ],
)
def test_a_table_with_a_wrong_time_control_is_refused(table: str, sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        table_types([table])
    assert sentence in str(refused.value)
