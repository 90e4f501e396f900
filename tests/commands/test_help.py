"""`--help` says what every argument is."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from arena.cli import COMMANDS, application


def arguments_of(command: Any, words: str) -> Iterator[tuple[str, str | None]]:
    """The positional arguments of a command and of those below it, each with its help."""
    for name, below in getattr(command, "commands", {}).items():
        yield from arguments_of(below, f"{words} {name}")
    for one in command.params:
        if one.param_type_name == "argument":
            yield f"{words} {one.name}", one.help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_positional_argument_has_its_help(name: str) -> None:
    command: Any = typer.main.get_command(application([name]))
    found = list(arguments_of(command.commands[name], name))
    assert [words for words, told in found if not told] == []
