"""Notes as messages, and in the form in which they are stored."""

from collections.abc import Iterable

from arena.match.notes import MOST_OF_A_NOTE, Note, Usage, cut_off
from arena.v1 import owner_pb2, referee_pb2

_MOST_READ = 4 * MOST_OF_A_NOTE
"""The maximum number of bytes of a note that are read; the rest would be cut off in any case."""


def read_note(seat: int, turn_number: int, message: referee_pb2.Note) -> Note:
    """Return the note sent with an answer; invalid UTF-8 and NUL become U+FFFD."""
    text = message.text[:_MOST_READ].decode(errors="replace").replace("\0", "\ufffd")
    usage = _read_usage(message.usage) if message.HasField("usage") else None
    return Note(seat, turn_number, text, usage)


def write_note(text: str, usage: Usage | None, message: referee_pb2.Note) -> None:
    """Write the note of an answer. Errors caused by values of wrong types are not caught."""
    message.text = cut_off(text).encode()
    if usage is not None:
        _write_usage(usage, message.usage)


def notes_bytes(notes: Iterable[Note]) -> bytes:
    """Return the bytes of notes, a `GetNotesResponse`; later notes may simply be appended."""
    return notes_message(notes).SerializeToString()


def read_notes(data: bytes) -> list[Note]:
    """Return the notes of bytes from `notes_bytes`. Raises protobuf's DecodeError."""
    return from_response(owner_pb2.GetNotesResponse.FromString(data))


def notes_message(notes: Iterable[Note]) -> owner_pb2.GetNotesResponse:
    """Return an answer to GetNotes."""
    message = owner_pb2.GetNotesResponse()
    for note in notes:
        line = message.notes.add(seat=note.seat, turn_number=note.turn_number, text=note.text)
        if note.usage is not None:
            _write_usage(note.usage, line.usage)
    return message


def from_response(message: owner_pb2.GetNotesResponse) -> list[Note]:
    """Return the notes in an answer to GetNotes."""
    return [
        Note(
            one.seat,
            one.turn_number,
            one.text,
            _read_usage(one.usage) if one.HasField("usage") else None,
        )
        for one in message.notes
    ]


def _read_usage(message: referee_pb2.Usage) -> Usage:
    return Usage(
        message.input_tokens, message.output_tokens, message.cost_microusd, message.latency_ms
    )


def _write_usage(usage: Usage, message: referee_pb2.Usage) -> None:
    message.input_tokens, message.output_tokens = usage.input_tokens, usage.output_tokens
    message.cost_microusd, message.latency_ms = usage.cost_microusd, usage.latency_ms
    message.SetInParent()
