"""`BuildRefusedError`: see arena.builds."""

from arena.errors import UserError


class BuildRefusedError(UserError, ValueError):
    """An upload that is no valid build; the message says what was wrong and what is allowed."""
