"""The spool: a SQLite file with results and block events that could not be recorded yet.

It is written while the database is away, read at the next start, and removed when all of it is
recorded. Recording is idempotent, so a spool that is read twice records nothing twice.

Each row is one record: a line of JSON, then the transcript of a match. If a process is killed while
it writes, SQLite rolls the write back when the file is next opened; it was not reported as safe.
"""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import structlog
from google.protobuf.message import DecodeError

from arena.codec.malformed import MalformedError
from arena.codec.notes import notes_bytes, read_notes
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
"""Enough for some 30,000 matches of any kind, more than may wait."""

_PAGE_BYTES = 4096

log = structlog.get_logger()


class SpoolFile:
    """A Spool (see play.ports) in one file, made when it is first needed.

    What an earlier process left must be read and cleared before anything is appended.
    """

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self._path = path
        self._most_pages = most_bytes // _PAGE_BYTES
        self.unread = False
        """Whether `read` found records that it cannot read: damaged, or of a newer release."""

    def read(self) -> list[Happening]:
        """Return what an earlier process left, in order. Blocks. Raises SpoolFailedError."""
        if not self._path.exists():
            return []
        with self._opened() as records:
            contents = records.execute("SELECT content FROM records ORDER BY id").fetchall()
        found = []
        for (content,) in contents:
            try:
                found.append(_unpacked(content))
            except (ValueError, KeyError, TypeError, MalformedError, DecodeError) as error:
                log.error("a spooled record cannot be read", file=str(self._path), why=str(error))
        self.unread = len(found) < len(contents)
        return found

    async def append(self, happenings: Sequence[Happening]) -> None:
        """Keep all, in order, or none. Raises SpoolFailedError."""
        contents = [(_packed(happening),) for happening in happenings]
        await _in_thread(lambda: self._append(contents))

    async def clear(self) -> None:
        """Remove the file. Raises SpoolFailedError."""
        await _in_thread(self._remove)

    async def set_aside(self, why: str) -> Path | None:
        """Rename the file, for a person to look at. Returns its new name, which ends in `.why`.

        Returns None if there is no file any more. Raises SpoolFailedError.
        """
        return await _in_thread(lambda: self._rename(self._path.with_suffix(f".{why}")))

    def _append(self, contents: Sequence[tuple[bytes]]) -> None:
        with self._opened() as records:
            records.executemany("INSERT INTO records (content) VALUES (?)", contents)

    def _remove(self) -> None:
        with self._failures_named():
            for file in (self._path, self._path.with_name(f"{self._path.name}-journal")):
                file.unlink(missing_ok=True)

    def _rename(self, aside: Path) -> Path | None:
        if not self._path.exists():
            return None
        with self._opened():
            pass  # this applies a journal, which is found by the file's old name only
        with self._failures_named():
            return self._path.replace(aside)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction. Raises SpoolFailedError."""
        with self._failures_named():
            self._path.touch(0o600)  # SQLite would let others read it
            with closing(sqlite3.connect(self._path)) as connection, connection:
                # A new file outlives a crash of the machine only if its directory is written, too.
                connection.execute("PRAGMA synchronous = EXTRA")
                connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
                connection.execute(f"PRAGMA max_page_count = {self._most_pages}")
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, content BLOB)"
                )
                yield connection

    @contextmanager
    def _failures_named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SpoolFailedError(f"{self._path}: {error.strerror}") from error
        except sqlite3.Error as error:
            full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
            bound = f"; it may hold {self._most_pages * _PAGE_BYTES} bytes" if full else ""
            raise SpoolFailedError(f"{self._path}: {error}{bound}") from error


ResultT = TypeVar("ResultT")


async def _in_thread(work: Callable[[], ResultT]) -> ResultT:
    # Shielded: a caller that is cancelled must not leave the work half done for the next one.
    return await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(work)))


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
                "notes": notes_bytes(happening.notes).hex(),
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
        notes=tuple(read_notes(bytes.fromhex(facts.get("notes", "")))),
    )


def _facts(block: Block) -> dict[str, Any]:
    return {"id": block.id, "kind": block.kind.value, "size": block.size, "rated": block.rated}


def _block(facts: dict[str, Any]) -> Block:
    return Block(facts["id"], BlockKind(facts["kind"]), facts["size"], facts["rated"])
