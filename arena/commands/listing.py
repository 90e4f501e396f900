"""Options of commands that list, and what they say of the rest."""

from typing import Annotated

import typer

from arena.commands.terminal import say

SHOWN = 50
"""How many lines are printed by default."""

Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many to list, also with --json.")]
TableLimit = Annotated[
    int, typer.Option(min=1, max=100_000, help="How many lines; --json has them all.")
]
Search = Annotated[str, typer.Option(help="Only those with this in their name.")]
Prefix = Annotated[
    str, typer.Option("--search", help="Only those whose name begins with this, in any case.")
]


def say_shown(shown: int, count: int, what: str, more: str = "--limit shows more") -> None:
    """Below a list, say how much of it is shown, unless it is all."""
    if shown < count:
        say(f"{shown:,} of {count:,} {what}: {more}.")


def say_more(shown: int, what: str) -> None:
    """Below a list that does not show all, say so without counting the rest; `what` is one."""
    say(f"The first {_counted(shown, what)}: --limit and --search show others.")


def say_more_versions(shown: int) -> None:
    """Say below the versions of one bot, newest first, that there are more."""
    say(f"The newest {_counted(shown, 'version')}: --limit shows more.")


def _counted(shown: int, what: str) -> str:
    return what if shown == 1 else f"{shown:,} {what}s"
