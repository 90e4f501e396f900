"""What the store answers with: one frozen value per row, its fields the statement's columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from arena.records import VersionId


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A version of a bot, with what it has played."""

    id: VersionId
    bot: str
    version: str
    owner: str
    house: bool
    retired_at: datetime | None
    """The version's retirement or its bot's."""
    created_at: datetime
    matches: int


@dataclass(frozen=True, slots=True)
class SeatRow:
    """Who sat in a seat of a match, and how it ended there."""

    version_id: VersionId
    bot: str
    version: str
    owner: str
    placing: int
    score: int | None
    faults: int
    forfeited: bool


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A recorded match.

    Neither `rated` nor `voided`: its block is still being played, or of an unrated tournament.
    """

    match_id: str
    game: str
    options: Mapping[str, Any]
    """Those that differ from the game's defaults."""
    seat_count: int
    block_id: str
    position: int
    termination: str
    decided_by_faults: bool
    started_at: datetime
    finished_at: datetime
    rated: bool
    voided: bool
    seats: tuple[SeatRow, ...]
    luck: list[float] | None = None
    """By seat, in expected points; None where it was not measured."""


@dataclass(frozen=True, slots=True)
class OpponentCount:
    """How often two versions sat at one table; `one` is the smaller id."""

    game: str
    options: Mapping[str, Any]
    seat_count: int
    one: VersionId
    other: VersionId
    matches: int


@dataclass(frozen=True, slots=True)
class AppearanceCount:
    """How many matches a version played on a ladder."""

    game: str
    options: Mapping[str, Any]
    seat_count: int
    version_id: VersionId
    matches: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """A version's faults and forfeits on a ladder, in the matches that count."""

    version_id: VersionId
    matches: int
    faults: int
    faulty_matches: int
    """Those of `matches` with a fault of its own."""
    forfeits: int


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """When a result that counts was played."""

    sequence: int
    match_id: str
    finished_at: datetime


def match_row(row: Mapping[str, Any]) -> MatchRow:
    """A row of `statements.match_list` or `match_by_id`."""
    return MatchRow(**{**row, "seats": tuple(SeatRow(**seat) for seat in row["seats"])})
