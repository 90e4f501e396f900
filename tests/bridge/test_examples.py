"""The examples in docs/stdio.md are lines that the bridge writes.

`python -m tests.bridge.test_examples` puts them there.
"""

import json
import re
from pathlib import Path
from typing import Any

from arena.bot import AnyAction, Match, Refusal, Transcript, Turn
from arena.bot.bot import Bot
from arena.bridge import lines
from arena.games import make_game
from arena.local.in_process import Contender, Seed, play_match
from arena.match.clock import TimeBank, TimeControl
from arena.match.faults import FaultKind

PAGE = Path(__file__).parents[2] / "docs" / "stdio.md"


class Shown(Bot):
    """Plays the first choice and keeps the lines."""

    lines: dict[str, str]
    shown = False

    def match_started(self, match: Match) -> None:
        self.shown = match.seat == 0
        if self.shown:
            type(self).lines = {"hello": lines.hello(["bluff"], 16), "start": lines.start(match)}

    def act(self, turn: Turn) -> AnyAction:
        action = next(turn.choices())
        if self.shown and "turn" not in self.lines:
            self.lines["turn"] = lines.turn(turn)
            late = TimeBank(TimeControl(turn_ms=2000, bank_ms=30000)).overrun(32000)
            legal = "Legal is a bet of 1 to 2 of 1 to *."
            refusal = Refusal(turn.number, FaultKind.LATE, late, legal, 1)
            self.lines["refused"] = lines.refused(turn.match_id, refusal)
            value: dict[str, Any] = turn.game.notation.to_json(action)
            answer = {"match": turn.match_id, "turn": turn.number, "action": value}
            self.lines["answer"] = json.dumps(answer)
        return action

    def match_ended(self, transcript: Transcript) -> None:
        if self.shown:
            end = json.loads(lines.end(transcript))
            end["transcript"] = {"format": end["transcript"]["format"], "…": "…"}
            self.lines["end"] = json.dumps(end, ensure_ascii=False)


def page() -> str:
    """The page with its examples."""
    rules = make_game("bluff", {"dice_per_player": 1})
    play_match(rules, [Contender("a", Shown), Contender("b", Shown)], Seed("stdio"), 0)
    text = PAGE.read_text()
    for name, line in Shown.lines.items():
        line = json.dumps(json.loads(line), ensure_ascii=False)
        example = f"<!-- {name} -->\n```json\n{line}\n```\n\n"
        text, found = re.subn(
            rf"<!-- {name} -->\n(```json\n.*?\n```\n\n)?",
            lambda _, example=example: example,
            text,
            flags=re.DOTALL,
        )
        assert found == 1, name
    return text


def test_the_examples_are_what_the_bridge_writes() -> None:
    assert PAGE.read_text() == page(), "python -m tests.bridge.test_examples"


if __name__ == "__main__":
    PAGE.write_text(page())
