"""`arena run`: the same folder whoever plays it and however often it was interrupted."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from arena.commands.experiments.experiment import Experiment, Stop, read_experiment
from tests.commands import running

arena = partial(running.arena, "run")

EXPERIMENT = """
bots = ["lowest.py", "timid"]
opponents = ["honest", "random"]
seeds = ["a", "b"]
[options]
dice_per_player = 2
[stop]
matches = 250
half_width = 0.06
"""
LOWEST = """
from arena.bot import Bot

class Lowest(Bot):
    def act(self, turn):
        return next(turn.choices())
"""
SAME = ("experiment.toml", "matches.jsonl", "results.json", "figures/shares.vl.json")
SAME += ("figures/shares.png", "figures/progress.png")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "lowest.py").write_text(LOWEST)
    found = tmp_path / "first.toml"
    found.write_text(EXPERIMENT)
    return found


@pytest.mark.slow
def test_a_folder_holds_all_that_a_result_needs_and_is_repeated_to_the_byte(file: Path) -> None:
    done = arena(file, "--json", "--jobs", 1)
    assert done.exit_code == 0, done.output
    results, folder = json.loads(done.stdout), file.with_suffix("")
    assert json.loads((folder / "results.json").read_text()) == results
    assert [(one["bot"], one["opponents"]) for one in results["pairings"]] == [
        ("lowest.py", "honest"),
        ("timid", "honest"),
        ("lowest.py", "random"),
        ("timid", "random"),
    ]
    for one in results["pairings"]:
        assert one["low"] <= one["share"] <= one["high"]
        assert one["matches"] == sum(seed["matches"] for seed in one["seeds"])
        # The rule looks after 200 matches: then half of the interval is below 6 % or not.
        for seed in one["seeds"]:
            (look,) = (at for at in seed["looks"] if at["matches"] == 200)
            narrow = (look["high"] - look["low"]) / 2 <= 0.06
            assert seed["matches"] == (200 if narrow else 250)
    assert {seed["matches"] for one in results["pairings"] for seed in one["seeds"]} == {200, 250}
    environment = json.loads((folder / "environment.json").read_text())
    assert set(environment["bots"]) == {"lowest.py", "timid", "honest", "random"}

    again = file.parent / "again"
    assert arena(file, "--out", again, "--jobs", 2).exit_code == 0
    for name in SAME:
        assert (again / name).read_bytes() == (folder / name).read_bytes(), name

    # What a crash left of a block is played again.
    matches = again / "matches.jsonl"
    whole = matches.read_bytes()
    matches.write_bytes(whole[: len(whole) * 2 // 3])
    assert arena(file, "--out", again).exit_code == 0
    for name in SAME:
        assert (again / name).read_bytes() == (folder / name).read_bytes(), name

    (file.parent / "lowest.py").write_text(LOWEST + "# another")
    file.write_text(EXPERIMENT.replace("250", "300"))
    refused = arena(file)
    assert refused.exit_code == 2
    assert "the experiment's file, lowest.py changed since" in " ".join(refused.stderr.split())


@pytest.mark.slow
def test_few_matches_have_figures_and_files_of_one_name_their_hashes(file: Path) -> None:
    (file.parent / "next").mkdir()
    (file.parent / "next" / "lowest.py").write_text(LOWEST + "# another")
    bots = '["lowest.py", "next/lowest.py", "DEPTH=3 lowest.py"]'
    file.write_text(f'bots = {bots}\nopponents = ["random"]\n[stop]\nmatches = 3')
    done = arena(file, "--json")
    assert done.exit_code == 0, done.output
    hashes = json.loads((file.with_suffix("") / "environment.json").read_text())["bots"]
    assert hashes.keys() == {"lowest.py", "next/lowest.py", "DEPTH=3 lowest.py", "random"}
    assert len(set(hashes.values())) == 3
    one, _, same = json.loads(done.stdout)["pairings"]
    assert one["matches"] == 4  # whole rotations
    assert same | {"bot": "lowest.py"} == one
    assert one["seeds"][0]["looks"] == [{name: one[name] for name in one["seeds"][0]["looks"][0]}]
    assert (file.with_suffix("") / "figures" / "progress.png").stat().st_size > 1_000


@pytest.mark.slow
def test_ctrl_c_leaves_a_folder_with_which_the_same_command_goes_on(file: Path) -> None:
    file.write_text(EXPERIMENT.replace("250", "100_000").replace("0.06", "0.0001"))
    command = [sys.executable, "-m", "arena", "run", str(file), "--jobs", "1"]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    matches = file.with_suffix("") / "matches.jsonl"
    end = time.monotonic() + 60
    while time.monotonic() < end and not (matches.exists() and matches.stat().st_size):
        os.sched_yield()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "The same command goes on" in said
    assert matches.read_text().splitlines()[-1].endswith('"complete":true}')


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("bots = [", "bot = [", "bots is missing"),
        ("matches = 250", "", "stop.matches is missing"),
        ('"random"]', '["random", "timid"]]', "`opponents` has a list of 2 for the 1 other seats"),
        ('"random"]', '"honest"]', "`opponents` names one of them twice"),
        ("dice_per_player = 2", "dice_per_player = 0", "dice_per_player"),
        ("lowest.py", "absent.py", "absent.py"),
        ("[stop]", "[stop", "is not TOML"),
    ],
)
def test_a_file_that_says_no_experiment_is_refused_and_makes_nothing(
    before: str, after: str, said: str, file: Path
) -> None:
    file.write_text(EXPERIMENT.replace(before, after))
    refused = arena(file)
    assert refused.exit_code == 2, refused.output
    assert said in " ".join(refused.stderr.split())
    assert not file.with_suffix("").exists()


def test_the_experiment_of_the_page_is_one_and_its_table_has_all_keys() -> None:
    page = (Path(__file__).parents[2] / "docs" / "experiments.md").read_text()
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert read_experiment(text, Path("first.toml")).stop.half_width == 0.02
    keys = {*Experiment.model_fields} - {"stop"} | {f"stop.{name}" for name in Stop.model_fields}
    assert all(f"`{key}`" in page for key in keys)


def test_a_folder_of_something_else_is_left_alone(file: Path) -> None:
    file.with_suffix("").mkdir()
    (file.with_suffix("") / "thesis.tex").write_text("x")
    refused = arena(file)
    assert refused.exit_code == 2
    assert "holds other files" in " ".join(refused.stderr.split())
