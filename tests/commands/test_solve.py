"""`arena solve`: values with bounds, files, and mistakes answered in a sentence."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.lab.solver import ByDice, solve_last_bets, write_play
from arena.local.loading import SAMPLE_BOTS
from tests.commands.running import arena

compiles = pytest.mark.slow
"""The solver's loops, by numba, which takes a while."""

KEYS = [
    "opener_dice", "other_dice", "value", "low", "high", "exploitability", "iterations", "seconds",
]  # fmt: skip

run = partial(arena, "solve")


def printed(*arguments: object) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.system  # computes for long
@compiles
def test_a_single_round_is_printed_with_its_bounds() -> None:
    told = printed("--dice", "1,1", "--one-round", "--width", 1e-3)
    assert list(told) == KEYS
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


def in_a_process(program: str, *arguments: object, **environment: str) -> tuple[int, str]:
    """The exit code and what is printed on stderr by a command that begins with this program."""
    words = [sys.executable, "-c", f"{program or 0}; from arena.__main__ import main; main()"]
    done = subprocess.run(
        [*words, *map(str, arguments)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--help"], 0, ""),
        (["--dice", "9"], 2, "--dice 9: give two counts from 1"),
        (["--certify", ".", "--one-round"], 2, "--certify takes --dice A,B, --json and no"),
        (["--tables", "file", "--dice", "1,1"], 2, "--tables solves all states"),
        (["--one-round"], 2, "--one-round needs --dice A,B"),
        (["--dice", "1,1"], 2, "numba is not installed: this needs `pip install"),
    ],
)
def test_arguments_are_read_before_numba_is_missing(
    arguments: list[str], code: int, words: str
) -> None:
    found, said = in_a_process("import sys; sys.modules['numba'] = None", "solve", *arguments)
    assert found == code
    assert words in said


@compiles
@pytest.mark.parametrize("jobs", [1, 2])
def test_it_says_once_that_loops_are_compiled_and_nothing_when_they_are(
    tmp_path: Path, jobs: int
) -> None:
    words = "Compiling the solver's loops"
    arguments = ["--option", "dice_per_player=2", "--tables", tmp_path / "tables", "--sweeps", 1]
    for times in (1, 0):
        code, said = in_a_process(
            "", "solve", *arguments, "--jobs", jobs, NUMBA_CACHE_DIR=str(tmp_path / "cache")
        )
        assert code == 0
        assert said.count(words) == times


@compiles
def test_states_that_know_as_many_bets_are_taken_from_other_tables(tmp_path: Path) -> None:
    """They were improved more often, so they are not solved again."""

    def solve(name: str, *arguments: str) -> bytes:
        file = tmp_path / name
        words = ("--option", "dice_per_player=2", "--tables", file, "--jobs", "1")
        assert run(*words, *arguments).exit_code == 0
        return file.read_bytes()

    solve("one", "--recall", "1,2:3", "--sweeps", "2,2:5")
    alone = solve("two", "--recall", "2,2:3", "--sweeps", "2,2:5")
    more = ("--recall", "2,2:3", "--sweeps", "2")
    assert solve("taken", *more, "--take", str(tmp_path / "one")) == alone
    assert solve("not taken", *more) != alone


@compiles
def test_several_processes_write_the_same_file(tmp_path: Path) -> None:
    files = [tmp_path / "1", tmp_path / "2"]
    for jobs, file in enumerate(files, start=1):
        tables = ("--tables", file, "--recall", "1,2:3", "--sweeps", 2)
        assert run("--option", "dice_per_player=2", *tables, "--jobs", jobs).exit_code == 0
    assert files[0].read_bytes() == files[1].read_bytes()


@compiles
def test_solved_states_are_kept_and_certified(tmp_path: Path) -> None:
    folder = tmp_path / "solved"
    first = printed("--dice", "1,1", "--width", 1e-2, "--to", folder)
    assert printed("--dice", "1,1", "--width", 1e-2, "--to", folder) == first
    (proven,) = printed("--certify", folder)
    assert proven == first
    better = printed("--dice", "1,1", "--width", 1e-4, "--to", folder)
    assert better["iterations"] > first["iterations"]
    assert better["high"] - better["low"] <= 1e-4
    assert printed("--certify", folder) == [better]
    missing = run("--certify", folder, "--dice", "1,2")
    assert missing.exit_code == 2
    assert "holds no solved state of 1 against 2 dice" in missing.stderr
    alone = run("--certify", folder / "1-1.state")
    assert alone.exit_code == 2
    assert f"1-1.state is a single state: give the folder, {folder}." in alone.stderr


