"""The error raised when a message cannot be read."""


class MalformedError(ValueError):
    """An error in a message without a valid value of the game.

    The text says what is missing or wrong.
    """
