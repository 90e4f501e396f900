"""Ends commands on errors of the user: the message on stderr, and exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from arena.errors import UserError
from arena.printable import printable

USAGE = 2
"""The exit code for errors that the user can correct."""


class CommandError(UserError):
    """A request that a command cannot carry out; the message says what to do."""


@contextmanager
def exit_with_message() -> Iterator[None]:
    """End the command with the message of a UserError; other errors are bugs and pass through."""
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
    """The single error inside nested exception groups of task groups; otherwise `error`."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
