"""`arena play`: the same seed gives the same matches, and mistakes are answered in a sentence."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.commands.jobs_option import processor_count
from arena.match.transcript_json import from_json
from arena.match.verify import verify
from tests.commands.running import arena

TIMED = """
from arena.bot import Bot

class Timed(Bot):
    def act(self, turn):
        times = (turn.match.time_control.turn_ms, turn.turn_ms, turn.bank_ms)
        assert times == (60_000, 60_000, 600_000), times
        return next(turn.choices())
"""

BROKEN = """
from arena.bot import Bot

class Broken(Bot):
    def act(self, turn):
        raise RuntimeError("no idea")
"""

SLOW = """
import os
import time
from arena.bot import Bot

class Slow(Bot):
    def act(self, turn):
        time.sleep(0.1)
        raise RuntimeError(os.getpid())
"""


def _play(*arguments: object) -> str:
    result = arena("play", *arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def _json(*arguments: object) -> Any:
    return json.loads(_play(*arguments, "--json"))


def test_the_same_seed_gives_the_same_transcripts_byte_for_byte(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("first", "second", "other")]
    for file, seed in zip(files, ("x", "x", "y"), strict=True):
        _play("random", "honest", "bayes", "-n", 6, "--seed", seed, "--transcripts", file)
    first, second, other = (file.read_bytes() for file in files)
    assert first == second
    assert not set(first.splitlines()) & set(other.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("deals", [(), ("--same-deals",)])
def test_any_number_of_processes_plays_the_same_matches(
    tmp_path: Path, deals: tuple[str, ...]
) -> None:
    files = [tmp_path / name for name in ("one", "many")]
    summaries = []
    for file, jobs in zip(files, (1, 5), strict=True):
        words = ("random", "honest", "-n", 22, "--seed", "x", "--transcripts", file, *deals)
        summaries.append(_json(*words, "--jobs", jobs) | {"matches_per_second": None})
    one, many = (file.read_bytes() for file in files)
    assert one == many
    assert summaries[0] == summaries[1]


@pytest.mark.slow
@pytest.mark.skipif(processor_count() == 1, reason="one processor has no use for processes")
@pytest.mark.parametrize(("matches", "processes"), [(2, 1), (14, 1 + processor_count())])
def test_processes_help_where_more_than_a_second_is_left(
    tmp_path: Path, matches: int, processes: int
) -> None:
    file = tmp_path / "slow.py"
    file.write_text(SLOW)  # three faults end a match, after 0.3 seconds
    faults = _json(file, "random", "-n", matches)["faults"]
    assert len({fault["reason"] for fault in faults}) == processes


def test_transcripts_are_written_so_that_anybody_can_check_them(tmp_path: Path) -> None:
    file = tmp_path / "transcripts.jsonl"
    _play("timid", "honest", "-n", 4, "--transcripts", file, "--option", "show_and_reroll=true")
    transcripts = [from_json(json.loads(line)) for line in file.read_text().splitlines()]
    assert len(transcripts) == 4
    for number, transcript in enumerate(transcripts):
        verify(transcript)
        names = [entrant.bot for entrant in transcript.setup.entrants]
        assert names == (["timid", "honest"] if number % 2 == 0 else ["honest", "timid"])


@pytest.mark.parametrize("words", [(), ("--same-deals",)], ids=str)
def test_bots_are_told_the_time_control_that_was_chosen(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    bot, file = tmp_path / "mine.py", tmp_path / "transcripts.jsonl"
    bot.write_text(TIMED)
    chosen = ("--time", "turn=60s,bank=10m", "--transcripts", file, *words)
    summary = _json("honest", bot, "-n", 2, *chosen)
    assert summary["time_control"] == {"turn_ms": 60_000, "bank_ms": 600_000}
    assert summary["faults"] == []
    for line in file.read_text().splitlines():
        assert json.loads(line)["time_control"] == summary["time_control"]


def test_a_bot_may_play_against_itself_and_a_file_against_a_sample(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(BROKEN)
    summary = _json("honest", "honest", file, "-n", 6)
    assert [one["bot"] for one in summary["win_rates"]][-1] == "mine"
    assert {one["bot"] for one in summary["win_rates"]} == {"honest", "honest-2", "mine"}
    assert sum(one["wins"] for one in summary["win_rates"]) == 6
    assert summary["faults"][0]["bot"] == "mine"
    assert summary["faults"][0]["reason"] == "RuntimeError: no idea (mine.py, line 6)"
    assert summary["faults"][0]["legal"].startswith("Legal is ")
    shown = " ".join(_play("honest", file, "-n", 2).split())
    assert "Faults of mine: " in shown and "(the first time: Legal is " in shown


def test_a_run_without_a_seed_names_the_one_it_took() -> None:
    seed = _json("random", "random", "-n", 2)["seed"]
    assert seed
    assert f"seed {seed}" in _play("random", "random", "-n", 2, "--seed", seed)


@pytest.mark.slow
def test_the_same_deals_are_played_in_whole_blocks_and_what_they_save_is_measured(
    tmp_path: Path,
) -> None:
    file = tmp_path / "transcripts"
    summary = _json("bayes", "honest", "-n", 79, "--same-deals", "--transcripts", file)
    assert (summary["matches"], summary["blocks"]) == (80, "deal")
    factor = summary["variance_factor"]
    assert factor["blocks"] == 40
    assert 0 < factor["low"] < factor["factor"] < factor["high"]
    transcripts = [from_json(json.loads(line)) for line in file.read_text().splitlines()]
    assert len({transcript.setup.match_id for transcript in transcripts}) == 40
    same = _json("honest", "honest", "-n", 80, "--same-deals")
    assert same["variance_factor"]["factor"] == 0
    # Blocks that cannot differ leave less doubt than 80 matches would, but some.
    low, high = same["win_rates"][0]["share_low"], same["win_rates"][0]["share_high"]
    assert 0.45 < low < 0.5 < high < 0.55
    assert "Variance of a deal block's mean: 0.00" in _play(
        "honest", "honest", "-n", 80, "--same-deals"
    )


def test_the_usual_matches_are_seat_blocks_of_which_the_factor_is_known_too() -> None:
    summary = _json("random", "random", "-n", 201)
    assert (summary["blocks"], summary["variance_factor"]["blocks"]) == ("seat", 100)
    assert _json("random", "random", "-n", 9)["variance_factor"] is None


def test_a_luck_adjusted_share_is_between_0_and_1_and_never_certain() -> None:
    for matches in (20, 60):
        adjusted = _json("bayes", "random", "-n", matches, "--seed", "x")["luck_adjusted"]
        for bot in adjusted["bots"].values():
            assert 0 <= bot["share_low"] < bot["share_high"] <= 1
            assert bot["variance_factor"] == 1


def test_a_bot_that_is_not_started_here_cannot_play_the_same_deals() -> None:
    result = arena("play", "honest", "stranger", "--same-deals")
    assert result.exit_code == 2
    assert "There is no bot 'stranger'" in result.stderr
    assert "a program that connects would remember the others' dice" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("honest", "genius"), "There is no bot 'genius'"),
        (("honest",), "Bluff is played by 2 to 6 seats under these options; 1 bot was named"),
        (("honest",) * 7, "2 to 6 seats under these options; 7 bots were named"),
        (("honest", "timid", "--game", "chess"), "there is no game 'chess'"),
        (
            ("honest", "timid", "--game", "bloeff"),
            "it plays bluff. Sample bots that do: bloeff_counter, bloeff_honest, bloeff_search, ",
        ),
        (("honest", "timid", "--option", "dice"), "given as NAME=VALUE, not 'dice'"),
        (("honest", "timid", "--option", "dice_per_player=0"), "allowed is 1 to 16"),
        (
            ("honest", "timid", "--time", "turn=60"),
            "--time turn=60: turn is '60'; allowed",
        ),
        (("honest", "timid", "--transcripts", "/nowhere/x"), "/nowhere/x cannot be written"),
        (
            ("honest", "timid", "--transcripts", "/dev/full"),
            "/dev/full cannot be written: No space left on device",
        ),
        (("honest", "timid", "--notes", "/dev/full"), "/dev/full cannot be written"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    result = arena("play", *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import nothing_of_this_name", "cannot be loaded: ModuleNotFoundError"),
        ("x = 1", "must define exactly one bot; it defines none"),
        (BROKEN + BROKEN.replace("Broken", "Second"), "it defines Broken, Second"),
    ],
)
def test_files_without_exactly_one_bot_are_refused(
    tmp_path: Path, text: str, sentence: str
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(text)
    result = arena("play", "honest", file)
    assert (result.exit_code, sentence in result.stderr) == (2, True)
