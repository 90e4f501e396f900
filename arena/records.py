"""Records that the packages share: owners, versions, checks, blocks and matches."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, StrEnum
from typing import Final, NewType

from arena.games.game import AnyGame
from arena.match.flow import Refused
from arena.match.notes import Note
from arena.match.transcript import Entrant, Transcript

VersionId = NewType("VersionId", int)
TournamentId = NewType("TournamentId", int)
OwnerId = NewType("OwnerId", int)

MOST_OF_A_REASON = 1_000
"""Characters of a fault's reason that are kept."""
MOST_SENT = 2_000
"""Characters of the JSON of an illegal action, beyond which it is not kept."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A registered version of a bot."""

    version_id: VersionId
    entrant: Entrant
    house: bool
    """Whether it is one of the platform's own bots, which may meet each other in rated matches."""
    pace: int | None = field(default=None, compare=False)
    """The rated matches an hour that its bot may begin, as far as known; None for any number."""
    ladder: bool = field(default=True, compare=False)
    """Whether it plays on the ladder; hosted bots in a shift for tournaments do not."""


@dataclass(frozen=True, slots=True)
class Presence:
    """A copy of a bot at one referee."""

    version_id: VersionId
    instance: str
    connected: bool
    places: int
    """Rated matches that it plays there at once."""
    seats: int
    """Matches in which it has a seat there."""
    games: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Owner:
    """An owner, who registers bots."""

    id: OwnerId
    name: str
    member: str = ""
    """The member of the owner's team who makes the call; "" for the owner's own key."""
    member_id: int | None = None
    operator: bool = False
    """Whether it may act as an operator; members of a team may not."""
    key_sha256: bytes | None = field(default=None, compare=False, repr=False)
    """The hash of the key of the call; None if the arena itself acts for the owner."""

    @property
    def actor(self) -> str:
        """The name of the acting owner, and of the member if any, for the audit."""
        return f"{self.name} ({self.member})" if self.member else self.name


@dataclass(frozen=True, slots=True)
class Identity:
    """An identity that an identity provider asserts, from a verified ID token."""

    issuer: str
    subject: str
    """The issuer's id of a person; the issuer never gives it to another person."""
    suggested_name: str
    """The provider's name for the person; possibly empty."""
    token_sha256: bytes
    """The hash of the ID token, which can sign in only once."""
    expires_at: datetime
    """When the token expires; it is refused from then on."""


class SignUp(StrEnum):
    """The ways in which owners sign up."""

    OPEN = "open"
    """Everybody can sign up."""
    INVITE = "invite"
    """An invite from the operator is needed."""
    CLOSED = "closed"
    """Nobody can sign up: the operator registers bots."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits on the bots and versions that an owner may register."""

    bots: int
    """Bots in service."""
    bot_versions_a_day: int
    """Versions of one bot in 24 hours, uploads not counted."""
    owner_versions_a_day: int
    """Versions of all bots in 24 hours, uploads not counted."""


@dataclass(frozen=True, slots=True)
class OwnBots:
    """A selection of the versions of an owner's bots."""

    bot: str = ""
    """The bot whose versions are wanted; "" for all bots."""
    prefix: str = ""
    """The beginning of the names of the bots."""
    after: VersionId | None = None
    """The selection begins after this version."""
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class OwnedVersion:
    """A version of an owner's bot, as its owner sees it."""

    id: VersionId
    bot: str
    version: str
    created_at: datetime
    retired_at: datetime | None
    """When the version or its bot was retired."""
    frozen_at: datetime | None
    """When the operator froze the bot."""
    paused_at: datetime | None
    """When its owner paused the bot."""
    pace: int | None
    """The rated matches an hour that the bot may begin; None for any number."""
    wished_pace: int | None
    """The pace that its owner asks for."""
    text: str
    language: str
    link: str
    matches: int
    faults: int
    """The number of faults in all of its matches."""
    shares_decisions: bool = True
    """Whether the bot's decisions are in data sets."""
    shares_notes: bool = False
    """Whether everybody can read the bot's notes."""


EDITION: Final = 2
"""The edition of the scenarios of `arena check`; it increases when they require more of a bot."""


class CheckOrigin(Enum):
    """The machine on which a bot's program was checked against the protocol."""

    AUTHOR = "author"
    ARENA = "arena"


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The outcome of the conformance check of a version's program."""

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
class ToldFault:
    """The details of a fault that the bot received and the transcript does not contain."""

    turn_number: int
    reason: str
    sent: str | None
    """The illegal action as JSON; None if no action could be parsed, or if it is too long."""

    @classmethod
    def of(cls, game: AnyGame, refused: Refused) -> "ToldFault":
        """Return the part of a refusal to keep; a long reason is cut, a long action left out."""
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
    faults: tuple[ToldFault, ...] = ()
    """The faults in the order of turns; incomplete if an earlier release spooled the match."""
    instances: tuple[str, ...] = ()
    """The connected copy of the bot in each seat; empty if no copy has a name."""
    notes: tuple[Note, ...] = ()
    """The bots' notes."""

    def instance(self, seat: int) -> str:
        """Return the connected copy of the bot in a seat; often empty."""
        return self.instances[seat] if self.instances else ""


@dataclass(frozen=True, slots=True)
class BlockEnd:
    """An early end of a block: void, or closed so that its matches count."""

    block_id: str
    void: bool


@dataclass(frozen=True, slots=True)
class UntoldEnd:
    """The end of a match that a bot has not been notified of."""

    match_id: str
    version_id: VersionId
    instance: str
    """The connected copy of the bot that played it."""


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A summary of a recorded match."""

    match_id: str
    game: str
    entrants: tuple[Entrant, ...]
    """By seat."""
    placing: tuple[int, ...]
    """By seat."""
    finished_at: datetime


@dataclass(frozen=True, slots=True)
class RecordedChallenge:
    """The recorded part of a challenge."""

    matches: tuple[RecordedMatch, ...]
    """In the order in which they were played; at least one."""
    players: frozenset[VersionId]
    wanted: int
    """How many matches were asked for."""
    over: bool
    """Whether no more matches follow."""
