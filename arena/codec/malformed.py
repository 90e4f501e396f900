"""The one error of reading a message."""


class MalformedError(ValueError):
    """A message that holds no value of the game; the text says what is missing or wrong."""
