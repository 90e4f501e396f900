"""The file formats for exported results, by suffix.

.jsonl      a line per match, as `arena rate` reads them
.csv        a row per seat, with a header
.parquet    the same rows, typed; needs pyarrow
"""

import csv
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from arena.commands.dataset.pyarrow_module import pyarrow_modules
from arena.commands.terminal import json_text
from arena.database.rows import MatchRow
from arena.printable import not_a_formula

Write: TypeAlias = Callable[[MatchRow], None]

COLUMNS = {
    "match_id": "string",
    "block_id": "string",
    "position": "int16",
    "game": "string",
    "options": "string",
    "seats": "int16",
    "termination": "string",
    "decided_by_faults": "bool",
    "rated": "bool",
    "voided": "bool",
    "started_at": "time",
    "finished_at": "time",
    "seat": "int16",
    "bot": "string",
    "version": "string",
    "owner": "string",
    "placing": "int16",
    "score": "int64",
    "faults": "int32",
    "forfeited": "bool",
    "luck": "float64",
    "turn_ms": "int32",
    "bank_ms": "int32",
}
"""The columns of the tables, which have a row per seat, and their types.

`options` are those that differ from the defaults, as JSON; `luck` is in expected points, and empty
if it was not measured.
"""

_ROWS_AT_A_TIME = 50_000


def rows(match: MatchRow) -> Iterator[tuple[Any, ...]]:
    """Yield a match's rows: the values of COLUMNS, times as datetimes."""
    of_match = (
        *(match.match_id, match.block_id, match.position, match.game),
        json_text(match.options, sort_keys=True),
        *(match.seat_count, match.termination, match.decided_by_faults),
        *(match.rated, match.voided, match.started_at, match.finished_at),
    )
    for number, seat in enumerate(match.seats):
        yield (
            *of_match,
            *(number, seat.bot, seat.version, seat.owner),
            *(seat.placing, seat.score, seat.faults, seat.forfeited),
            None if match.luck is None else round(match.luck[number], 6),
            *(match.time_control.turn_ms, match.time_control.bank_ms),
        )


@contextmanager
def json_lines(file: Path) -> Iterator[Write]:
    """Open a file in the format that `arena rate` reads; a bot is "NAME VERSION"."""
    with file.open("w", encoding="utf-8") as lines:

        def write(match: MatchRow) -> None:
            seats = [
                {"bot": f"{seat.bot} {seat.version}", "placing": seat.placing}
                for seat in match.seats
            ]
            line = {"match": match.match_id, "block": match.block_id, "seats": seats}
            lines.write(json_text(line) + "\n")

        yield write


@contextmanager
def comma_separated(file: Path) -> Iterator[Write]:
    """Open a CSV file with a header and a row per seat.

    Booleans are in lower case, times in ISO 8601, texts as `not_a_formula` returns them.
    """

    def plain(value: Any) -> Any:
        if isinstance(value, str):
            return not_a_formula(value)
        if isinstance(value, bool):
            return str(value).lower()
        return value.isoformat() if hasattr(value, "isoformat") else value

    with file.open("w", encoding="utf-8", newline="") as text:
        table = csv.writer(text)
        table.writerow(COLUMNS)
        yield lambda match: table.writerows(map(plain, row) for row in rows(match))


@contextmanager
def parquet(file: Path) -> Iterator[Write]:
    """Open a Parquet file with a row per seat; times are in UTC, to the microsecond."""
    pyarrow, writing = pyarrow_modules()
    kinds = {
        kind: getattr(pyarrow, kind)() for kind in ("string", "int16", "int32", "int64", "float64")
    }
    kinds |= {"bool": pyarrow.bool_(), "time": pyarrow.timestamp("us", tz="UTC")}
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    waiting: list[tuple[Any, ...]] = []

    with writing.ParquetWriter(file, schema, compression="zstd") as table:

        def flush() -> None:
            columns = zip(*waiting, strict=True)
            arrays = [
                pyarrow.array(column, field.type)
                for column, field in zip(columns, schema, strict=True)
            ]
            table.write_batch(pyarrow.record_batch(arrays, schema=schema))
            waiting.clear()

        def write(match: MatchRow) -> None:
            waiting.extend(rows(match))
            if len(waiting) >= _ROWS_AT_A_TIME:
                flush()

        yield write
        if waiting:
            flush()


FORMATS: dict[str, Callable[[Path], AbstractContextManager[Write]]] = {
    ".jsonl": json_lines,
    ".csv": comma_separated,
    ".parquet": parquet,
}
