"""Records of hosted bots: what owners may upload, their builds, and the shifts of play."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Final, NewType

from arena.builds.build import MOST_BUILD_BYTES
from arena.match.transcript import Entrant

ShiftId = NewType("ShiftId", int)
WorkerId = NewType("WorkerId", int)

SHIFT_SECONDS: Final = 60
"""How long a hosted bot plays before the next one gets its place."""
SLOWEST_UPLOAD: Final = 175_000
"""Bytes a second that a build must bring when it is uploaded; one of 20 MiB may take two
minutes."""
MOST_OF_A_LOG: Final = 32 * 1024
"""Bytes of what a program printed in a shift that are kept."""
MOST_OF_AN_OUTCOME: Final = 2_000
"""Characters of the sentence in which a shift ended."""
QUEUE: Final = "shifts"
"""The queue of shifts of play."""
CHECK_QUEUE: Final = "checks"
"""The queue of checks."""
PLAY_TASK: Final = "play"
"""The task that lets a bot play for a shift; its argument is `bot_id`."""
CHECK_TASK: Final = "check"
"""The task that checks a build; its argument is `version_id`."""


@dataclass(frozen=True, slots=True)
class HostingTerms:
    """What owners may upload, and what is kept of it."""

    build_bytes: int = MOST_BUILD_BYTES
    """The most bytes of one build as it is handed in."""
    uploads_a_day: int = 30
    """By an owner, in 24 hours."""
    builds_kept: int = 20
    """The most builds of an owner; beyond it the oldest that does not play is dropped."""
    hosted_bots: int = 5
    """The most hosted bots of an owner."""
    shift_seconds: int = SHIFT_SECONDS


class BuildState(Enum):
    """What became of a build."""

    CHECKING = "checking"
    ACCEPTED = "accepted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class HostedBuild:
    """A version that was uploaded, as its owner sees it."""

    bot: str
    version: str
    sha256: bytes
    size: int
    uploaded_at: datetime
    state: BuildState
    reason: str
    """Why a build was refused, the step of its check, or how its last shift ended. While no worker
    runs, that; of a build that plays, only if its program cut the last shift short."""
    plays: bool
    """Whether the bot plays with it."""
    kept: bool
    """Whether its bytes are kept."""
    running: bool
    """Whether a worker runs it now."""

    @property
    def in_short(self) -> str:
        """What became of it."""
        if self.state is BuildState.CHECKING:
            return "is being checked" if self.running else "waits for its check"
        if self.state is BuildState.REFUSED:
            return "refused"
        return "plays" if self.plays else "accepted"

    @property
    def in_words(self) -> str:
        """`in_short`; while it is checked or waits for that, with the step or the reason."""
        if self.state is not BuildState.CHECKING or not self.reason:
            return self.in_short
        return f"{'checking' if self.running else self.in_short}: {self.reason}"


@dataclass(frozen=True, slots=True)
class HostedShift:
    """One run of a hosted bot's program, as its owner sees it."""

    began_at: datetime
    ended_at: datetime | None
    check: bool
    """Whether the shift is the check of the build, before it plays."""
    outcome: str
    log: str
    match_ids: tuple[str, ...]
    """Matches that the version began meanwhile, oldest first."""


@dataclass(frozen=True, slots=True)
class MatchLog:
    """What a hosted bot's program printed while it played a match."""

    version: str
    shift_began_at: datetime
    started_at: datetime
    """The match."""
    finished_at: datetime
    other_matches: int
    """How many other matches the program played in that time: no line is known to be from one."""
    log: str

    @property
    def in_words(self) -> str:
        """Whose lines these are."""
        if not self.log:
            return "It printed nothing in that time."
        if not self.other_matches:
            return "It played no other match in that time."
        others = "another match" if self.other_matches == 1 else f"{self.other_matches} others"
        return f"It played {others} in that time: lines may be from there."


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker that authenticated itself."""

    id: WorkerId
    name: str


@dataclass(frozen=True, slots=True)
class WorkerSeen:
    """A worker, as the operator sees it."""

    name: str
    created_at: datetime
    seen_at: datetime | None
    """When it last began a shift."""
    shifts: int
    """How many shifts it runs now."""


@dataclass(frozen=True, slots=True)
class BegunShift:
    """A shift that a worker is to run."""

    id: ShiftId
    entrant: Entrant
    token: str
    """Good for playing alone, until the shift ends; empty for a check."""
    sha256: bytes
    file_name: str
    seconds: int
