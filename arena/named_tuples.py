"""`maker`: a fast constructor of named tuples, for the hot path.

The constructor of a named tuple is a Python function; `maker` avoids this call. Each decision makes
eight named tuples, each in half the time this way. Other code calls the class, which checks the
number and names of the members.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

KindT = TypeVar("KindT", bound=tuple[Any, ...])


def maker(kind: type[KindT]) -> Callable[[tuple[Any, ...]], KindT]:
    """Return a function that makes a named tuple from a tuple of all its members, unchecked."""
    return partial(tuple.__new__, kind)
