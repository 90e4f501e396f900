"""Commands print strict JSON with --json, by one printer."""

import ast
import json
from pathlib import Path

import arena.commands
from arena.commands.terminal import json_text

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
