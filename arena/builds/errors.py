"""`BuildRefusedError`: see arena.builds."""

from arena.errors import UserError


class BuildRefusedError(UserError, ValueError):
    """An upload is not a valid build; the message says what is wrong and what is allowed."""
