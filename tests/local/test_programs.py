"""Programs at home: a referee in this process plays them, and names those that fail."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arena.local.bot_modules import BotFileError
from arena.local.loading import bot_command, command_name
from arena.match.transcript_json import from_json
from arena.match.verify import verify
from tests.commands.running import arena

MISFIT = str(Path(__file__).parents[1] / "conformance" / "misfit.py")
PERL = str(Path(__file__).parents[2] / "sample_bots" / "stdio" / "lowest.pl")
BOT = f"{sys.executable} {MISFIT} Bot"


@pytest.mark.slow
def test_a_program_plays_against_a_sample_bot_and_its_matches_verify(tmp_path: Path) -> None:
    file = tmp_path / "matches.jsonl"
    result = arena(
        *("play", BOT, "honest", "-n", 20, "--json", "--seed", "x"),
        *("--transcripts", file, "--logs", tmp_path),
    )
    assert result.exit_code == 0, result.stderr
    summary = json.loads(result.stdout)
    assert {one["bot"]: one["faults"] for one in summary["win_rates"]} == {
        "misfit": 0,
        "honest": 0,
    }
    transcripts = [from_json(json.loads(line)) for line in file.read_text().splitlines()]
    assert len(transcripts) == 20
    for number, transcript in enumerate(transcripts):
        verify(transcript)
        names = [entrant.bot for entrant in transcript.setup.entrants]
        assert names == (["misfit", "honest"] if number % 2 == 0 else ["honest", "misfit"])
    assert "Connected as honest" in (tmp_path / "honest.log").read_text()


@pytest.mark.slow
def test_the_seed_gives_the_referees_part_of_the_dealing(tmp_path: Path) -> None:
    openings = []
    for file in (tmp_path / "one", tmp_path / "other"):
        result = arena("play", BOT, BOT, "-n", 3, "--seed", "x", "--transcripts", file)
        assert result.exit_code == 0, result.stderr
        documents = [json.loads(line) for line in file.read_text().splitlines()]
        openings.append([(one["match_id"], one["opening"]["secret"]) for one in documents])
    assert openings[0] == openings[1]


@pytest.mark.slow
def test_faults_are_shown_with_the_view_what_was_sent_and_what_was_legal() -> None:
    bad = f"{sys.executable} {MISFIT} Illegal"
    result = arena("play", bad, "honest", "-n", 2, "--json")
    assert result.exit_code == 0, result.stderr
    fault = json.loads(result.stdout)["faults"][0]
    assert (fault["bot"], fault["kind"], fault["sent"]) == (
        "misfit",
        "illegal",
        {"type": "bet", "quantity": 0, "face": 1},
    )
    assert fault["legal"].startswith("Legal is ")
    assert len(fault["view"]["hidden_dice"]) == 5
    shown = arena("play", bad, "honest", "-n", 2).stdout
    assert '  it sent: {"type": "bet", "quantity": 0, "face": 1}' in shown
    assert "  its view then, in turn " in shown


WRITES = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "turn":
        answer = {"match": told["match"], "turn": told["turn"], "action": %s}
        print(json.dumps(answer), flush=True)
    elif told["type"] == "refused":
        print("Told:", told["reason"], file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (
            {"type": "bet", "quantity": "3", "face": 1},
            'No action of Bluff: action.quantity: found "3"; allowed is a whole number.',
        ),
        (
            {"type": "roll", "dice": [[1]]},
            'No action of Bluff: action.type: found "roll"; allowed is one of "bet", "doubt".',
        ),
    ],
)
def test_what_the_bridge_cannot_read_is_named_to_its_program_and_in_the_list_of_faults(
    action: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    file = tmp_path / "writes.txt"
    file.write_text(WRITES % action)
    words = (f"{sys.executable} -m arena bridge -- {sys.executable} {file}", "honest")
    result = arena("play", *words, "-n", 2, "--json", "--logs", tmp_path)
    assert result.exit_code == 0, result.stderr
    (fault,) = json.loads(result.stdout)["faults"]
    assert (fault["bot"], fault["kind"], fault["reason"]) == ("writes", "malformed", reason)
    assert f"Told: {reason}" in (tmp_path / "writes.log").read_text()


ENDS = """
import json, sys
turns = 0
for line in sys.stdin:
    told = json.loads(line)
    turns += told["type"] == "turn"
    if turns == {turns}:
        sys.exit({code})
    if told["type"] == "turn":
        answer = {{"match": told["match"], "turn": told["turn"], "action": None}}
        print(json.dumps(answer), flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("turns", [1, 3])
def test_a_program_that_fails_is_named_with_its_code_though_all_matches_are_over(
    turns: int, tmp_path: Path
) -> None:
    # Its three faults are the only match: Bluff You! always lasts as long, Bluff may end sooner.
    file = tmp_path / "ends.txt"
    file.write_text(ENDS.format(turns=turns, code=7))
    bridge = f"{sys.executable} -m arena bridge --games bluff_you -- {sys.executable} {file}"
    result = arena("play", bridge, "bluff_you_honest", "--game", "bluff_you", "-n", 1)
    assert (result.exit_code, result.stdout) == (2, "")
    first = result.stderr.splitlines()[0]
    assert first.startswith("arena: ends ended with code 1 after ")
    assert " s: The program ended with code 7. The end of what it printed (" in first


@pytest.mark.slow
def test_what_a_program_printed_at_its_end_is_not_buried_under_the_faults_of_its_matches(
    tmp_path: Path,
) -> None:
    file = tmp_path / "ends.txt"
    file.write_text("import sys\nsys.stdin.readline()\nsys.exit('Cannot find what it needs')\n")
    bridge = f"{sys.executable} -m arena bridge -- {sys.executable} {file}"
    result = arena("play", bridge, "honest", "-n", 40)
    assert result.exit_code == 2
    assert "Cannot find what it needs" in result.stderr


LEAVES = """
import os, signal
from arena.bot import Bot, run

class Leaves(Bot):
    max_matches = 1
    left = False

    def act(self, turn):
        if not Leaves.left:
            Leaves.left = True
            os.kill(os.getpid(), signal.SIGTERM)
        return next(turn.choices())

run(Leaves)
"""


@pytest.mark.slow
def test_a_program_that_leaves_before_all_is_played_is_named(tmp_path: Path) -> None:
    file = tmp_path / "leaves.txt"
    file.write_text(LEAVES)
    result = arena("play", f"{sys.executable} {file}", "honest", "-n", 3)
    assert result.exit_code == 2
    assert "arena: leaves asked to leave (drain) before all was played: it ended with code 0" in (
        result.stderr
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("import sys; sys.exit('no tables')", "ended with code 1 after "),
        ("import time; print('thinking', flush=True); time.sleep(60)", "did not connect"),
    ],
)
def test_a_program_that_does_not_play_is_named_with_the_end_of_what_it_printed(
    program: str, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "new.txt"
    file.write_text(program)
    began = time.monotonic()
    result = arena("play", f"{sys.executable} {file}", BOT, "--connect-seconds", 1.0)
    assert result.exit_code == 2
    assert f"arena: new {sentence}" in result.stderr
    assert result.stderr.splitlines()[-1] in ("no tables", "thinking")
    assert time.monotonic() - began < 50  # less than it sleeps


HANGS = """
import os, subprocess, sys, time
sys.path.insert(0, {folder!r})
import misfit
child = subprocess.Popen(["sleep", "600"])
open({pids!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
class Hangs(misfit.Bot):
    def answer(self, turn):
        time.sleep(600)
Hangs().run()
"""


@pytest.fixture
def soon_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program hangs after four seconds of silence already."""
    monkeypatch.setattr("arena.local.programs.table.SILENT_SECONDS", 4.0)
    monkeypatch.setattr("arena.local.programs.table.TURNS_OF_SILENCE", 1)


@pytest.mark.slow
def test_a_program_that_ends_without_having_connected_may_need_the_bridge(tmp_path: Path) -> None:
    file = tmp_path / "reads.txt"
    file.write_text("")
    command = f"{sys.executable} {file}"
    result = arena("play", command, BOT)
    assert result.exit_code == 2
    assert "arena: reads ended with code 0 after " in result.stderr
    assert f"plays by the bridge: 'arena bridge -- {command}'. It printed" in result.stderr
    bridge = f"{sys.executable} -m arena bridge -- {sys.executable} {file}"
    assert "plays by the bridge" not in arena("play", bridge, BOT).stderr


@pytest.mark.slow
def test_a_program_behind_the_bridge_that_hangs_is_told_to_flush(
    tmp_path: Path, soon_silent: None
) -> None:
    file = tmp_path / "buffers.txt"
    file.write_text("import time; time.sleep(600)")
    bridge = f"{sys.executable} -m arena bridge -- {sys.executable} {file}"
    result = arena("play", bridge, BOT, "-n", 1)
    assert result.exit_code == 2
    assert "arena: buffers hangs: asked in 1 matches, it answered nothing for 4 s" in result.stderr
    assert "a program behind the bridge must flush its stdout after each line." in result.stderr


@pytest.mark.slow
def test_a_program_that_hangs_is_named_and_nothing_of_it_is_left(
    tmp_path: Path, soon_silent: None
) -> None:
    file, pids = tmp_path / "hangs.txt", tmp_path / "pids"
    file.write_text(HANGS.format(folder=str(Path(MISFIT).parent), pids=str(pids)))
    result = arena("play", f"{sys.executable} {file}", BOT, "-n", 4)
    assert result.exit_code == 2
    assert "arena: hangs hangs: asked in " in result.stderr
    for pid in pids.read_text().split():
        # One whose parent does not wait for it may still be listed, as a zombie.
        state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True)
        assert state.stdout.strip()[:1] in ("", "Z")


@pytest.mark.slow
def test_a_program_that_does_not_play_the_game_is_named() -> None:
    bridge = f"{sys.executable} -m arena bridge --games bluff -- perl {PERL}"
    result = arena("play", bridge, "bloeff_honest", "--game", "bloeff")
    assert result.exit_code == 2
    assert "lowest does not play Blöff; its hello names bluff; tell the bridge which games" in (
        result.stderr
    )
    assert "--games bluff,bloeff." in result.stderr


@pytest.mark.slow
def test_a_program_behind_the_bridge_plays() -> None:
    bridge = f"{sys.executable} -m arena bridge -- perl {PERL}"
    result = arena("play", bridge, "honest", "-n", 20, "--json")
    assert result.exit_code == 0, result.stderr
    summary = json.loads(result.stdout)
    assert {one["bot"]: one["faults"] for one in summary["win_rates"]} == {
        "lowest": 0,
        "honest": 0,
    }


@pytest.mark.slow
def test_two_programs_are_tested_in_seat_blocks() -> None:
    result = arena("test", "random", BOT, "--json", "--max-blocks", 6)
    assert result.exit_code in (0, 1, 3), result.stderr
    summary = json.loads(result.stdout)
    assert (summary["blocks"], summary["matches"]) == ("seat", 12)
    result = arena("test", "honest", BOT, "--opponents", "timid", "--json", "--max-blocks", 3)
    assert json.loads(result.stdout)["matches"] == 6


@pytest.mark.slow
def test_a_tournament_among_programs_is_played_with_fresh_deals() -> None:
    words = ("--format", "round-robin", "--bots", f"{BOT},honest,timid", "--blocks", 2, "--json")
    result = arena("tournament", "play", *words)
    assert result.exit_code == 0, result.stderr
    summary = json.loads(result.stdout)
    assert summary["block_kind"] == "seat"
    assert {one["bot"] for one in summary["standings"]} == {"misfit", "honest", "timid"}
    refused = arena("tournament", "play", *words, "--same-deals")
    assert refused.exit_code == 2
    assert "A program cannot play a deal twice" in refused.stderr


def test_a_program_cannot_play_the_same_deals() -> None:
    result = arena("play", BOT, "honest", "--same-deals")
    assert result.exit_code == 2
    assert "A program cannot play a deal twice. --same-deals works only with" in result.stderr


def test_what_is_no_bot_is_refused_with_what_is_allowed(tmp_path: Path) -> None:
    file = tmp_path / "gopher"
    file.write_text("")
    with pytest.raises(BotFileError, match=r"gopher is not executable"):
        bot_command(str(file))
    with pytest.raises(BotFileError, match=r"sample bot \(bayes, .*a command|the command that"):
        bot_command("no-such-program --fast")
    with pytest.raises(BotFileError, match="No closing quotation"):
        bot_command("node 'bot.js")


def test_a_program_is_called_by_the_last_file_of_its_command() -> None:
    assert bot_command("honest") == ()
    assert command_name(("arena", "bridge", "--", "perl", PERL)) == "lowest"
    assert command_name(("/opt/gopher", "--level", "3")) == "gopher"
