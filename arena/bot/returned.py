"""Messages about the values that a bot's methods return or raise."""

from inspect import iscoroutine

from arena.errors import any_failure
from arena.validation_errors import shown


def no_action(value: object, title: str) -> str:
    """Return a sentence that shows what `act` returned instead of an action of the game."""
    if iscoroutine(value):
        value.close()  # avoids Python's warning that it was never awaited
        return "act returned a coroutine: it is to be written with def, not with async def."
    return f"act returned {shown(value)}, which is no action of {title}."


def error_message(error: BaseException) -> str:
    """Return the type and the message of a bot's exception."""
    try:
        return f"{type(error).__name__}: {error}"
    except any_failure():  # its own __str__ may fail
        return type(error).__name__
