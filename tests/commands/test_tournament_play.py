"""`arena tournament play`: local tournaments, repeatable, no deal met twice."""

import json
import re
import subprocess
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from arena.commands.tournaments.play import INTERRUPTED
from arena.processes import module_command
from arena.scheduling.formats import FormatName, make_format
from tests.bots import PATIENCE
from tests.commands.running import arena
from tests.local.cheats import remembering

pytestmark = pytest.mark.slow

_play = partial(arena, "tournament", "play")

FAULTY = """
from arena.bot import Bot

class Faulty(Bot):
    def act(self, turn):
        raise RuntimeError("no idea")
"""
STOPS = """
import os
from arena.bot import Bot

class Stops(Bot):
    def act(self, turn):
        os._exit(7)
"""
INTERRUPTS = """
import os
import signal
import time
from pathlib import Path
from arena.bot import Bot

COMMAND = Path(__file__).with_name("command")

class Interrupts(Bot):
    begun = 0

    def act(self, turn):
        raise RuntimeError("no idea")

    def match_ended(self, transcript):
        Interrupts.begun += 1
        if Interrupts.begun == 3:
            while not COMMAND.exists():
                time.sleep(0.01)
            os.kill(int(COMMAND.read_text()), signal.SIGINT)
        while Interrupts.begun == 3:
            signal.pause()
"""


