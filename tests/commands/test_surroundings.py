"""Commands in odd folders, with closed files and full disks, and interrupted at any time."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from itertools import combinations
from pathlib import Path

import pytest

from arena.isolation import package_root, safe_path
from arena.local.loading import SAMPLE_BOTS
from tests.littered import littered

ARENA = str(Path(sys.executable).with_name("arena"))
PROGRAM = f"{sys.executable} {SAMPLE_BOTS / 'honest.py'}"
PLAY = ("play", "honest", "random", "-n", "2", "--json")
PLAY_PROGRAM = ("play", PROGRAM, "random", "-n", "2", "--json")
INTERRUPTED = """
import os, signal, sys
from arena.__main__ import main

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == awaited:
            os.kill(os.getpid(), signal.SIGINT)

awaited, sys.argv = sys.argv[1], ["arena", *sys.argv[2:]]
sys.meta_path.insert(0, Interrupting())
main()
"""
"""Runs a command that is interrupted when it begins to import the module of the first argument."""


def run(
    *command: str, cwd: Path, shell: str = "", first: str = "", **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command; `shell` are redirections, `first` is a command of the shell before it."""
    shelled = ["sh", "-c", f'{first or ":"}; exec "$@" {shell}', "sh", *command]
    words = shelled if shell or first else [*command]
    return subprocess.run(
        words,
        cwd=cwd,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [PLAY, PLAY_PROGRAM], ids=["in process", "a program"])
