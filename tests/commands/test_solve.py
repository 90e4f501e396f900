"""`arena solve`: values with bounds, files, and mistakes answered in a sentence."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from arena.commands.solve import solve
from arena.home.loading import SAMPLE_BOTS

compiles = pytest.mark.slow
"""The solver's loops, by numba, which takes a while."""

app = typer.Typer()
app.command()(solve)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def printed(*arguments: object) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@compiles
def test_a_single_round_is_printed_with_its_bounds() -> None:
    told = printed("--dice", "1,1", "--one-round", "--width", 1e-3)
    assert list(told) == [
        "opener_dice", "other_dice", "value", "low", "high", "exploitability", "iterations",
        "seconds",
    ]  # fmt: skip
    assert (told["opener_dice"], told["other_dice"]) == (1, 1)
    assert told["low"] <= -7 / 258 <= told["high"] <= told["low"] + 1e-3
    assert told["value"] == pytest.approx((told["low"] + told["high"]) / 2, abs=1e-8)


@compiles
def test_a_match_with_options_is_printed_with_its_states() -> None:
    options = ["--option", "dice_per_player=1", "--width", 1e-3]
    told = printed(*options, "--option", "start_star_value=0")
    assert told["options"]["start_star_value"] == 0
    assert (told["low"], told["value"], told["high"]) == (0.5, 0.5, 0.5)
    (state,) = told["states"]
    assert (state["opener_dice"], state["other_dice"]) == (1, 1)
    told = printed(*options, "--option", "start_mode=seat")
    assert (told["low"], told["high"]) == (state["low"], state["high"])
    words = run(*options).stdout
    assert "Seat 0 wins a match from 1 die each with 50.0000%" in words


@compiles
def test_several_processes_write_the_same_file(tmp_path: Path) -> None:
    files = [tmp_path / "1", tmp_path / "2"]
    for jobs, file in enumerate(files, start=1):
        tables = ("--tables", file, "--recall", "1,2:3", "--sweeps", 2)
        assert run("--option", "dice_per_player=2", *tables, "--jobs", jobs).exit_code == 0
    assert files[0].read_bytes() == files[1].read_bytes()


@compiles
def test_solved_states_are_kept_and_certified(tmp_path: Path) -> None:
    file = tmp_path / "solved.npz"
    first = printed("--dice", "1,1", "--width", 1e-2, "--to", file)
    again = printed("--dice", "1,1", "--width", 1e-4, "--to", file)
    assert again["iterations"] == first["iterations"], "what is in the file is not solved again"
    (proven,) = printed("--certify", file)
    assert proven["low"] == pytest.approx(first["low"], abs=1e-6)
    assert proven["high"] == pytest.approx(first["high"], abs=1e-6)


@compiles
def test_when_the_time_is_over_the_bounds_so_far_are_told() -> None:
    told = printed("--dice", "2,1", "--seconds", 1.5)
    assert told["high"] - told["low"] > 2e-5
    assert told["low"] < 0.8 < told["high"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--dice", "1"], "give two counts from 1, such as 2,1"),
        (["--dice", "0,2"], "give two counts from 1, such as 2,1"),
        (["--dice", "3,4"], "at most 4 dice together"),
        (["--one-round"], "--one-round needs --dice"),
        (["--option", "dice_per_player=3"], "which do not fit into memory"),
        (["--option", "dice_per_player=1", "--dice", "2,1"], "from 1 dice each never has so many"),
        (["--option", "show_and_reroll=true"], "without its extension"),
        (["--option", "start_star=6"], "there is no option 'start_star'"),
        # It waits for the scheduler.
        pytest.param(
            ["--cluster", "tcp://127.0.0.1:1"], "No scheduler answers", marks=pytest.mark.slow
        ),
        (["--tables", "x", "--recall", "few"], "--recall: 'few' is neither a number from 1"),
        (["--tables", "x", "--recall", "3"], "at most 2 bets, and 6 with at most 4 dice in play"),
        (["--tables", "x", "--recall", "2,5:3"], "do not fit into memory"),
        (["--tables", "x", "--sweeps", "0"], "--sweeps: '0' is neither a number from 1"),
        (["--recall", "2"], "--recall and --sweeps say how --tables FILE is made"),
        (["--dice", "1,1", "--sweeps", "9"], "--recall and --sweeps say how --tables FILE is made"),
        (["--certify", "nowhere.npz"], "nowhere.npz holds no solved states (No such file"),
        (["--certify", str(Path(__file__))], "it is no file of `arena solve --to` or `--tables`"),
        (["--certify", "nowhere.npz", "--one-round"], "--certify takes a file, --dice A,B and no"),
    ],
)
def test_a_mistake_is_answered_in_a_sentence(arguments: list[str], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.slow
def test_the_shipped_tables_are_proven_to_be_near_equilibrium_where_they_are_exact() -> None:
    states = printed("--certify", SAMPLE_BOTS / "cfr.tables")
    assert [(one["opener_dice"], one["other_dice"]) for one in states] == [(1, 1), (1, 2), (2, 1)]
    for state, value in zip(states, (0.486434, 0.205867, 0.809464), strict=True):
        # A byte for a probability costs that much.
        assert state["high"] - state["low"] < 0.02
        assert state["low"] <= value <= state["high"]
