"""`maker`: named tuples of the hot path, made without a call in Python.

A named tuple's own constructor is a function in Python. A decision makes eight of them, each in
half the time this way; what is made seldom is made by its class, which checks its members.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

KindT = TypeVar("KindT", bound=tuple[Any, ...])


def maker(kind: type[KindT]) -> Callable[[tuple[Any, ...]], KindT]:
    """Return a function that makes a named tuple of a tuple of all its members, unchecked."""
    return partial(tuple.__new__, kind)
