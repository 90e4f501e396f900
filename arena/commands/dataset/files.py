"""The Parquet files of a data set, written row by row.

A file holds one game at one number of seats, about `ROWS_IN_FILE` rows. Rows wait in memory until
all of them together take about `BYTES_WAITING`; then the waiting rows of the file that has most
are written as a row group. So memory grows neither with the number of rows nor of files.
"""

from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from arena.commands.dataset.pyarrow_module import pyarrow_modules
from arena.commands.dataset.rows import Rows, columns_of

BYTES_WAITING: Final = 50_000_000
_BYTES_OF_ROW: Final = 4_000
"""The bytes that a row takes in memory, without its observation and mask."""
ROWS_IN_FILE: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that is complete."""

    name: str
    """Its path in the folder."""
    game: str
    rows: int
    size: int
    """In bytes."""
    sha256: str


@dataclass(slots=True)
class _Part:
    """The rows of one game at one number of seats."""

    game: str
    seats: int
    waiting: Rows = field(default_factory=list)
    size: int = 0
    """The approximate bytes that the waiting rows take."""
    writer: Any = None
    rows: int = 0
    """The rows in the open file."""
    files: int = 0


class DecisionFiles:
    """The files of a data set that is being written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts: dict[tuple[str, int], _Part] = {}
        self._size = 0
        self.complete: list[DataFile] = []
        """The files that are complete; after `close` all of them."""

    def add(self, game: str, seats: int, rows: Rows) -> None:
        """Add the rows of a match."""
        if not rows:
            return
        part = self._parts.setdefault((game, seats), _Part(game, seats))
        arrays = (rows[0][at] for at in columns_of(game).arrays)
        encoded = sum(array.nbytes for array in arrays if array is not None)
        size = len(rows) * (_BYTES_OF_ROW + encoded)
        part.waiting += rows
        part.size += size
        self._size += size
        if self._size >= BYTES_WAITING:
            self._flush(max(self._parts.values(), key=lambda part: part.size))

    def close(self) -> None:
        """Write the waiting rows and close all files."""
        for part in self._parts.values():
            if part.waiting:
                self._flush(part)
            self._end(part)

    def _flush(self, part: _Part) -> None:
        pyarrow, parquet = pyarrow_modules()
        schema = columns_of(part.game).schema
        columns = zip(*part.waiting, strict=True)
        arrays = [pyarrow.array(one, kind.type) for one, kind in zip(columns, schema, strict=True)]
        if part.writer is None:
            (self._folder / self._path(part)).parent.mkdir(parents=True, exist_ok=True)
            path = self._folder / self._path(part)
            part.writer = parquet.ParquetWriter(path, schema, compression="zstd")
        part.writer.write_batch(pyarrow.record_batch(arrays, schema=schema))
        part.rows += len(part.waiting)
        part.waiting.clear()
        self._size, part.size = self._size - part.size, 0
        if part.rows >= ROWS_IN_FILE:
            self._end(part)

    def _end(self, part: _Part) -> None:
        if part.writer is None:
            return
        part.writer.close()
        name = self._path(part)
        path = self._folder / name
        with path.open("rb") as file:
            sha256 = file_digest(file, "sha256").hexdigest()
        size = path.stat().st_size
        self.complete.append(DataFile(name, part.game, part.rows, size, sha256))
        part.writer, part.rows = None, 0
        part.files += 1

    @staticmethod
    def _path(part: _Part) -> str:
        return f"{part.game}/{part.seats}-seats-{part.files:05}.parquet"