def _json(*words: object) -> Any:
    result = _play(*words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("deals", ["--same-deals", "--fresh-deals"])
def test_the_same_seed_gives_the_same_tournament_byte_for_byte(deals: str) -> None:
    words = ("--format", "swiss", "--bots", "honest,timid,random,bayes,honest", "--blocks", 3)
    once, again, other = (
        _play(*words, deals, "--json", "--seed", seed, "--jobs", jobs)
        for seed, jobs in (("one", 1), ("one", 5), ("other", 2))
    )
    assert once.exit_code == 0
    assert once.stdout_bytes == again.stdout_bytes
    assert json.loads(once.stdout)["pairings"] != json.loads(other.stdout)["pairings"]


@pytest.mark.parametrize(
    ("format_name", "pairings", "expected"),
    [
        ("round-robin", 6, 12),
        ("swiss", 4, 8),
        ("knockout", 3, 6),
        ("gauntlet", 3, 6),
        ("groups", 3, 6),
    ],
)
def test_every_format_is_played_to_its_end(format_name: str, pairings: int, expected: int) -> None:
    bots = "bayes,honest,timid,random"
    found = _json("--format", format_name, "--bots", bots, "--blocks", 2, "--seed", "s")
    assert (found["state"], found["block_kind"]) == ("finished", "deal")
    assert len(found["pairings"]) == pairings
    plan = make_format(FormatName(format_name), field=4, seats=2, blocks=2, rounds=None, seed="s")
    assert plan.expected_blocks(4) == expected
    # Ties of a knockout are played off.
    assert found["blocks"] == found["blocks_expected"] >= expected
    assert found["blocks"] == expected or format_name in ("knockout", "groups")
    for one in found["pairings"]:
        assert len(one["blocks"]) == one["blocks_wanted"]
    assert {line["bot"] for line in found["standings"]} == set(bots.split(","))
    assert found["standings"][0]["bot"] == "bayes"


def test_groups_are_told_with_their_tables() -> None:
    words = ("--format", "groups", "--groups", 2, "--advance", 1, "--seed", "s", "--blocks", 2)
    bots = "bayes,honest,timid,random"
    found = _json(*words, "--bots", bots)
    assert (found["groups"], found["advance"]) == (2, 1)
    assert {one["bot"]: one["group"] for one in found["standings"]} == {
        "bayes": "A",
        "random": "A",
        "honest": "B",
        "timid": "B",
    }
    assert [one["rank"] for one in found["standings"]] == [1, 2, 3, 4]
    printed = _play(*words, "--bots", bots).stdout
    assert "Group A" in printed and "Group B" in printed
    assert "2 groups, 1 of each go on" in _play(*words, "--bots", bots, "--pairings").stdout


def test_more_groups_than_bots_can_fill_are_refused() -> None:
    words = ("--format", "groups", "--groups", 3, "--bots", "bayes,honest,timid,random")
    refused = _play(*words)
    assert refused.exit_code == 2
    assert "4 bots are too few for 3 groups" in refused.output


def test_a_table_of_more_seats_takes_everybody_through_all_of_them() -> None:
    words = ("--format", "round-robin", "--bots", "honest,honest,honest,honest", "--seats", 3)
    same = _json(*words, "--blocks", 4, "--seed", "s")
    # Equals with equal dice: in each block everybody has been dealt what the others were.
    assert {points for one in same["pairings"] for points in one["points"]} == {2.0}
    fresh = _json(*words, "--blocks", 4, "--seed", "s", "--fresh-deals")
    assert {points for one in fresh["pairings"] for points in one["points"]} != {2.0}
    assert fresh["block_kind"] == "seat"


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_bot_that_remembers_deals_meets_none_again_in_a_whole_tournament(
    tmp_path: Path, jobs: int
) -> None:
    # It is the sample Honest until it knows a deal, so if it never does every block is a tie.
    bots = f"{remembering(tmp_path)},honest,honest"
    words = ("--format", "round-robin", "--rounds", 3, "--blocks", 15, "--seed", "s")
    found = _json(*words, "--bots", bots, "--jobs", jobs)
    assert {points for one in found["pairings"] for points in one["points"]} == {7.5}


def test_the_standings_and_the_faults_are_printed(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FAULTY)
    words = ("--format", "gauntlet", "--bots", f"{file},timid,honest", "--blocks", 1)
    said = _play(*words, "--seed", "x", "--pairings").stdout
    assert "bluff gauntlet: finished" in said
    assert "mine – " in said or " – mine" in said
    assert "4 matches in deal blocks, seed x" in said
    assert "Points: the mean of all blocks, each of which gives a bot 0 to 1." in " ".join(
        said.split()
    )
    assert "Faults of mine: " in said and "RuntimeError: no idea" in said


def test_a_tournament_has_the_time_control_that_was_chosen() -> None:
    words = ("--format", "round-robin", "--bots", "honest,timid", "--blocks", 1, "--seed", "s")
    found = _json(*words, "--time", "turn=60s")
    assert found["time_control"] == {"turn_ms": 60_000, "bank_ms": 30_000}
    said = _play(*words, "--time", "turn=60s", "--pairings").stdout
    assert "2 seats, turn=60s,bank=30s, 1 block of 2 matches for each pairing" in " ".join(
        said.split()
    )


def test_a_bot_that_ends_its_process_ends_it_with_what_is_known(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(STOPS)
    # In a knockout the first seeded has a bye: the others' pairing is over when it begins.
    words = ("--format", "knockout", "--bots", f"{file},timid,bayes", "--blocks", 2, "--seed", "s")
    result = _play(*words)
    assert result.exit_code == 2
    assert "bluff knockout: cancelled" in result.stdout
    assert re.search(r"│ bayes +│ 1 +│ 2 +│", result.stdout)
    said = r"Ended after 2 of 4 blocks\. Not finished: Round 2, table 1 \(.*\), 0 of 2 blocks\."
    assert re.search(said, result.stderr)
    assert "arena: Round 2, table 1 (" in result.stderr
    assert "exit code 7" in result.stderr
    assert active_children() == []


def test_ctrl_c_ends_it_with_what_is_known_and_says_what_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(INTERRUPTS)
    words = ("--format", "gauntlet", "--bots", f"{file},timid,honest", "--blocks", "2")
    command = subprocess.Popen(
        [*module_command("arena"), "tournament", "play", *words, "--seed", "x"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    (tmp_path / "pid").write_text(str(command.pid))
    (tmp_path / "pid").rename(tmp_path / "command")
    # Both pipes are closed when all processes have ended that it has started.
    stdout, stderr = command.communicate(timeout=PATIENCE)
    assert command.returncode == INTERRUPTED
    assert "bluff gauntlet: cancelled" in stdout
    # How far the others had come, who is to say; not to the end, since one of them waits for ever.
    said = r"after [012] of 4 blocks\. Not finished: Round 1, table [12] \(.*\), . of 2 blocks"
    assert re.search(said, stderr)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--bots", "honest,genius"), "There is no bot 'genius'"),
        (("--bots", "honest,node bot.js --of x,y"), "--bots is split at commas; a command"),
        (("--bots", 'honest,"timid'), "unexpected end of data. --bots is split at commas"),
        (("--bots", "honest"), "This cannot be played: a table of 2 needs at least 2 bots"),
        (("--bots", "honest,timid", "--seats", "3"), "a table of 3 needs at least 3 bots"),
        (("--bots", "honest,timid", "--seats", "9"), "--seats 9: Bluff is played by 2 to 6"),
        (("--bots", "honest,timid", "--game", "chess"), "there is no game 'chess'"),
        (("--bots", "honest,timid", "--option", "x"), "NAME=VALUE, not 'x'"),
        (("--bots", "honest,timid", "--time", "slow"), "--time slow: 'slow' is not NAME=TIME"),
        (("--bots", "bloeff_honest,timid"), "does not play Bluff"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    result = _play("--format", "round-robin", *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert (result.stdout, result.stderr.count("\n")) == ("", 1)


def test_connected_bots_never_play_the_same_deals_and_are_told_why() -> None:
    words = ("tournament", "create", "cup", "--format", "swiss", "--bots", "a,b", "--same-deals")
    result = arena(*words)
    assert result.exit_code == 2
    assert "would remember the others' dice" in result.stderr
    assert "`arena tournament play` plays the same deals" in result.stderr
