"""The base class of the errors that a user can mend.

Each package has a tree of its own. What derives from UserError in it ends a command with its
message and exit code 2 (arena/commands/errors.py); every other exception is a bug and keeps its
traceback.
"""


class UserError(Exception):
    """An error that the user can mend; the message says what is wrong and what to do."""
