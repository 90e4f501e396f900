"""Stored transcripts: the wire's message, compressed, and the hash of the message."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import zstandard

from arena.codec.transcript import from_bytes
from arena.database.errors import TranscriptDamagedError
from arena.match.transcript import Transcript

FORMAT = 1
"""The number of the format: a serialised `arena.v1.Transcript` as one zstd frame.

A new format gets a new number.
"""

_LEVEL = 1
"""The level of compression. Higher ones gain little.

564 bytes (two seats) become 411 in 7 µs; at level 19 they become 393 in 73 µs.
"""


@dataclass(frozen=True, slots=True)
class Packed:
    """A transcript in its stored form; functions also accept a row with these columns."""

    format: int
    sha256: bytes
    """The hash of the serialised message before compression."""
    data: bytes


def packer() -> Callable[[bytes], Packed]:
    """Return a function that packs serialised transcripts and reuses one compressor."""
    compress = zstandard.ZstdCompressor(level=_LEVEL).compress

    def pack(message: bytes) -> Packed:
        return Packed(FORMAT, hashlib.sha256(message).digest(), compress(message))

    return pack


def unpack(packed: Packed) -> Transcript:
    """Return the transcript that was packed. Raises TranscriptDamagedError."""
    return from_bytes(unpack_message(packed))


def unpack_message(packed: Packed) -> bytes:
    """Return the serialised message of a packed transcript. Raises TranscriptDamagedError."""
    if packed.format != FORMAT:
        raise TranscriptDamagedError(
            f"The transcript has format {packed.format}: read it with a newer release of the arena."
        )
    try:
        message = zstandard.ZstdDecompressor().decompress(packed.data)
    except zstandard.ZstdError:
        message = b""
    if hashlib.sha256(message).digest() != packed.sha256:
        raise TranscriptDamagedError(
            "The transcript is not what was stored: restore the database from a backup."
        )
    return message
