"""The `--option` option: game options as NAME=VALUE."""

from collections.abc import Sequence
from typing import Annotated

import typer

from arena.commands.errors import CommandError

OptionList = Annotated[
    list[str] | None,
    typer.Option("--option", help="An option of the game, as NAME=VALUE. May be repeated."),
]


def game_options(pairs: Sequence[str] | None) -> dict[str, object]:
    """Return the options of repeated NAME=VALUE pairs by name.

    Raises CommandError.
    """
    options: dict[str, object] = {}
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals:
            raise CommandError(f"--option: an option is given as NAME=VALUE, not {pair!r}.")
        options[name] = value
    return options