@pytest.mark.system  # a minute or more on a slow machine
@compiles
def test_what_may_follow_is_not_missing_from_what_is_certified(tmp_path: Path) -> None:
    folder = tmp_path / "solved"
    assert run("--dice", "1,2", "--width", 0.2, "--to", folder).exit_code == 0
    (folder / "1-1.state").unlink()
    play = tmp_path / "play"
    states = solve_last_bets([(1, 2)], sweeps=ByDice(1), values={(1, 1): 0.5})
    write_play(play, states)
    for held in (folder, play):
        missing = run("--certify", held)
        assert missing.exit_code == 2
        assert f"{held} holds no solved state of 1 against 1 dice." in missing.stderr


@pytest.mark.system  # computes for long
@compiles
def test_a_state_that_was_cut_off_is_improved_and_so_is_what_rests_on_it(tmp_path: Path) -> None:
    folder = tmp_path / "solved"
    cut_off = run("--dice", "1,1", "--seconds", 0.1, "--width", 1e-8, "--to", folder, "--json")
    assert cut_off.exit_code == 0
    assert "1 against 1 dice: the bounds are" in cut_off.stderr
    assert "apart, not 1e-08: the time was over." in cut_off.stderr
    before = json.loads(cut_off.stdout)
    gap = before["high"] - before["low"]
    # Of the width that is asked for, a quarter is left to what the state rests on.
    told = run("--dice", "1,2", "--width", gap / 2, "--to", folder, "--json")
    assert "the bounds are" not in told.stderr
    state = json.loads(told.stdout)
    assert state["high"] - state["low"] <= gap / 2
    first, second = printed("--certify", folder)
    assert first["high"] - first["low"] <= gap / 8
    assert second == state


def interrupted(*arguments: str, after: str) -> str:
    """Return what `arena solve` prints after Ctrl-C at a line that begins with `after`."""
    words = [sys.executable, "-m", "arena", "solve", *arguments]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as solving:
        assert solving.stderr is not None
        for line in solving.stderr:
            if line.startswith(after):
                solving.send_signal(signal.SIGINT)
                break
        rest = solving.stderr.read()
    assert solving.returncode == 130
    return rest


@compiles
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_keeps_what_was_found_and_the_same_command_goes_on(
    tmp_path: Path, jobs: int
) -> None:
    folder = tmp_path / "solved"
    command = f"--dice 1,2 --width 1e-4 --jobs {jobs} --to".split()
    rest = interrupted(*command, str(folder), after="1 against 2 dice: ")
    assert "Stopping: what was found is kept first." in rest
    assert f"arena: Stopped; what was found is in {folder}, and the same command goes on" in rest
    _, before = printed("--certify", folder)
    assert before["high"] - before["low"] > 1e-4
    reached = before["high"] - before["low"] + 2e-9  # they are printed to nine places
    again = printed("--dice", "1,2", "--width", reached, "--to", folder)
    assert again["iterations"] == before["iterations"]


@compiles
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_a_search_that_keeps_nothing(jobs: int) -> None:
    command = f"--dice 1,1 --width 1e-9 --seconds 20 --jobs {jobs}".split()
    rest = interrupted(*command, after="1 against 1 dice: ")
    assert "Stopping: what was found" not in rest


@compiles
def test_when_the_time_is_over_the_bounds_so_far_are_told() -> None:
    said = run("--dice", "2,1", "--seconds", 0.1, "--json")
    told = json.loads(said.stdout)
    assert told["high"] - told["low"] > 2e-5
    assert told["low"] < 0.8 < told["high"]
    assert "2 against 1 dice: the bounds are" in said.stderr and "1e-05" in said.stderr


@compiles
def test_states_beyond_the_proof_are_printed_in_the_same_way(tmp_path: Path) -> None:
    folder = tmp_path / "solved"
    said = run("--dice", "2,3", "--width", 5e-2, "--sweeps", 2, "--to", folder, "--json")
    assert said.exit_code == 0, said.stderr
    told = json.loads(said.stdout)
    assert list(told) == KEYS
    assert (told["low"], told["high"], told["exploitability"]) == (0, 1, None)
    assert 0.1 < told["value"] < 0.4 and told["iterations"] == 2
    assert "nothing is proven of them" in said.stderr and "2 against 3 dice: value" in said.stderr
    assert [one["opener_dice"] for one in printed("--certify", folder)] == [1, 1, 2]
    told = printed("--dice", "1,4", "--one-round", "--sweeps", 2)
    assert (told["low"], told["high"], told["exploitability"]) == (-1, 1, None)
    table = run("--dice", "2,3", "--width", 5e-2, "--sweeps", 2, "--to", folder).stdout
    assert "not proven" in table and "unknown" in table


