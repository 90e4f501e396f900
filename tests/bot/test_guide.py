"""The bot of docs/write-a-bot.md is a bot that plays."""

import re
from pathlib import Path

from arena.games import make_game
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.local.win_rates import WinRates

GUIDE = Path(__file__).parents[2] / "docs" / "write-a-bot.md"


def test_the_guides_bot_plays_without_a_fault_and_beats_the_first_rungs(tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    file = tmp_path / "mine.py"
    file.write_text(program)
    contenders = [
        Contender("mine", load_bot(str(file))),
        *(Contender(name, load_bot(name)) for name in ("random", "timid")),
    ]
    standings = WinRates([contender.name for contender in contenders])
    for played in play_series(make_game("bluff"), contenders, 60, "the guide"):
        standings.add(played)
    assert not standings.reasons
    assert standings.table()[0].name == "mine"
