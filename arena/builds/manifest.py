"""bot.toml: the command and settings of a build in a .zip."""

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from arena.builds.errors import BuildRefusedError
from arena.games import GAMES

MANIFEST: Final = "bot.toml"
MOST_MANIFEST_BYTES: Final = 4 * 1024
"""The most bytes of bot.toml: a key with thousands of dots takes time and memory that grow with the
square of its length.
"""
MOST_WORDS: Final = 32
MOST_MATCHES_AT_ONCE: Final = 64
DEFAULT_MATCHES_AT_ONCE: Final = 16
_KEYS: Final = ("command", "protocol", "games", "matches_at_once")
_HELP: Final = (
    'Example: command = ["node", "bot.js"]. See docs/submit.md for `protocol`, `games` and '
    "`matches_at_once`."
)


class Protocol(StrEnum):
    """The protocol that a build's program speaks."""

    GRPC = "grpc"
    """The arena's protocol, to the address in ARENA_ADDRESS."""
    LINES = "lines"
    """Lines of JSON on its stdin and stdout (docs/stdio.md)."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of bot.toml."""

    command: tuple[str, ...]
    """The command: a file of the build that ends in .py and holds one bot; or `python`, `node` or a
    file of the build (`./bot`), and its arguments.
    """
    protocol: Protocol = Protocol.GRPC
    games: tuple[str, ...] = ("bluff",)
    """The games of a program that speaks lines; others report theirs to the referee."""
    matches_at_once: int = DEFAULT_MATCHES_AT_ONCE
    """The most matches at once of a program that speaks lines; others report theirs themselves."""


def read_manifest(text: bytes, files: Collection[str]) -> Manifest:
    """Return the manifest in a bot.toml that lies beside these files. Raises BuildRefusedError."""
    try:
        # Editors of Windows may write a byte order mark, which TOML ignores.
        said = tomllib.loads(text.decode("utf-8-sig"))
    # Some exceptions of tomllib are plain ones, as for a number of thousands of digits.
    except (ValueError, RecursionError) as error:
        raise BuildRefusedError(f"{MANIFEST} is not TOML: {error}. {_HELP}") from error
    for key in said:
        if key not in _KEYS:
            raise BuildRefusedError(
                f"{MANIFEST} has a key {key[:40]!r}; there are {', '.join(_KEYS)}."
            )
    return Manifest(
        _command(said.get("command"), files),
        _protocol(said.get("protocol", "grpc")),
        _games(said.get("games", ["bluff"])),
        _matches(said.get("matches_at_once", DEFAULT_MATCHES_AT_ONCE)),
    )


def _command(said: Any, files: Collection[str]) -> tuple[str, ...]:
    if (
        not isinstance(said, list)
        or not 1 <= len(said) <= MOST_WORDS
        or not all(isinstance(word, str) and word and "\0" not in word for word in said)
    ):
        raise BuildRefusedError(
            f"{MANIFEST}: `command` is missing, or not a list of 1 to {MOST_WORDS} words. {_HELP}"
        )
    program, *rest = said
    if program in ("python", "python3", "node"):
        if not rest:
            raise BuildRefusedError(f"{MANIFEST}: `command` names no file for {program} to run.")
        return tuple(said)
    if program.removeprefix("./") in files:
        return (program.removeprefix("./"), *rest)
    raise BuildRefusedError(
        f"{MANIFEST}: `command` begins with {program[:60]!r}; it may begin with `python`, `node`, "
        "or a file of the .zip such as `./bot`: a program for Linux, statically linked, or a "
        "script whose first line begins with `#!`."
    )


def _protocol(said: Any) -> Protocol:
    try:
        return Protocol(said)
    except ValueError:
        raise BuildRefusedError(
            f'{MANIFEST}: `protocol` is "grpc", or "lines" for a program that reads and writes '
            "lines of JSON."
        ) from None


def _games(said: Any) -> tuple[str, ...]:
    if isinstance(said, list) and said and all(one in GAMES for one in map(str, said)):
        return tuple(dict.fromkeys(map(str, said)))
    raise BuildRefusedError(
        f"{MANIFEST}: `games` is a list of the games that the bot plays: {', '.join(GAMES)}."
    )


def _matches(said: Any) -> int:
    if type(said) is int and 1 <= said <= MOST_MATCHES_AT_ONCE:
        return said
    raise BuildRefusedError(
        f"{MANIFEST}: `matches_at_once` is a number from 1 to {MOST_MATCHES_AT_ONCE}."
    )
