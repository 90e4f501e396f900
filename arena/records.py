"""Records of owners, versions and their checks, blocks and finished matches.

The packages of the arena share them.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum
from typing import NewType

from arena.games.game import AnyGame
from arena.match.flow import Refused
from arena.match.transcript import Entrant, Transcript

VersionId = NewType("VersionId", int)
TournamentId = NewType("TournamentId", int)
OwnerId = NewType("OwnerId", int)

MOST_OF_A_REASON = 1_000
"""The maximum length of a stored reason for a fault, in characters."""
MOST_SENT = 2_000
"""The maximum length of the JSON of a stored illegal action, in characters."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A registered version of a bot."""

    version_id: VersionId
    entrant: Entrant
    house: bool
    """Whether it is one of the platform's own bots, which may meet each other in rated matches."""


@dataclass(frozen=True, slots=True)
class Presence:
    """A copy of a bot at one referee."""

    version_id: VersionId
    instance: str
    connected: bool
    places: int
    """The number of rated matches that it plays there at once."""
    seats: int
    """The number of matches in which it has a seat there."""
    games: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Owner:
    """A person who registers bots."""

    id: OwnerId
    name: str


@dataclass(frozen=True, slots=True)
class Identity:
    """A person's identity at an identity provider, from a verified ID token."""

    issuer: str
    subject: str
    """The person's id at the issuer, which never gives it to another person."""
    suggested_name: str
    """The person's name at the provider; possibly empty."""
    token_sha256: bytes
    """The hash of the ID token, which can be used to sign in only once."""
    expires_at: datetime
    """The time from which the token is refused for its age."""


class SignUp(StrEnum):
    """The rule for who may become an owner."""

    OPEN = "open"
    """Everyone may sign up."""
    INVITE = "invite"
    """An invite of the operator is needed."""
    CLOSED = "closed"
    """Signing up is disabled: the operator registers bots."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits of what an owner may register."""

    bots: int
    """The number of bots in service."""
    bot_versions_a_day: int
    """The number of versions of one bot in 24 hours, uploads not counted."""
    owner_versions_a_day: int
    """The number of versions of all bots in 24 hours, uploads not counted."""


@dataclass(frozen=True, slots=True)
class OwnBots:
    """A selection of versions of an owner's bots."""

    bot: str = ""
    """The only bot to include; "" includes all."""
    prefix: str = ""
    """The beginning of the names of the bots to include."""
    after: VersionId | None = None
    """The version after which the selection begins."""
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class OwnedVersion:
    """A version of an owner's bot, as its owner sees it."""

    id: VersionId
    bot: str
    version: str
    created_at: datetime
    retired_at: datetime | None
    """The time when the version or its bot was retired."""
    frozen_at: datetime | None
    """The time when the operator froze the bot."""
    paused_at: datetime | None
    """The time when its owner paused the bot."""
    text: str
    language: str
    link: str
    matches: int
    faults: int
    """The number of faults in all of its matches."""
    check: str = ""
    """Its last conformance check, as a sentence; empty without one."""


class CheckOrigin(Enum):
    """The machine on which a bot's program was checked against the protocol."""

    AUTHOR = "author"
    ARENA = "arena"


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The outcome of a conformance check: the scenarios that a version's program met."""

    edition: int
    """The edition of the scenarios."""
    met: int
    failed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


class BlockKind(Enum):
    """The kind of a block: what its matches have in common."""

    SEAT = "seat"
    """The same bots once per rotation of the seats, with a fresh deal each time."""
    DEAL = "deal"
    """The same deal once per rotation of the seats; only where no bot can remember it."""


@dataclass(frozen=True, slots=True)
class Block:
    """A group of matches that are scheduled, voided and counted together; `id` is a UUID."""

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
    """The pairing as (round, table)."""
    block: Block


@dataclass(frozen=True, slots=True)
class ToldFault:
    """The details of a fault that a bot received beyond those in the transcript."""

    turn_number: int
    reason: str
    sent: str | None
    """The action that the rules do not allow, as JSON; None if no action was understood."""

    @classmethod
    def of(cls, game: AnyGame, refused: Refused) -> "ToldFault":
        """Return the stored part of a refusal, with its texts limited in length."""
        sent = None
        if refused.sent is not None:
            sent = game.notation.to_text(refused.sent).replace("\\u0000", "")
        return cls(
            refused.turn_number,
            refused.reason.replace("\0", "")[:MOST_OF_A_REASON],
            sent if sent is None or len(sent) <= MOST_SENT else None,
        )


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A finished match to be recorded; `version_ids` are by seat, and times have a time zone."""

    transcript: Transcript
    written: bytes
    """The serialised transcript, as it is stored and sent on the wire."""
    version_ids: tuple[VersionId, ...]
    block: Block
    position: int
    """The position of the match in its block, from 0."""
    started_at: datetime
    finished_at: datetime
    faults: tuple[ToldFault, ...] = ()
    """The faults by turn, as far as they are known if an earlier release spooled the match."""
    instances: tuple[str, ...] = ()
    """The connected copy of its version in each seat; empty if none has a name."""

    def instance(self, seat: int) -> str:
        """Return the connected copy in a seat; often empty."""
        return self.instances[seat] if self.instances else ""


@dataclass(frozen=True, slots=True)
class BlockEnd:
    """The premature end of a block: void, or closed so that its matches count."""

    block_id: str
    void: bool


@dataclass(frozen=True, slots=True)
class UntoldEnd:
    """The end of a match that a bot has not yet received."""

    match_id: str
    version_id: VersionId
    instance: str
    """The connected copy of the bot in that seat."""


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A summary of a recorded match."""

    match_id: str
    game: str
    entrants: tuple[Entrant, ...]
    """The entrants, by seat."""
    placing: tuple[int, ...]
    """The ranks, by seat."""
    finished_at: datetime


@dataclass(frozen=True, slots=True)
class RecordedChallenge:
    """The recorded state of a challenge."""

    matches: tuple[RecordedMatch, ...]
    """The matches in the order in which they were played; at least one."""
    players: frozenset[VersionId]
    wanted: int
    """The number of matches requested."""
    over: bool
    """Whether no further match follows."""
