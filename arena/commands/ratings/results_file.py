"""Reading of results from a file: one JSON object per line, validated before any computation.

    {"match": "m1", "block": "b1", "seats": [{"bot": "A", "placing": 1}, …]}

`block` may be missing or null. Unknown keys are refused: a misspelt "block" would silently narrow
every interval. So are keys that occur twice. Blank lines are skipped, as is a byte order mark in
front of the first line, which editors of Windows write.
"""

from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from arena.errors import UserError
from arena.match.json_text import JsonTextError, parse
from arena.rating.errors import ResultError
from arena.rating.results import MatchResult, Results
from arena.validation_errors import error_text, found_text, path_text

LONGEST: Final = 2**20
"""The maximum length of a line in bytes: more than any result has, but little enough for memory."""
MOST_SEATS: Final = 100
"""The maximum number of seats of a match.

Every pair at a table counts, so time and memory grow with the square.
"""


class ResultsFileError(UserError):
    """An error in a file of results; the message says where and why."""

    def __init__(self, file: Path, line: int | None, what: str) -> None:
        super().__init__(f"{file}: {what}" if line is None else f"{file}, line {line}: {what}")
        self.line = line


class _Seat(BaseModel):
    model_config = ConfigDict(extra="forbid")

    bot: StrictStr = Field(min_length=1)
    placing: StrictInt


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid")

    match: StrictStr | StrictInt
    block: StrictStr | StrictInt | None = None
    seats: list[_Seat] = Field(fail_fast=True)


def read_results(file: Path) -> Results[str]:
    """Return the results in `file`.

    Raises `ResultsFileError` at the first line that is not a result.
    """
    log: Results[str] = Results()
    for number, raw in enumerate(_lines(file), start=1):
        if len(raw) > LONGEST:
            raise ResultsFileError(file, number, f"a line has at most {LONGEST // 2**20} MiB")
        if not raw.strip():
            continue
        try:
            line = _Line.model_validate(parse(raw))
            if len(line.seats) > MOST_SEATS:
                what = f"a match has at most {MOST_SEATS} seats, not {len(line.seats)}"
                raise ResultsFileError(file, number, what)
            seats = tuple((seat.bot, seat.placing) for seat in line.seats)
            log.append(MatchResult(line.match, seats, line.block))
        except JsonTextError as error:
            raise ResultsFileError(file, number, str(error)) from error
        except ValidationError as error:
            raise ResultsFileError(file, number, _first_fault(error)) from error
        except ResultError as error:
            raise ResultsFileError(file, number, str(error)) from error
    if not len(log):
        raise ResultsFileError(file, None, "holds no results")
    return log


def _lines(file: Path) -> Iterator[bytes]:
    """Yield the lines of a file, without their ends and a byte order mark.

    A line that is too long is cut soon after LONGEST.
    """
    try:
        with file.open("rb") as opened:
            line = opened.readline(LONGEST + 2).removeprefix(BOM_UTF8)
            while line:
                yield line.removesuffix(b"\n")
                line = opened.readline(LONGEST + 2)
    except OSError as error:
        raise ResultsFileError(file, None, error.strerror or str(error)) from error


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    # pydantic reports a union of text and number per branch; the user needs only the field.
    *member, branch = fault["loc"] or ("",)
    if member and branch in ("str", "int"):
        found = found_text(fault["input"])
        return f"{path_text(member)}: {found}; allowed is a text or a whole number"
    return error_text(error, whole="the line")
