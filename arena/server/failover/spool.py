"""The spool: a file of finished events that could not be recorded yet.

It is written while the database is away, read at the next start, and removed when all of it is
recorded. Recording is idempotent, so a spool that is read twice records nothing twice.

Each record is its length and the CRC-32 of its content, four bytes each, and the content: a line of
JSON, then the transcript of a match. A process that is killed while it writes leaves a torn record
at the end. It is left out, as its safety was never confirmed.
"""

import asyncio
import json
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog
from google.protobuf.message import DecodeError

from arena.codec.malformed import MalformedError
from arena.codec.transcript import from_bytes
from arena.database.errors import SpoolFailedError
from arena.records import (
    Block,
    BlockEnd,
    BlockKind,
    FinishedMatch,
    ToldFault,
    TournamentBlock,
    TournamentId,
    VersionId,
)
from arena.server.play.ports import Happening

MOST_BYTES = 64 * 1024 * 1024
"""The greatest size of the file: some 30,000 matches, more than may wait in any case."""

_FRAME = struct.Struct(">II")

log = structlog.get_logger()


class SpoolFile:
    """A Spool (see play.ports) in one file, made when it is first needed.

    Records of an earlier process must be read and cleared before anything is appended.
    """

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._end = 0
        """The end of the last complete record; a torn one may follow."""
        self.unread = 0
        """The number of records that `read` could not read: damaged, or of a newer release."""

    def read(self) -> list[Happening]:
        """Return the records of an earlier process in order, without a torn one at the end. Blocks.

        Raises SpoolFailedError.
        """
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._failed(error) from error
        found, end = [], 0
        self.unread = 0
        for content in _framed(data):
            try:
                found.append(_unpacked(content))
            except (ValueError, KeyError, TypeError, MalformedError, DecodeError) as error:
                log.error("a spooled record cannot be read", file=str(self._path), why=str(error))
                self.unread += 1
            end += _FRAME.size + len(content)
        if end < len(data):
            log.warning(
                "the spool ends in a torn record", file=str(self._path), bytes=len(data) - end
            )
        return found

    async def append(self, happenings: Sequence[Happening]) -> None:
        """Keep all, in order, or none. Raises SpoolFailedError."""
        data = b"".join(_frame(_packed(happening)) for happening in happenings)
        await self._in_thread(lambda: self._append(data))

    async def clear(self) -> None:
        """Remove the file. Raises SpoolFailedError."""
        await self._in_thread(lambda: self._path.unlink(missing_ok=True))
        self._end = 0

    async def set_aside(self, why: str) -> Path:
        """Rename the file, for a person to inspect. Return its new name, which ends in `.why`.

        Raises SpoolFailedError.
        """
        aside = self._path.with_suffix(f".{why}")
        await self._in_thread(lambda: self._path.replace(aside))
        self._end = 0
        return aside

    def _append(self, data: bytes) -> None:
        if self._end + len(data) > self._most_bytes:
            raise SpoolFailedError(f"{self._path} may hold {self._most_bytes} bytes")
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.ftruncate(file, self._end)
            os.lseek(file, self._end, os.SEEK_SET)
            _write_all(file, data)
            os.fsync(file)
        finally:
            os.close(file)
        if self._end == 0:
            _sync_directory(self._path.parent)
        self._end += len(data)

    async def _in_thread(self, work: Callable[[], object]) -> None:
        # Shielded: a cancelled caller must not leave work half done for the next one.
        working = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            await asyncio.shield(working)
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> SpoolFailedError:
        return SpoolFailedError(f"{self._path}: {error.strerror}")


def _sync_directory(directory: Path) -> None:
    """Sync a directory, without which a new file does not outlive a crash of the machine."""
    opened = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _frame(content: bytes) -> bytes:
    return _FRAME.pack(len(content), zlib.crc32(content)) + content


def _framed(data: bytes) -> Iterator[bytes]:
    start = 0
    while start + _FRAME.size <= len(data):
        length, checksum = _FRAME.unpack_from(data, start)
        start += _FRAME.size
        content = data[start : start + length]
        if len(content) < length or zlib.crc32(content) != checksum:
            return
        yield content
        start += length


def _packed(happening: Happening) -> bytes:
    written = b""
    match happening:
        case TournamentBlock(tournament_id, pairing, block):
            facts = {"opened": tournament_id, "pairing": pairing, "block": _facts(block)}
        case BlockEnd(block_id, void):
            facts = {"ended": block_id, "void": void}
        case FinishedMatch():
            written = happening.written
            facts = {
                "match": happening.transcript.setup.match_id,
                "versions": happening.version_ids,
                "block": _facts(happening.block),
                "position": happening.position,
                "started_at": happening.started_at.isoformat(),
                "finished_at": happening.finished_at.isoformat(),
                "faults": [
                    (fault.turn_number, fault.reason, fault.sent) for fault in happening.faults
                ],
                "instances": happening.instances,
            }
    return json.dumps(facts).encode() + b"\n" + written


def _unpacked(content: bytes) -> Happening:
    line, _, written = content.partition(b"\n")
    facts = json.loads(line)
    if "opened" in facts:
        one, other = facts["pairing"]
        return TournamentBlock(TournamentId(facts["opened"]), (one, other), _block(facts["block"]))
    if "ended" in facts:
        return BlockEnd(facts["ended"], facts["void"])
    return FinishedMatch(
        transcript=from_bytes(written),
        written=written,
        version_ids=tuple(VersionId(version) for version in facts["versions"]),
        block=_block(facts["block"]),
        position=facts["position"],
        started_at=datetime.fromisoformat(facts["started_at"]),
        finished_at=datetime.fromisoformat(facts["finished_at"]),
        faults=tuple(ToldFault(*fault) for fault in facts.get("faults", ())),
        instances=tuple(facts.get("instances", ())),
    )


def _facts(block: Block) -> dict[str, Any]:
    return {"id": block.id, "kind": block.kind.value, "size": block.size, "rated": block.rated}


def _block(facts: dict[str, Any]) -> Block:
    return Block(facts["id"], BlockKind(facts["kind"]), facts["size"], facts["rated"])
