"""The error raised when a message cannot be read."""


class MalformedError(ValueError):
    """The error for a message that holds no valid value.

    The text says what is missing or wrong.
    """
