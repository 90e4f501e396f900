"""The base class of the errors that a user can correct.

Each package has its own tree of errors. An error derived from UserError ends a command with its
message and its exit code (arena/commands/errors.py); every other exception is a bug and keeps its
traceback.
"""

import sys
from typing import ClassVar, Final

INTERNAL_ERROR: Final = "internal error of the referee"
"""The message that a peer receives about a bug of the referee.

The exception's own text could reveal data that the peer must not know.
"""


class UserError(Exception):
    """An error that the user can correct; the message says what is wrong and what to do."""

    exit_code: ClassVar[int] = 2


def any_failure() -> type[BaseException]:
    """Return the type for an `except` clause that catches any failure of a bot's code.

    It catches everything except Ctrl-C. Otherwise a `sys.exit` in the bot's code would end a whole
    series, with an exit code that has another meaning here.
    """
    return Exception if isinstance(sys.exception(), KeyboardInterrupt) else BaseException
