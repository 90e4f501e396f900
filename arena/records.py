"""Versions, blocks and finished matches: values that hosting, boards and storage share."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import NewType

from arena.match.transcript import Entrant, Transcript

VersionId = NewType("VersionId", int)
TournamentId = NewType("TournamentId", int)


@dataclass(frozen=True, slots=True)
class Registered:
    """A version of a bot as the arena knows it."""

    version_id: VersionId
    entrant: Entrant
    house: bool
    """One of the platform's own sample bots, which may meet each other in rated matches."""


class BlockKind(Enum):
    """What the matches of a block share."""

    SEAT = "seat"
    """The same bots once per rotation of the seats, a fresh deal each time."""
    DEAL = "deal"
    """One deal once per rotation of the seats; only where no seat can remember."""


@dataclass(frozen=True, slots=True)
class Block:
    """Matches that are scheduled, voided and counted as one. `id` is a UUID."""

    id: str
    kind: BlockKind
    size: int
    rated: bool = True
    """Whether its matches count for the ladder once it is complete or closed."""


@dataclass(frozen=True, slots=True)
class TournamentBlock:
    """A block that is begun for a pairing of a tournament."""

    tournament_id: TournamentId
    pairing: tuple[int, int]
    """(round, table)."""
    block: Block


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match to be recorded. `version_ids` by seat; times are aware."""

    transcript: Transcript
    written: bytes
    """The transcript in the form that storage keeps and the wire sends."""
    version_ids: tuple[VersionId, ...]
    block: Block
    position: int
    """Which match of its block this is, from 0."""
    started_at: datetime
    finished_at: datetime


@dataclass(frozen=True, slots=True)
class BlockEnd:
    """The end of a block before its time: void, or closed so that its matches count."""

    block_id: str
    void: bool
