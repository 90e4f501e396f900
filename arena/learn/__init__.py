"""Learning: encodings of the games, and environments that play them for programs that learn.

`encoding` needs numpy alone, so that a trained bot can use it wherever it is run; what needs more
is loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from arena.games.encoding import EncodedField, Encoding, EncodingError, encoding
from arena.learn.batch_rules import BatchPolicy

if TYPE_CHECKING:
    from arena.learn.vector import VectorEnv, vector_env

__all__ = [
    "BatchPolicy",
    "EncodedField",
    "Encoding",
    "EncodingError",
    "VectorEnv",
    "encoding",
    "vector_env",
]

_MODULES = {"VectorEnv": "arena.learn.vector", "vector_env": "arena.learn.vector"}
"""The modules of the names that need more than numpy."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
