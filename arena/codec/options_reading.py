"""Validation of options read from a message."""

from typing import Any, TypeVar

from pydantic import ValidationError

from arena.codec.malformed import MalformedError
from arena.games.game import Options

OptionsT = TypeVar("OptionsT", bound=Options)


def validated(kind: type[OptionsT], values: dict[str, Any]) -> OptionsT:
    """Return the options with these values.

    Raises MalformedError if the game does not accept them.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        # The message omits the value itself: it is untrusted and of any size.
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the options"
        raise MalformedError(f"{where}: {first['msg']}") from None
