"""bot.toml: the command and settings of a build in a .zip."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from arena.builds.errors import BuildRefusedError
from arena.games import GAMES
from arena.toml_text import TomlError, read_toml

MANIFEST: Final = "bot.toml"
MOST_MANIFEST_BYTES: Final = 4 * 1024
"""The most bytes of bot.toml."""
MOST_WORDS: Final = 32
MOST_MATCHES_AT_ONCE: Final = 64
DEFAULT_MATCHES_AT_ONCE: Final = 16
MOST_PACKAGES: Final = 32
_KEYS: Final = ("command", "protocol", "games", "matches_at_once", "packages")
_HELP: Final = (
    'Example: command = ["node", "bot.js"]. See docs/submit.md for `protocol`, `games`, '
    "`matches_at_once` and `packages`."
)
_PACKAGE: Final = re.compile(
    r"(?P<name>[A-Za-z0-9]([A-Za-z0-9._-]{0,60}[A-Za-z0-9])?)"
    r"\s*(?P<versions>((==|!=|>=|<=|>|<|~=)\s*[0-9][0-9A-Za-z.*+!-]{0,30}\s*,?\s*){0,4})"
)
"""A requirement in pip's form, without extras, markers and URLs."""


class Protocol(StrEnum):
    """The protocol that a build's program speaks."""

    GRPC = "grpc"
    """The arena's own protocol; the program connects to ARENA_ADDRESS."""
    LINES = "lines"
    """Lines of JSON on the program's stdin and stdout (docs/stdio.md)."""


@dataclass(frozen=True, slots=True)
class Package:
    """A Python package that a program imports, by the name of its distribution."""

    name: str
    """In lower case, with hyphens."""
    versions: str = ""
    """The versions that it accepts, such as ">=2.0,<3"; empty for any."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of bot.toml."""

    command: tuple[str, ...]
    """The command: a .py file of the build with one bot; or `python`, `node` or a file of the build
    (`./bot`), with arguments.
    """
    protocol: Protocol = Protocol.GRPC
    games: tuple[str, ...] = ("bluff",)
    """The games of a program with Protocol.LINES; other programs report theirs to the referee."""
    matches_at_once: int = DEFAULT_MATCHES_AT_ONCE
    """The most matches at once with Protocol.LINES; other programs report theirs themselves."""
    packages: tuple[Package, ...] = ()
    """The Python packages that it imports."""


def read_manifest(text: bytes, files: Collection[str]) -> Manifest:
    """Return the manifest in a bot.toml of a build with these files. Raises BuildRefusedError."""
    try:
        # Editors of Windows may write a byte order mark, which TOML ignores.
        said = read_toml(text.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BuildRefusedError(f"{MANIFEST} is not UTF-8: {error}. {_HELP}") from error
    except TomlError as error:
        raise BuildRefusedError(f"{MANIFEST} {error}. {_HELP}") from error
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
        _packages(said.get("packages", [])),
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


def _packages(said: Any) -> tuple[Package, ...]:
    if not isinstance(said, list) or len(said) > MOST_PACKAGES:
        raise BuildRefusedError(
            f"{MANIFEST}: `packages` is a list of at most {MOST_PACKAGES} packages."
        )
    found = []
    for one in said:
        match = _PACKAGE.fullmatch(one.strip()) if isinstance(one, str) else None
        if match is None:
            raise BuildRefusedError(
                f"{MANIFEST}: `packages` has {str(one)[:60]!r}; allowed are names with versions, "
                'such as "numpy" or "onnxruntime>=1.20,<2".'
            )
        found.append(Package(canonical_name(match["name"]), match["versions"].strip(" ,")))
    return tuple(found)


def canonical_name(name: str) -> str:
    """Return the name of a distribution in the form that package indexes compare (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _matches(said: Any) -> int:
    if type(said) is int and 1 <= said <= MOST_MATCHES_AT_ONCE:
        return said
    raise BuildRefusedError(
        f"{MANIFEST}: `matches_at_once` is a number from 1 to {MOST_MATCHES_AT_ONCE}."
    )
