"""The JSON object of a transcript as pydantic models: its members and their types."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, model_validator

from arena.games import GAMES
from arena.match.match_id import is_match_id

LARGEST = 2**31 - 1
"""The largest number: the wire has no larger ones, and every JSON reader reads it exactly."""


def _actor(value: object) -> int | str:
    if value == "dealer" or (type(value) is int and 0 <= value <= LARGEST):
        assert isinstance(value, int | str)
        return value
    raise ValueError('an actor is the number of a seat, or "dealer"')


def _unicode(text: str) -> str:
    if text.isascii() or not _SURROGATE.search(text):
        return text
    raise ValueError("a text has no lone surrogates")


def _uuid(text: str) -> str:
    if is_match_id(text):
        return text
    raise ValueError("a match id is a UUID in lowercase with dashes")


def _hex(text: str) -> str:
    if _HEX.fullmatch(text):
        return text
    raise ValueError("bytes are lowercase hexadecimal, two digits each")


def _game(name: str) -> str:
    if name in GAMES:
        return name
    raise ValueError(f"the games are {', '.join(GAMES)}")


_SURROGATE = re.compile("[\ud800-\udfff]")
_HEX = re.compile("([0-9a-f]{2})*")

_Text = Annotated[str, AfterValidator(_unicode)]
_Number = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
_Natural = Annotated[int, Field(ge=0, le=LARGEST)]
_Bytes = Annotated[str, AfterValidator(_hex)]
_Item = TypeVar("_Item")
# Only the first error is shown: collecting one for each item would take seconds and gigabytes.
_List = Annotated[list[_Item], Field(fail_fast=True)]


def with_one_unknown(model: type[BaseModel], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object; if it has too many members, all unknown ones but one are dropped.

    One unknown member is enough for an error.
    """
    known = model.model_fields
    if len(value) <= len(known):
        return value
    unknown = next(name for name in value if name not in known)
    return {name: value[name] for name in (*known, unknown) if name in value}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _one_unknown(cls, value: object) -> object:
        return with_one_unknown(cls, value) if isinstance(value, dict) else value


class _Seat(_Part):
    bot: _Text
    version: _Text
    owner: _Text


class _Time(_Part):
    turn_ms: _Natural
    bank_ms: _Natural


class StepDocument(_Part):
    """A draw or an action."""

    actor: Annotated[Any, PlainValidator(_actor)]
    action: dict[str, Any]
    ms: _Natural = 0
    fault: Literal["late", "illegal", "malformed", "absent"] | None = None
    stand_in: bool = False


class _Fault(_Part):
    step: _Natural
    seat: _Natural
    kind: Literal["late", "illegal", "malformed", "absent"]


class _Result(_Part):
    termination: Literal["finished", "forfeit"]
    placings: _List[_Number]
    scores: _List[_Number] | None
    faults: _List[_Natural]
    forfeited: _List[bool]


class _Opening(_Part):
    secret: _Bytes
    entropies: _List[_Bytes]


class _Signature(_Part):
    key: _Bytes
    value: _Bytes


class TranscriptDocument(_Part):
    """The whole document; docs/transcript.md says what the members mean."""

    format: Literal["arena-transcript/1"]
    protocol_version: Literal[1]
    match_id: Annotated[str, AfterValidator(_uuid)]
    deal_id: Annotated[str, AfterValidator(_uuid)] | None = None
    game: Annotated[str, AfterValidator(_game)]
    options: dict[str, Any]
    seats: _List[_Seat]
    time_control: _Time
    fault_limit: _Natural
    commitment: _Bytes
    steps: _List[StepDocument]
    faults: _List[_Fault]
    result: _Result
    opening: _Opening
    signature: _Signature | None = None
