"""From an error to what a user reads: its message on stderr, and exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from arena.errors import UserError
from arena.printable import printable

USAGE = 2
"""The exit code of whatever the user can mend."""


class CommandError(UserError):
    """What a command cannot do, in a sentence that says what to do."""


@contextmanager
def exit_with_message() -> Iterator[None]:
    """End the command with the message of a UserError; all other errors are bugs and stay."""
    try:
        yield
    except Exception as raised:
        error = _alone(raised)
        if not isinstance(error, UserError):
            raise
        message = printable(str(error), keep="\n")
        typer.echo(f"arena: {message}", err=True)
        raise typer.Exit(USAGE) from error


def _alone(error: Exception) -> Exception:
    """The error itself, when task groups have wrapped it on its way up and no other beside it."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
