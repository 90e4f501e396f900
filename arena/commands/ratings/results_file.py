"""Reads results from a file: one JSON object per line, checked before anything is computed.

    {"match": "m1", "block": "b1", "seats": [{"bot": "A", "placing": 1}, …]}

`block` may be missing or null. Unknown keys are refused: a misspelt "block" would silently narrow
every interval. Blank lines are skipped.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from arena.errors import UserError
from arena.rating.errors import ResultError
from arena.rating.results import MatchResult, Results


class ResultsFileError(UserError):
    """A file that is not a file of results; the message says where and why."""

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
    seats: list[_Seat]


def read_results(file: Path) -> Results[str]:
    """The results in `file`. Raises `ResultsFileError` at the first line that is not a result."""
    log: Results[str] = Results()
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ResultsFileError(file, None, error.strerror or str(error)) from error
    for number, raw in enumerate(content.split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            line = _Line.model_validate_json(raw)
            seats = tuple((seat.bot, seat.placing) for seat in line.seats)
            log.append(MatchResult(line.match, seats, line.block))
        except ValidationError as error:
            raise ResultsFileError(file, number, _first_fault(error)) from error
        except ResultError as error:
            raise ResultsFileError(file, number, str(error)) from error
    if not len(log):
        raise ResultsFileError(file, None, "holds no results")
    return log


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
    # pydantic reports a union of text and number per branch; the user needs only the field.
    where = ".".join(str(part) for part in fault["loc"] if part not in ("str", "int"))
    message = fault["msg"]
    if where in ("match", "block") and fault["type"].endswith("_type"):
        message = "Input should be a text or a whole number"
    return f"{where}: {message}" if where else message
