"""`BuildRefusedError`: see arena.builds."""

from arena.errors import UserError


class BuildRefusedError(UserError, ValueError):
    """What was handed in is no build; the message says what was wrong and what is allowed."""
