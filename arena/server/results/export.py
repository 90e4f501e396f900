"""`Archive`, which reads all results and transcripts for an export, row by row.

Everything is read in one transaction, so that results, their number and their transcripts are
consistent even while matches are being recorded.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from arena.database.engine import reading_engine
from arena.database.reading import storage_errors
from arena.database.rows import MatchRow, match_row
from arena.database.statement import Row, row_count
from arena.database.transcripts import Packed, unpack
from arena.match.transcript import Transcript
from arena.server.results import statements
from arena.server.results.analyses import unpacked
from arena.server.results.kept_analyses import edition
from arena.server.results.statements import Selection, all_matches

_ROWS_AT_A_TIME = 1000
"""The rows fetched from the server at a time: about a megabyte."""


@dataclass(frozen=True, slots=True)
class ExportedMatch:
    """A recorded match with its decisions."""

    match: MatchRow
    transcript: Transcript
    analysis: bytes | None
    """The text of the kept analysis, see `arena.lab.analysis.kept_form`; None without one."""
    rating_event: int | None
    """The number of its rating event; None if it does not count for the ratings."""
    shared: tuple[bool, ...]
    """By seat, whether the bot's owner shares its decisions."""


class Archive:
    """All recorded results, as of one moment."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def count(self, selection: Selection) -> int:
        """Return how many matches are selected."""
        return int(self._connection.execute(row_count(all_matches(selection))).scalar_one())

    def matches(self, selection: Selection) -> Iterator[MatchRow]:
        """Return the matches in the order in which they ended."""
        return map(match_row, self._rows(all_matches(selection)))

    def transcripts(self, selection: Selection) -> Iterator[Transcript]:
        """Return the matches' transcripts that are kept, in the same order.

        Raises TranscriptDamagedError.
        """
        rows = self._rows(statements.transcripts_of(all_matches(selection)))
        return (unpack(Packed(**row)) for row in rows)

    def played(self, selection: Selection) -> Iterator["ExportedMatch"]:
        """Return the matches whose transcripts are kept, in the same order.

        Raises TranscriptDamagedError.
        """
        columns = [column.name for column in statements.match_rows().selected_columns]
        for row in self._rows(statements.decisions_of(all_matches(selection), edition())):
            yield ExportedMatch(
                match_row({name: row[name] for name in columns}),
                unpack(Packed(row["format"], row["sha256"], row["data"])),
                None if row["analysis"] is None else unpacked(row["analysis"]),
                row["rating_event"],
                tuple(row["shared"]),
            )

    def removed_at(self) -> datetime | None:
        """Return when transcripts were last removed; None if none ever was."""
        at: datetime | None = self._connection.execute(statements.last_removal()).scalar_one()
        return at

    def _rows(self, statement: Row) -> Iterator[Mapping[str, Any]]:
        streamed = statement.execution_options(yield_per=_ROWS_AT_A_TIME)
        for row in self._connection.execute(streamed).mappings():
            yield dict(row)


@contextmanager
def open_archive(url: str) -> Iterator[Archive]:
    """Open the archive of a migrated database. Raises StorageError."""
    engine = reading_engine(url)
    try:
        with storage_errors(), engine.connect() as connection:
            yield Archive(connection.execution_options(isolation_level="REPEATABLE READ"))
    finally:
        engine.dispose()
