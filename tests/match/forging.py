"""Altered transcripts and the expected errors."""

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from arena.match.replay import TranscriptError
from arena.match.transcript_json import from_json, to_json
from arena.match.verify import verify
from tests.games.contract import Case
from tests.match.matches import some_match

Document: TypeAlias = dict[str, Any]


def document(case: Case, seed: int = 11, faulty: float = 0.0) -> Document:
    value: Document = json.loads(json.dumps(to_json(some_match(case, seed, faulty))))
    return value


def complaint(altered: Document) -> str:
    """What is said about a transcript; "" when it is found to be in order."""
    try:
        verify(from_json(altered))
    except TranscriptError as error:
        return str(error) or "an error without a word"
    return ""


def altered(original: Document, *path: Any, to: Any) -> Document:
    """A copy with one member changed."""
    copied = copy.deepcopy(original)
    target: Any = copied
    for key in path[:-1]:
        target = target[key]
    assert target[path[-1]] != to
    target[path[-1]] = to
    return copied


def flipped(hexadecimal: str, at: int) -> str:
    digit = "0" if hexadecimal[at] != "0" else "1"
    return hexadecimal[:at] + digit + hexadecimal[at + 1 :]


def vandalise(value: Any, random: Random) -> None:
    """Change something somewhere inside a JSON value."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = random.choice(keys)
        if isinstance(value[key], dict | list) and value[key] and random.random() < 0.9:
            value = value[key]
            continue
        random.choice(DAMAGES)(value, key, random)
        return


def _replace(value: Any, key: Any, random: Random) -> None:
    value[key] = random.choice((None, True, -1, 0, 1, 3, 10**30, 0.5, "", "2", "dealer", [], {}))


def _remove(value: Any, key: Any, random: Random) -> None:
    del value[key]


def _move(value: Any, key: Any, random: Random) -> None:
    other = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
    value[key], value[other] = value[other], value[key]


DAMAGES: tuple[Callable[[Any, Any, Random], None], ...] = (_replace, _replace, _remove, _move)
