"""Commands print strict JSON with --json, by one printer."""

import ast
import json
import subprocess
import sys
from contextvars import copy_context
from pathlib import Path

import pytest

import arena.commands
from arena.commands.terminal import JSON_STREAM, json_text, say_json

COMMANDS = Path(arena.commands.__file__).parent
PRINTER = COMMANDS / "terminal.py"


def test_no_command_writes_json_by_itself() -> None:
    found = [
        f"{path.relative_to(COMMANDS)}:{node.lineno}"
        for path in COMMANDS.rglob("*.py")
        if path != PRINTER
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Attribute) and node.attr == "dumps")
        or (isinstance(node, ast.alias) and node.name == "dumps")
    ]
    assert not found


def test_infinite_and_undefined_numbers_are_null() -> None:
    value = {"a": [float("inf"), (1.5, float("-inf"))], "b": {"c": float("nan")}, "d": True}
    wanted = {"a": [None, [1.5, None]], "b": {"c": None}, "d": True}
    assert json.loads(json_text(value)) == wanted
    assert json.loads(json_text(value, indent=2)) == wanted


def test_letters_are_printed_and_control_characters_and_lone_surrogates_escaped() -> None:
    text = json_text({"name": "Blöff \x1b[2J \u202e \ud800"})
    assert text == r'{"name": "Blöff \u001b[2J \u202e \ud800"}'


LOUD = """
import atexit, os, subprocess
from arena.bot import Bot

print("loaded", flush=True)
os.write(1, b"past Python\\n")
atexit.register(print, "the end")

class Loud(Bot):
    childless = True

    def act(self, turn):
        print("thinking")
        if Loud.childless:
            Loud.childless = False
            subprocess.run(["echo", "a child"], check=True)
        return next(turn.choices())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["play", "loud.py", "honest", "-n", "4", "-j", "1"],
        ["play", "loud.py", "honest", "-n", "40", "-j", "2"],
        ["test", "loud.py", "honest", "--max-blocks", "4", "-j", "1"],
        [
            *("tournament", "play", "--format", "gauntlet", "--blocks", "2"),
            "--bots",
            "loud.py,honest",
        ],
        ["exploit", "loud.py", "--train", "50", "--matches", "20"],
    ],
)
def test_what_a_bot_prints_is_not_in_the_json(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(LOUD)
    command = [sys.executable, "-m", "arena", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert isinstance(json.loads(done.stdout), dict), done.stderr
    assert "loaded\n" in done.stderr
    assert "past Python\n" in done.stderr


def test_json_goes_to_whoever_reads_it(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as file:
        context = copy_context()
        context.run(JSON_STREAM.set, file)
        context.run(say_json, {"a": 1})
    assert json.loads((tmp_path / "out").read_text()) == {"a": 1}
