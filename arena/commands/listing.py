"""Options of commands that list, and their notes on the omitted lines."""

from typing import Annotated

import typer

from arena.commands.terminal import say

SHOWN = 50
"""The default number of lines."""

Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many to list, also with --json.")]
TableLimit = Annotated[
    int, typer.Option(min=1, max=100_000, help="How many lines; --json has them all.")
]
Search = Annotated[str, typer.Option(help="Only those with this in their name.")]
Prefix = Annotated[
    str, typer.Option("--search", help="Only those whose name begins with this, in any case.")
]


def say_shown(shown: int, count: int, what: str, more: str = "--limit shows more") -> None:
    """Print below a list how many of its lines are shown, unless all are."""
    if shown < count:
        say(f"{shown:,} of {count:,} {what}: {more}.")


def say_more(shown: int, what: str) -> None:
    """Print below an incomplete list that there is more, without counting the rest.

    `what` names one line, in the singular.
    """
    say(f"The first {_counted(shown, what)}: --limit and --search show others.")


def say_more_versions(shown: int) -> None:
    """Print below the incomplete versions of a bot, newest first, that there are more."""
    say(f"The newest {_counted(shown, 'version')}: --limit shows more.")


def _counted(shown: int, what: str) -> str:
    return what if shown == 1 else f"{shown:,} {what}s"
