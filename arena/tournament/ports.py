"""What the tournament needs from outside. `referee` and `storage` supply it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import NewType, Protocol

from arena.match.transcript import Entrant, Transcript

VersionId = NewType("VersionId", int)


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


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match to be recorded. `version_ids` by seat; times are aware."""

    transcript: Transcript
    version_ids: tuple[VersionId, ...]
    block: Block
    position: int
    """Which match of its block this is, from 0."""
    started_at: datetime
    finished_at: datetime


class Recorder(Protocol):
    """Keeps results."""

    async def record(self, matches: Sequence[FinishedMatch]) -> None:
        """Record all or none; a match whose id is already recorded is left as it is."""
        ...
