"""`arena new-bot`: copies a starter bot."""

from pathlib import Path
from typing import Annotated

import typer

from arena.local.starters import LANGUAGES, copy_starter, language_named

_ALL = ", ".join(LANGUAGES)


def _known(word: str) -> str:
    """Return the language, or raise; as a callback, before a missing folder is reported."""
    return language_named(word)


def new_bot(
    language: Annotated[
        str, typer.Argument(help=f"One of {_ALL}.", metavar="LANGUAGE", callback=_known)
    ],
    directory: Annotated[Path, typer.Argument(help="A new or an empty folder.", metavar="DIR")],
) -> None:
    """Copy a complete bot in a language of your choice, to be changed."""
    name = copy_starter(language, directory)
    typer.echo(
        f"{directory} holds a bot that plays all games. README.md says which file to change."
    )
    typer.echo(f"Build it there, and run it with ARENA_TOKEN set: {LANGUAGES[name]}")
