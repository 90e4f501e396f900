"""Notes: texts and usage that bots send with their answers; they have no effect on the match.

A note never causes a fault: a text that is too long is cut off, and a usage out of bounds is left
out, with a sentence in the note that says so.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

MOST_OF_A_NOTE: Final = 2_000
"""The maximum size of a note's text, in bytes."""
MOST_OF_A_SEAT: Final = 64_000
"""The maximum size of all texts of one seat in one match, in bytes."""
MOST_TOKENS: Final = 1_000_000_000
MOST_MICROUSD: Final = 1_000_000_000
MOST_LATENCY_MS: Final = 86_400_000

_CUT: Final = "…"


class Usage(NamedTuple):
    """The language-model resources, or similar, that answers took, as reported by the bot."""

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
        """Whether the text seems to be cut off, because it ends in "…"."""
        return self.text.endswith(_CUT)


class NotesTaken:
    """The notes of a running match, kept within the limits."""

    def __init__(self, earlier: Iterable[Note] = ()) -> None:
        """Begin with the notes that another referee took `earlier`."""
        self.notes = list(earlier)
        """The notes in order of arrival."""
        self._bytes: defaultdict[int, int] = defaultdict(int)
        for note in self.notes:
            self._bytes[note.seat] += len(note.text.encode())

    def take(self, note: Note) -> None:
        """Add a note, cut to the limits; ignore one without text and usage."""
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
    """Return a text of at most `most` bytes in UTF-8; a text that was cut off ends in "…".

    If even "…" does not fit, it is returned all the same.
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
    """Return what is out of bounds in a usage; "" if nothing is."""
    bounds = Usage(MOST_TOKENS, MOST_TOKENS, MOST_MICROUSD, MOST_LATENCY_MS)
    for name, value, most in zip(Usage._fields, usage, bounds, strict=True):
        if not 0 <= value <= most:
            return f"{name} is {value}, allowed is 0 to {most:,}"
    return ""
