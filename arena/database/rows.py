"""The rows that the store returns, as frozen values with the statement's columns as fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from arena.match.clock import TimeControl
from arena.match.transcript import Entrant
from arena.records import RecordedChallenge, RecordedMatch, Registered, VersionId


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A version of a bot, with the number of its matches."""

    id: VersionId
    bot: str
    version: str
    owner: str
    house: bool
    retired_at: datetime | None
    """When the version or its bot was retired."""
    created_at: datetime
    matches: int
    frozen_at: datetime | None = None
    """When the operator froze its bot."""
    paused_at: datetime | None = None
    """When its owner paused its bot."""
    pace: int | None = None
    """The rated matches an hour that its bot may begin; None for any number."""
    banned_at: datetime | None = None
    """When the operator banned its owner."""


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """An owner."""

    id: int
    name: str
    created_at: datetime
    banned_at: datetime | None
    bots: int
    """The number of its bots, without the retired ones."""
    has_key: bool
    operator_since: datetime | None
    """When it got the role of an operator."""


@dataclass(frozen=True, slots=True)
class InviteRow:
    """An invite, without its code."""

    id: int
    uses_left: int
    made_by: str
    created_at: datetime
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A change that an owner or the operator made."""

    id: int
    at: datetime
    actor: str
    action: str
    subject: str
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat of a match: its bot and its result."""

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

    If neither `rated` nor `voided` nor `unrated`, its block is still being played.
    """

    match_id: str
    game: str
    options: Mapping[str, Any]
    """The options that differ from the game's defaults."""
    seat_count: int
    block_id: str
    position: int
    termination: str
    decided_by_faults: bool
    started_at: datetime
    finished_at: datetime
    time_control: TimeControl
    rated: bool
    voided: bool
    seats: tuple[SeatRow, ...]
    luck: list[float] | None = None
    """The luck by seat, in expected points; None if it was not measured."""
    unrated: bool = False
    """Whether it never counts for a rating: a match of a challenge or of an unrated tournament."""
    casual: bool = False
    """Whether it was played for a challenge."""


@dataclass(frozen=True, slots=True)
class LadderRow:
    """The fields of a match that determine its ladder."""

    game: str
    options: Mapping[str, Any]
    seat_count: int
    time_control: TimeControl


@dataclass(frozen=True, slots=True)
class PlacedOnLadder(LadderRow):
    """The placings in matches on one ladder, the oldest match first."""

    versions: Sequence[Sequence[VersionId]]
    """The versions, by match and seat."""
    placings: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class PlacedElsewhere(LadderRow):
    """The placings in a match that another referee has recorded."""

    versions: Sequence[VersionId]
    """The versions, by seat."""
    placings: Sequence[int]
    block_id: str


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """A match that counts for the ratings, and when it ended."""

    sequence: int
    match_id: str
    finished_at: datetime


def registered_of(row: Any) -> Registered:
    """Return the registered version in a row of `bot_statements.all_versions`.

    The columns `pace` and `tournament` (not on the ladder) are optional.
    """
    entrant = Entrant(row.bot, row.version, row.owner)
    pace, ladder = getattr(row, "pace", None), not getattr(row, "tournament", False)
    return Registered(VersionId(row.id), entrant, row.house, pace, ladder)


def match_row(row: Mapping[str, Any]) -> MatchRow:
    """Return the MatchRow of a row of `match_search.found_matches` or `statements.match_by_id`."""
    seats = tuple(SeatRow(**seat) for seat in row["seats"])
    return MatchRow(**with_time_control({**row, "seats": seats}))


def recorded_challenge(rows: Sequence[Mapping[str, Any]]) -> RecordedChallenge:
    """Return the challenge in the rows of `statements.matches_of_challenge`, at least one."""
    played = tuple(
        RecordedMatch(
            row["match_id"],
            row["game"],
            tuple(Entrant(seat["bot"], seat["version"], seat["owner"]) for seat in row["seats"]),
            tuple(seat["placing"] for seat in row["seats"]),
            row["finished_at"],
        )
        for row in rows
    )
    players = frozenset(VersionId(seat["version_id"]) for seat in rows[0]["seats"])
    return RecordedChallenge(played, players, rows[0]["wanted"], rows[0]["over"])


def with_time_control(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with a `time_control` in place of its two columns."""
    found = dict(row)
    found["time_control"] = TimeControl(found.pop("turn_ms"), found.pop("bank_ms"))
    return found
