"""Notes: what bots say beside their answers, of no effect on the match.

Nothing about a note is a fault: what is too long is cut off, and what a usage must not be is left
out, with a sentence in the note that says so.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

MOST_OF_A_NOTE: Final = 2_000
"""Bytes of a note's text."""
MOST_OF_A_SEAT: Final = 64_000
"""Bytes of the texts of one seat in one match."""
MOST_TOKENS: Final = 1_000_000_000
MOST_MICROUSD: Final = 1_000_000_000
MOST_LATENCY_MS: Final = 86_400_000

_CUT: Final = "…"


class Usage(NamedTuple):
    """What answers took of a language model or the like, by the word of their bot."""

    input_tokens: int = 0
    """The tokens read: prompts, cached ones included."""
    output_tokens: int = 0
    """The tokens written, reasoning included."""
    cost_microusd: int = 0
    """The cost in millionths of a US dollar."""
    latency_ms: int = 0
    """The time that the model took, in milliseconds."""


class Note(NamedTuple):
    """A note of one seat about one turn."""

    seat: int
    turn_number: int
    text: str
    usage: Usage | None = None

    @property
    def cut_off(self) -> bool:
        """Whether its text was cut off, as far as one can see."""
        return self.text.endswith(_CUT)


class NotesTaken:
    """The notes of a running match, as far as they are within the limits."""

    def __init__(self, earlier: Iterable[Note] = ()) -> None:
        """Begin with those that another referee took `earlier`."""
        self.notes = list(earlier)
        """In the order in which they came."""
        self._bytes: defaultdict[int, int] = defaultdict(int)
        for note in self.notes:
            self._bytes[note.seat] += len(note.text.encode())

    def take(self, note: Note) -> None:
        """Take a note, and of its text and usage what is within the limits."""
        text, usage = note.text, note.usage
        if not text and usage is None:
            return
        if usage is not None and (wrong := _wrong(usage)):
            text, usage = f"{text}\n[usage left out: {wrong}]".lstrip(), None
        room = MOST_OF_A_SEAT - self._bytes[note.seat]
        text = cut_off(text, min(MOST_OF_A_NOTE, room))
        self._bytes[note.seat] += len(text.encode())
        self.notes.append(Note(note.seat, note.turn_number, text, usage))


def cut_off(text: str, most: int = MOST_OF_A_NOTE) -> str:
    """Return a text of at most so many bytes in UTF-8; one that was cut off ends in "…".

    Where there is no room for that either, "…" is what is left.
    """
    encoded = text.encode(errors="replace")
    if len(encoded) <= max(0, most):
        return encoded.decode()
    return encoded[: max(0, most - len(_CUT.encode()))].decode(errors="ignore") + _CUT


def note_to_json(note: Note) -> dict[str, Any]:
    """Return a note as JSON: seat, turn, text and usage (None without one)."""
    usage = None if note.usage is None else note.usage._asdict()
    return {"seat": note.seat, "turn": note.turn_number, "text": note.text, "usage": usage}


def summed(usages: Iterable[Usage]) -> Usage:
    """Return the sum of usages."""
    return Usage(*map(sum, zip(Usage(), *usages, strict=True)))


def _wrong(usage: Usage) -> str:
    """Return what a usage must not be; "" if nothing is wrong."""
    bounds = Usage(MOST_TOKENS, MOST_TOKENS, MOST_MICROUSD, MOST_LATENCY_MS)
    for name, value, most in zip(Usage._fields, usage, bounds, strict=True):
        if not 0 <= value <= most:
            return f"{name} is {value}, allowed is 0 to {most:,}"
    return ""
