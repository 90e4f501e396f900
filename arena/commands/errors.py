"""From an error to what the person at the keyboard reads: one sentence, and exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

USAGE = 2
"""The exit code of whatever the person can mend."""


class CommandError(Exception):
    """What a command cannot do, in a sentence that says what to do."""


@contextmanager
def told_in_a_sentence() -> Iterator[None]:
    """Turns the errors that a person can mend into a sentence; all others are bugs and stay."""
    # Imported here, because `arena --help` needs none of them.
    from arena.games import OptionsError, UnknownGameError
    from arena.referee.server import PortTakenError
    from arena.settings import SettingsError
    from arena.storage.errors import StorageError

    mendable = (
        CommandError,
        OptionsError,
        PortTakenError,
        SettingsError,
        StorageError,
        UnknownGameError,
    )
    try:
        yield
    except Exception as raised:
        error = _alone(raised)
        if not isinstance(error, mendable):
            raise
        typer.echo(f"arena: {error}", err=True)
        raise typer.Exit(USAGE) from error


def _alone(error: Exception) -> Exception:
    """The error itself, when task groups have wrapped it on its way up and no other beside it."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
