"""Records of versions, blocks and finished matches, shared by hosting, boards and storage."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import NewType

from arena.match.transcript import Entrant, Transcript

VersionId = NewType("VersionId", int)
TournamentId = NewType("TournamentId", int)


@dataclass(frozen=True, slots=True)
class Registered:
    """A registered version of a bot."""

    version_id: VersionId
    entrant: Entrant
    house: bool
    """Whether it is one of the platform's own bots, which may meet each other in rated matches."""


class BlockKind(Enum):
    """The kind of a block: what its matches have in common."""

    SEAT = "seat"
    """The same bots once per rotation of the seats, with a fresh deal each time."""
    DEAL = "deal"
    """The same deal once per rotation of the seats; only where no bot can remember it."""


@dataclass(frozen=True, slots=True)
class Block:
    """A group of matches that are scheduled, voided and counted together. `id` is a UUID."""

    id: str
    kind: BlockKind
    size: int
    rated: bool = True
    """Whether its matches count for the ladder once it is complete or closed."""


@dataclass(frozen=True, slots=True)
class TournamentBlock:
    """A block started for a pairing of a tournament."""

    tournament_id: TournamentId
    pairing: tuple[int, int]
    """(round, table)."""
    block: Block


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A finished match to be recorded. `version_ids` are by seat; times have a time zone."""

    transcript: Transcript
    written: bytes
    """The serialised transcript, as storage keeps it and the wire sends it."""
    version_ids: tuple[VersionId, ...]
    block: Block
    position: int
    """The position of the match in its block, from 0."""
    started_at: datetime
    finished_at: datetime


@dataclass(frozen=True, slots=True)
class BlockEnd:
    """The end of a block before its time: void, or closed so that its matches count."""

    block_id: str
    void: bool
