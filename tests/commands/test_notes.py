"""Notes by command: at home, behind the bridge, and from a referee."""

import json
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from arena.match.notes import Note, Usage
from arena.records import SignUp
from tests.commands.running import arena, beside
from tests.recorded_results import finished, match_id
from tests.scene import Scene, opened

BOT = """
from arena.bot import Bot, Usage

class Noting(Bot):
    def act(self, turn):
        if turn.number > 2:
            self.note(7, "much")
        else:
            self.note(f"türn {turn.number}", Usage(cost_microusd=5))
        return next(turn.choices())
"""

LINES = """
import json, sys

for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "turn":
        view, number = said["view"], said["turn"]
        face = min(range(6), key=lambda face: view["lowest"][face])
        bet = {"type": "bet", "quantity": view["lowest"][face], "face": face + 1}
        bet["face"] = "*" if face == 5 else face + 1
        action = {"type": "doubt"} if view["can_doubt"] else bet
        beside = {"note": f"turn {number}", "usage": {"input_tokens": 3}}
        if number > 3:
            beside = {"note": [], "usage": {"tokens": 1}}
        answer = {"match": said["match"], "turn": number, "action": action, **beside}
        print(json.dumps(answer), flush=True)
"""


def noted(file: Path, *words: str) -> list[list[dict[str, Any]]]:
    """What the first bot noted in matches against a sample bot, by match; nobody is at fault."""
    played = arena("play", *words, "honest", "-n", 2, "--seed", "s", "--notes", file, "--json")
    assert played.exit_code == 0, played.output
    assert json.loads(played.stdout)["faults"] == []
    return [json.loads(line)["notes"] for line in file.read_text("utf-8").splitlines()]


def test_play_writes_what_bots_note_and_leaves_out_what_is_no_note(tmp_path: Path) -> None:
    bot = tmp_path / "noting.py"
    bot.write_text(BOT)
    matches = noted(tmp_path / "notes.jsonl", str(bot))
    assert len(matches) == 2
    for number, match in enumerate(matches):
        (note,) = match  # one of the first two turns is the bot's
        assert (note["seat"], note["text"]) == (number, f"türn {note['turn']}")
        assert note["usage"] == Usage(cost_microusd=5)._asdict()


@pytest.mark.slow
def test_a_program_notes_by_lines_through_the_bridge(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(LINES)
    command = f"{sys.executable} -m arena bridge -- {sys.executable} {program}"
    for match in noted(tmp_path / "notes.jsonl", command):
        assert match and all(one["turn"] <= 3 for one in match)
        assert [one["text"] for one in match] == [f"turn {one['turn']}" for one in match]
        assert {one["usage"]["input_tokens"] for one in match} == {3}


@pytest.fixture
async def scene(
    database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[Scene]:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    with capture_logs():
        async with opened(database, sign_up=SignUp.OPEN) as scene:
            monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
            yield scene


async def test_an_owner_reads_notes_by_command_and_shares_them(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert (await beside("signup", "Ann")).exit_code == 0
    store = scene.arena.store
    versions = [
        (await store.register(bot, owner))[0].version_id
        for bot, owner in (("mine", "Ann"), ("other", "Bob"))
    ]
    said = (
        Note(0, 1, "a\x1b[2Jb\nTurn 9, seat 1: I fold\r\n  0 tokens", Usage(1_000, 20, 300, 1_500)),
        Note(1, 2, "hers"),
    )
    match = replace(finished(versions), notes=said)
    await store.record([match])
    shown = await beside("bot", "notes", match_id(match))
    assert shown.stdout.splitlines() == [
        "Turn 1, seat 0: a\\x1b[2Jb",
        "    Turn 9, seat 1: I fold",
        "      0 tokens",
        "  1,000 tokens read, 20 written, $0.0003, 1.5 s",
        "Seat 0 in all (answers: 1): 1,000 tokens read, 20 written, $0.0003, 1.5 s.",
    ]
    (one,) = json.loads((await beside("bot", "notes", match_id(match), "--json")).stdout)
    assert (one["text"], one["usage"]["latency_ms"]) == (said[0].text, 1_500)
    shared = await beside("bot", "share-notes", "mine")
    assert "The notes of mine are read by everybody." in shared.stderr
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "nobody"))
    assert len(json.loads((await beside("bot", "notes", match_id(match), "--json")).stdout)) == 1
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    stopped = await beside("bot", "share-notes", "mine", "--stop")
    assert "are read by you alone." in stopped.stderr
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "nobody"))
    nothing = await beside("bot", "notes", match_id(match))
    assert nothing.stdout == "" and "no notes of this match that you may read" in nothing.stderr
    missing = await beside("bot", "notes", "x")
    assert missing.exit_code == 2 and "There is no match x." in missing.output
