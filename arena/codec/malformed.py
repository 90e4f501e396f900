"""The error raised when a message cannot be read."""


class MalformedError(ValueError):
    """A message holds no valid value of the game; the text says what is missing or wrong."""
