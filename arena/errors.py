"""The base class of the errors that a user can correct.

Each package has its own tree of errors. An error derived from UserError ends a command with its
message and its exit code (arena/commands/errors.py); every other exception is a bug and keeps its
traceback.
"""

import sys
from typing import ClassVar, Final

INTERNAL_ERROR: Final = "internal error of the referee"
"""What a peer is told of our bugs: their own words could reveal what it must not know."""


class UserError(Exception):
    """An error that the user can correct; the message says what is wrong and what to do."""

    exit_code: ClassVar[int] = 2


def any_failure() -> type[BaseException]:
    """Return what a bot's code may raise, for an `except` clause: all but Ctrl-C.

    `sys.exit` in it would end a whole series, with an exit code that says something else of it.
    """
    return Exception if isinstance(sys.exception(), KeyboardInterrupt) else BaseException
