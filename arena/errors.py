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
    """Return the exceptions of a bot's code to catch, for an `except` clause.

    These are all but Ctrl-C. A `sys.exit` in the bot's code would otherwise end a whole series,
    with an exit code of another meaning.
    """
    return Exception if isinstance(sys.exception(), KeyboardInterrupt) else BaseException
