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
        (["--certify", "nowhere.npz"], "nowhere.npz holds no solved states"),
        (["--certify", "nowhere.npz", "--dice", "1,1"], "--certify takes a file and no other"),
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
