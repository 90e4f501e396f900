"""Lists of bots in one option."""

import pytest

from arena.commands.errors import CommandError
from arena.commands.home.bot_list import listed_bots

BRIDGE = "arena bridge --games bluff,bluff_you -- ./bot"


@pytest.mark.parametrize(
    ("text", "bots"),
    [
        ("", []),
        ("honest, timid,,./mine.py", ["honest", "timid", "./mine.py"]),
        (f'"{BRIDGE}",honest', [BRIDGE, "honest"]),
        (f'honest, "{BRIDGE}"', ["honest", BRIDGE]),
        ("node 'my bot.js',honest", ["node 'my bot.js'", "honest"]),
    ],
)
def test_bots_are_separated_by_commas_outside_of_double_quotes(text: str, bots: list[str]) -> None:
    assert listed_bots("--bots", text) == bots


@pytest.mark.parametrize("text", ['"honest,timid', '"my bot" --fast,honest'])
def test_quotes_that_do_not_enclose_a_bot_are_explained(text: str) -> None:
    with pytest.raises(CommandError, match="--bots is split at commas; a command that contains"):
        listed_bots("--bots", text)
