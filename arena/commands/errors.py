"""The end of a command after a user error: the message on stderr, and exit code 2.

arena/cli.py runs every command in `exit_with_message`; the commands only raise.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from arena.errors import UserError
from arena.printable import printable


class CommandError(UserError):
    """The error for a request that a command cannot carry out; the message says what to do."""


def cannot_be_written(file: Path, error: OSError) -> CommandError:
    """Return the error for a file that cannot be written.

    The reason is that of the errno where there is one: pyarrow's own messages are long.
    """
    reason = os.strerror(error.errno) if error.errno else error
    return CommandError(f"{file} cannot be written: {reason}.")


@contextmanager
def exit_with_message() -> Iterator[None]:
    """End the command with the message of a UserError; other errors are bugs and propagate."""
    try:
        yield
    except Exception as raised:
        error = _alone(raised)
        if not isinstance(error, UserError):
            raise
        message = printable(str(error), keep="\n")
        typer.echo(f"arena: {message}", err=True)
        raise typer.Exit(error.exit_code) from error


def _alone(error: Exception) -> Exception:
    """Return the error inside nested exception groups if all inner errors have one type.

    Otherwise return `error`. Task groups raise such groups.
    """
    leaves = list(_leaves(error))
    return leaves[0] if len({type(leaf) for leaf in leaves}) == 1 else error


def _leaves(error: Exception) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