def test_files_of_the_working_directory_stand_in_for_no_module(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = run(ARENA, *arguments, cwd=littered(tmp_path))
    assert done.stderr == ""
    assert json.loads(done.stdout)["matches"] == 2


@pytest.mark.slow
def test_nor_for_one_of_the_processes_that_share_the_work(tmp_path: Path) -> None:
    folder = littered(tmp_path)
    done = run(ARENA, *PLAY, "--same-deals", "--jobs", "2", cwd=folder)
    assert done.stderr == ""
    assert json.loads(done.stdout)["matches"] == 2


def test_a_module_on_pythonpath_shadows_none_but_is_found(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise SystemExit('shadowed')")
    (tmp_path / "tables.py").write_text("FACE = 1")
    bot = tmp_path / "elsewhere/mine.py"
    bot.parent.mkdir()
    bot.write_text(
        "import tables\nfrom arena_sample_bots.honest import Honest\nclass Mine(Honest): pass\n"
    )
    done = run(
        *(ARENA, "play", str(bot), "random", "-n", "2", "--json"),
        cwd=bot.parent,
        PYTHONPATH=str(tmp_path),
    )
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["random", "typing", "grpc", "numpy"])
@pytest.mark.parametrize("opponent", ["timid", PROGRAM], ids=["in process", "as a program"])
def test_a_bot_may_have_the_name_of_a_module(tmp_path: Path, name: str, opponent: str) -> None:
    bot = tmp_path / f"{name}.py"
    bot.write_text("from arena_sample_bots.honest import Honest\nclass Mine(Honest): pass\n")
    done = run(ARENA, "play", bot.name, opponent, "-n", "2", "--json", cwd=tmp_path)
    assert done.stderr == ""
    assert json.loads(done.stdout)["matches"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [PLAY, PLAY_PROGRAM], ids=["in process", "a program"])
@pytest.mark.parametrize(
    "closed",
    [of for count in (1, 2, 3) for of in combinations(("<&-", ">&-", "2>&-"), count)],
    ids=" ".join,
)
def test_closed_files_are_taken_for_empty_ones(
    tmp_path: Path, arguments: tuple[str, ...], closed: tuple[str, ...]
) -> None:
    done = run(ARENA, *arguments, cwd=tmp_path, shell=" ".join(closed))
    assert done.returncode == 0
    assert done.stderr == ""
    assert (done.stdout == "") is (">&-" in closed)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("arguments", [PLAY, PLAY_PROGRAM, ("--help",), ("solve", "--help")])
def test_output_that_cannot_be_written_is_a_sentence(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = run(ARENA, *arguments, cwd=tmp_path, shell=">/dev/full")
    assert done.returncode == 2
    assert done.stderr == "arena: cannot write to standard output: No space left on device.\n"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_errors_that_cannot_be_written_are_lost(tmp_path: Path) -> None:
    done = run(ARENA, *PLAY_PROGRAM[:-1], cwd=tmp_path, shell="2>/dev/full")
    assert done.returncode == 0
    assert "random" in done.stdout
    assert run(ARENA, "play", "nobody", cwd=tmp_path, shell="2>/dev/full").returncode == 2


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--transcripts", "--notes"])
def test_of_a_file_for_which_there_is_no_room_nothing_stays(tmp_path: Path, option: str) -> None:
    words = (ARENA, "play", "honest", "random", "-n", "200", option, "file")
    done = run(*words, cwd=tmp_path, first="ulimit -f 1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "arena: file cannot be written: File too large.\n"
    assert list(tmp_path.iterdir()) == []


def test_output_that_nobody_reads_needs_no_words(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [ARENA, *PLAY], cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, timeout=120
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def shown_on_a_terminal(*command: str, cwd: Path, **environment: str) -> bytes:
    """Run a command whose standard output is a terminal."""
    ours, its = os.openpty()
    with subprocess.Popen(
        command, cwd=cwd, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=its
    ) as running:
        os.close(its)
        shown = b""
        with suppress(OSError):  # the terminal's other end is closed
            while part := os.read(ours, 65_536):
                shown += part
    os.close(ours)
    assert running.returncode == 0
    return shown


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_lacks_a_character_shows_the_rest_and_files_pipes_and_json_are_utf_8(
    tmp_path: Path, encoding: str
) -> None:
    bot = tmp_path / "Лиса.py"
    bot.write_text("from arena_sample_bots.honest import Honest\nclass Mine(Honest): pass\n")
    words = (ARENA, "play", bot.name, "random", "-n", "2")
    shown = shown_on_a_terminal(*words, cwd=tmp_path, PYTHONIOENCODING=encoding)
    assert b"????" in shown and b"random" in shown
    for shell in ("", "> file"):
        done = run(*words, cwd=tmp_path, shell=shell, PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr) == (0, "")
        assert "Лиса" in (done.stdout or (tmp_path / "file").read_text("utf-8"))
    done = run(*words, "--json", cwd=tmp_path, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["win_rates"][0]["bot"].startswith("Лиса")


@pytest.mark.parametrize("words", [("bot", "matches"), ("event", "show")])
def test_an_argument_that_is_not_utf_8_is_named_in_a_sentence(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    done = run(
        *(ARENA, *words, "b\udcff"),
        cwd=tmp_path,
        ARENA_ADDRESS="127.0.0.1:1",
        ARENA_OWNER_KEY="arena_owner_x",
    )
    assert done.returncode == 2
    assert done.stderr == "arena: the argument b\\udcff is not text in UTF-8.\n"


def test_a_file_may_have_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    bot = tmp_path / "b\udcff.py"
    bot.write_text("from arena_sample_bots.honest import Honest\nclass Mine(Honest): pass\n")
    done = run(ARENA, "play", bot.name, "random", "-n", "2", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "module",
    [
        "arena.termination",
        "arena.cli",
        "typer",
        "arena.commands.home.play",
        "pydantic",
        "arena.local.in_process",
    ],
)
def test_ctrl_c_while_modules_are_imported_is_quiet(tmp_path: Path, module: str) -> None:
    done = run(sys.executable, "-c", INTERRUPTED, module, *PLAY, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, "")


def test_the_search_path_ends_with_what_the_surroundings_add() -> None:
    own = package_root()
    path = ["/work", "/extra", "/lib/python3", "/lib/python3/site-packages"]
    assert safe_path(path, "/extra") == [*path[2:], "/extra", own]
    assert safe_path(path, "") == [*path[1:], own]
    assert safe_path(["", *path[2:], own], "") == [*path[2:], own]
