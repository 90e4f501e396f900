"""Records of hosted bots: the limits of uploads, their builds, and the shifts of play."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Final, NewType

from arena.builds.build import MOST_BUILD_BYTES
from arena.match.transcript import Entrant

ShiftId = NewType("ShiftId", int)
WorkerId = NewType("WorkerId", int)

SHIFT_SECONDS: Final = 60
"""The time that a hosted bot plays before the next one gets its slot."""
SLOWEST_UPLOAD: Final = 175_000
"""The lowest allowed rate of an upload in bytes a second; 20 MiB may take two minutes."""
MOST_OF_A_LOG: Final = 32 * 1024
"""The most bytes of a program's output in a shift that are kept."""
MOST_OF_AN_OUTCOME: Final = 2_000
"""The most characters of the sentence that describes a shift's end."""
QUEUE: Final = "shifts"
"""The queue of shifts of play."""
CHECK_QUEUE: Final = "checks"
"""The queue of checks."""
PLAY_TASK: Final = "play"
"""The task that lets a bot play for a shift; its argument is `bot_id`."""
TOURNAMENT_TASK: Final = "tournament"
"""The task that lets a version play in tournaments for a shift; its argument is `version_id`."""
FINAL_TASK: Final = "final"
"""The task that plays a block of a final; its arguments are `event_id`, `round_number`,
`table_number` and `block_number`.
"""
CHECK_TASK: Final = "check"
"""The task that checks a build; its argument is `version_id`."""


@dataclass(frozen=True, slots=True)
class HostingTerms:
    """The limits of owners' uploads, and of the builds that are kept."""

    build_bytes: int = MOST_BUILD_BYTES
    """The most bytes of one build as it is uploaded."""
    uploads_a_day: int = 30
    """The most uploads of an owner in 24 hours."""
    builds_kept: int = 20
    """The most builds of an owner; beyond it the oldest one not in play is dropped."""
    hosted_bots: int = 5
    """The most hosted bots of an owner."""
    shift_seconds: int = SHIFT_SECONDS


class BuildState(Enum):
    """The state of a build."""

    CHECKING = "checking"
    ACCEPTED = "accepted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class HostedBuild:
    """An uploaded version, as its owner sees it."""

    bot: str
    version: str
    sha256: bytes
    size: int
    uploaded_at: datetime
    state: BuildState
    reason: str
    """Why it was refused; during its check, the current step; if it plays and its program cut its
    last shift short, how that shift ended; while no worker runs, that fact.
    """
    plays: bool
    """Whether the bot plays with it."""
    kept: bool
    """Whether its bytes are kept."""
    running: bool
    """Whether a worker runs it now."""

    @property
    def in_short(self) -> str:
        """The state of the build in a few words."""
        if self.state is BuildState.CHECKING:
            return "is being checked" if self.running else "waits for its check"
        if self.state is BuildState.REFUSED:
            return "refused"
        return "plays" if self.plays else "accepted"

    @property
    def in_words(self) -> str:
        """`in_short`, with the step or the reason while it is being checked or waits for that."""
        if self.state is not BuildState.CHECKING or not self.reason:
            return self.in_short
        return f"{'checking' if self.running else self.in_short}: {self.reason}"


@dataclass(frozen=True, slots=True)
class HostedShift:
    """One run of a hosted bot's program, as its owner sees it."""

    began_at: datetime
    ended_at: datetime | None
    check: bool
    """Whether it is the check of the build instead of play."""
    outcome: str
    log: str
    match_ids: tuple[str, ...]
    """The matches that the version began during the shift, oldest first."""


@dataclass(frozen=True, slots=True)
class MatchLog:
    """The output of a hosted bot's program while it played a match."""

    version: str
    shift_began_at: datetime
    started_at: datetime
    """The start of the match."""
    finished_at: datetime
    other_matches: int
    """The number of other matches that the program played in that time; lines may be from any of
    them.
    """
    log: str

    @property
    def in_words(self) -> str:
        """A sentence on which matches the lines may be from."""
        if not self.log:
            return "It printed nothing in that time."
        if not self.other_matches:
            return "It played no other match in that time."
        others = "another match" if self.other_matches == 1 else f"{self.other_matches} others"
        return f"It played {others} in that time: lines may be from there."


@dataclass(frozen=True, slots=True)
class Worker:
    """An authenticated worker."""

    id: WorkerId
    name: str


@dataclass(frozen=True, slots=True)
class WorkerSeen:
    """A worker, as the operator sees it."""

    name: str
    created_at: datetime
    seen_at: datetime | None
    """The time at which it was started or last began a shift."""
    slots: int
    """The number of shifts of play that it runs at once; 0 if it did not report it."""
    shifts: int
    """The number of shifts that it runs now."""


@dataclass(frozen=True, slots=True)
class BegunShift:
    """A shift for a worker to run."""

    id: ShiftId
    entrant: Entrant
    token: str
    """The token, valid only for playing and until the shift ends; empty for a check."""
    sha256: bytes
    file_name: str
    seconds: int