@compiles
def test_all_states_of_a_match_are_printed_with_proof_where_there_is_one(tmp_path: Path) -> None:
    options = "--option", "dice_per_player=3", "--option", "start_mode=seat"
    said = run(*options, "--width", 5e-2, "--sweeps", 1, "--json")
    assert said.exit_code == 0, said.stderr
    told = json.loads(said.stdout)
    assert [(one["opener_dice"], one["other_dice"]) for one in told["states"]] == [
        (1, 1), (1, 2), (2, 1), (1, 3), (2, 2), (3, 1), (2, 3), (3, 2), (3, 3),
    ]  # fmt: skip
    proven = [one["exploitability"] is not None for one in told["states"]]
    assert proven == [True] * 3 + [False] * 6
    assert told["value"] == told["states"][-1]["value"]
    assert (told["low"], told["high"]) == (0, 1)
    tables = printed("--option", "dice_per_player=2", "--sweeps", 1, "--tables", tmp_path / "play")
    assert len(tables["states"]) == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--dice", "1"], "give two counts from 1, such as 2,1"),
        (["--dice", "0,2"], "give two counts from 1, such as 2,1"),
        (["--dice", "6,1"], "a match from 5 dice each never has so many"),
        (["--one-round"], "--one-round needs --dice"),
        (["--option", "dice_per_player=1", "--dice", "2,1"], "from 1 dice each never has so many"),
        (["--option", "show_and_reroll=true"], "without its extension"),
        (["--option", "start_star=6"], "there is no option 'start_star'"),
        (["--cluster", "tcp://127.0.0.1:1"], "No scheduler answers"),
        (["--tables", "x", "--recall", "few"], "--recall: 'few' is neither a number from 1"),
        (["--tables", "x", "--recall", "3"], "at most 2 bets, and 6 with at most 4 dice in play"),
        (["--tables", "x", "--recall", "2,5:3"], "do not fit into memory"),
        (["--tables", "x", "--sweeps", "0"], "--sweeps: '0' is neither a number from 1"),
        (
            ["--recall", "2"],
            "--recall and --sweeps say how play is improved that knows only the last bets",
        ),
        (
            ["--dice", "1,1", "--sweeps", "9"],
            "--recall and --sweeps say how play is improved that knows only the last bets",
        ),
        (["--take", "x"], "--take says what --tables FILE need not solve: give both."),
        (["--certify", "nowhere"], "There is no file or folder nowhere."),
        (["--certify", str(Path(__file__).parent)], "commands holds no solved states"),
        (["--certify", str(Path(__file__))], "is no folder of solved states"),
        (["--dice", "1,1", "--to", str(Path(__file__))], "is no folder of solved states"),
        (["--to", "/proc/solved"], "/proc/solved takes no files: No such file or directory."),
        *(
            (["--certify", ".", *others], "--certify takes --dice A,B, --json and no other options")
            for others in (
                ["--one-round"],
                ["--recall", "2"],
                ["--sweeps", "9"],
                ["--width", "0.1"],
                ["--seconds", "9"],
                ["--jobs", "2"],
                ["--to", "x"],
                ["--tables", "x"],
                ["--take", "x"],
            )
        ),
        (["--certify", ".", "--dice", "3,3"], "There is no proof with more than 4 dice in play"),
        (["--tables", "x", "--seconds", "1"], "leave --dice, --one-round, --width and --seconds"),
        (["--tables", "x", "--width", "0.1"], "leave --dice, --one-round, --width and --seconds"),
        (["--option", "dice_per_player=5", "--seconds", "1"], "here with 10 dice in play, ends"),
        (["--dice", "2,3", "--seconds", "1"], "--seconds stops only what is proven"),
        (["--dice", "2,3", "--one-round", "--width", "0.1"], "--width: nothing is proven of"),
    ],
)
def test_a_mistake_is_answered_in_a_sentence(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.executors.CONNECT_SECONDS", 0.5)
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
