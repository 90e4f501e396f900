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
        """Who acts, for the audit."""
        return f"{self.name} ({self.member})" if self.member else self.name


@dataclass(frozen=True, slots=True)
class Identity:
    """An identity by the word of an identity provider, from an ID token that was verified."""

    issuer: str
    subject: str
    """Never given to somebody else by the issuer."""
    suggested_name: str
    """How the provider calls somebody; possibly empty."""
    token_sha256: bytes
    """The hash of the ID token, which signs in once."""
    expires_at: datetime
    """From then on the token is refused for its age."""


class SignUp(StrEnum):
    """The ways in which owners sign up."""

    OPEN = "open"
    """Everybody."""
    INVITE = "invite"
    """With an invite of the operator."""
    CLOSED = "closed"
    """Not at all: the operator registers bots."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits of what an owner may register."""

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
    """The version behind which the selection begins."""
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
    """The number that its owner wishes."""
    text: str
    language: str
    link: str
    matches: int
    faults: int
    """In all of its matches."""
    shares_decisions: bool = True
    """Whether the bot's decisions are in data sets."""
    shares_notes: bool = False
    """Whether everybody can read the bot's notes."""


EDITION: Final = 2
"""The edition of the scenarios of `arena check`; it grows as soon as they ask more of a bot."""


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
    """A fault as the bot was told of it, beyond what the transcript holds."""

    turn_number: int
    reason: str
    sent: str | None
    """The action that the rules do not allow, as JSON; None if no action was understood."""

    @classmethod
    def of(cls, game: AnyGame, refused: Refused) -> "ToldFault":
        """Return what is kept of a refusal; of what a bot sent, no more than a screen holds."""
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
    """By turn; as far as they are known, if the match was spooled by an earlier release."""
    instances: tuple[str, ...] = ()
    """The connected copy that sat in each seat; empty if none has a name."""
    notes: tuple[Note, ...] = ()
    """What the bots noted."""

    def instance(self, seat: int) -> str:
        """Return the connected copy that sat there; often empty."""
        return self.instances[seat] if self.instances else ""


@dataclass(frozen=True, slots=True)
class BlockEnd:
    """The end of a block before its time: void, or closed so that its matches count."""

    block_id: str
    void: bool


@dataclass(frozen=True, slots=True)
class UntoldEnd:
    """An end that a bot has not been told."""

    match_id: str
    version_id: VersionId
    instance: str
    """The connected copy of the bot that sat there."""


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A recorded match in short."""

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
    """Whether none follows."""
