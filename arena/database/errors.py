"""Errors of storage; each message is one sentence that names the remedy.

StorageError (a UserError)
├── DatabaseUnreachableError    no server answers at the database's address
├── MalformedUrlError           ARENA_DATABASE_URL is no address of a database
├── EncodingRefusedError        the database does not know in which encoding its text is
├── HomeNotWritableError        ARENA_HOME cannot hold the built-in database
├── PostgresMissingError        neither the wheel's Postgres nor the system's is installed
├── DataDirectoryError          the data directory is not one that this Postgres can open
├── SchemaUnknownError          the database has the schema of a newer release, or is too old
├── BackupError                 a backup cannot be made, read or restored
├── MigrationBlockedError       another session holds a lock that a migration needs
├── MigrationRefusedError       the database user lacks a permission that a migration needs
├── LeaseTakenError             another referee has taken over from this one
├── AddressesTakenError         other referees have all addresses that this one may have
├── NoAddressError              one of several referees does not announce its address to bots
├── NameRefusedError            a name that is malformed or taken
│   ├── NameTakenError          the name, or one that looks like it, is taken
│   │   └── VersionExistsError  the bot has a version of that name
│   ├── TournamentExistsError   a tournament has that name
│   └── EventExistsError        an event has that name
├── TooManyVersionsError        a bot, or all of an owner, got too many versions in a day
├── TooManyBotsError            an owner has as many bots as are allowed
├── DetailsRefusedError         an owner's details of a bot are malformed
├── MessageRefusedError         a message to an owner is empty, too long or cannot be shown
├── InviteRefusedError          an invite is unknown, used up or expired
├── UnknownBlockError           no block has that id
├── BlockRefusedError           the block cannot be voided
├── NotCaptainError             only the captain of a team may do that
├── TooManyMembersError         a team has as many members as are allowed
├── UnknownMemberError          no member of the team has that name
├── UnknownOwnerError           no owner has that name or key
├── OperatorSparedError         an operator cannot be banned
├── BannedError                 the operator banned the owner
├── FrozenError                 the operator froze the bot
├── PausedError                 the owner paused the bot
├── UnknownBotError             no bot or version has that name
├── TooManyUploadsError         an owner uploaded too many builds in a day
├── BuildNotKeptError           the build cannot play: not accepted, retired, or not kept
├── LogNotKeptError             a program's output in a match is not kept, or not known yet
├── UnknownShiftError           the worker runs no such shift
├── UnknownWorkerError          no worker has that name
├── UnknownPersonError          nobody, or not one alone, of those who take part is so named
├── NotOrganiserError           only an organiser of the event may do that
├── UnknownEventError           no event has that name
├── EventStateError             the event's dates do not allow the change
├── EventRefusedError           what is asked of an event is malformed
├── WebhookRefusedError         what is asked of a webhook is malformed, or too much
├── UnknownTournamentError      no tournament has that name
├── TournamentStateError        the tournament's state does not allow the change
├── RetiredError                the token's bot or version is out of service
├── RecordRefusedError          the database refused a result; nothing of its batch was kept
├── TranscriptNotKeptError      a transcript was removed, as the policy tells
└── TranscriptDamagedError      a stored transcript cannot be read
"""

from arena.errors import UserError


class StorageFailedError(Exception):
    """Storage failed for now; trying again later may help."""


class LeaseLostError(Exception):
    """Another referee has taken over this one's matches: this one must not write any more."""


class SpoolFailedError(UserError):
    """The spool could not be written, read or removed now; it still holds what it held before."""


class StorageError(UserError):
    """The base class of this package's errors."""


class DatabaseUnreachableError(StorageError, StorageFailedError):
    """No server answers at the database's address; trying again later may help."""


class MalformedUrlError(StorageError):
    """ARENA_DATABASE_URL is no address of a database."""


class EncodingRefusedError(StorageError):
    """The database does not know in which encoding its text is."""


class HomeNotWritableError(StorageError):
    """ARENA_HOME cannot hold the built-in database."""


class PostgresMissingError(StorageError):
    """Neither the wheel's Postgres nor the system's is installed."""


class DataDirectoryError(StorageError):
    """The data directory is not one that this Postgres can open."""


class SchemaUnknownError(StorageError):
    """The database has the schema of a newer release, or one from before the first release."""


class BackupError(StorageError):
    """A backup cannot be made, read or restored."""


class MigrationBlockedError(StorageError):
    """Another session holds a lock that a migration needs; trying again later may help."""


class MigrationRefusedError(StorageError):
    """The database user lacks a permission that a migration needs."""


class LeaseTakenError(StorageError, LeaseLostError):
    """Another referee has taken over from this one; nothing was written."""

    exit_code = 3
    """A code of its own: a supervisor that restarts referees must not restart this one at once."""


class AddressesTakenError(StorageError):
    """Other referees have all addresses that this one may have."""


class NoAddressError(StorageError):
    """One of several referees does not announce its address to bots."""


class NameRefusedError(StorageError):
    """A bot, version or owner name that is malformed or taken."""


class NameTakenError(NameRefusedError):
    """The name of a bot or owner, or one that looks like it, is taken."""


class VersionExistsError(NameTakenError):
    """The bot has a version of that name."""


class TooManyVersionsError(StorageError):
    """A bot, or all bots of an owner, got too many versions in a day.

    `wait_seconds` is how long it takes until there may be another.
    """

    def __init__(self, whose: str, versions: int, wait_seconds: float) -> None:
        super().__init__(f"{whose} got {versions} versions in the last 24 hours")
        self.wait_seconds = float(wait_seconds)


class TooManyBotsError(StorageError):
    """An owner has as many bots as are allowed."""


class TooManyUploadsError(StorageError):
    """An owner uploaded too many builds in a day.

    `wait_seconds` is how long it takes until there may be another.
    """

    def __init__(self, uploads: int, wait_seconds: float) -> None:
        super().__init__(f"you uploaded {uploads} builds in the last 24 hours")
        self.wait_seconds = float(wait_seconds)


class BuildNotKeptError(StorageError):
    """A build that cannot play: its check did not accept it, it is retired, or not kept."""


class LogNotKeptError(StorageError):
    """A program's output in a match is not kept, or not known yet."""


class UnknownShiftError(StorageError):
    """The worker runs no such shift."""


class UnknownWorkerError(StorageError):
    """No worker has that name."""


class DetailsRefusedError(StorageError):
    """An owner's details of a bot are malformed."""


class MessageRefusedError(StorageError):
    """A message to an owner is empty, too long or cannot be shown."""


class IdentityRefusedError(StorageError):
    """An owner has another identity, or an identity another owner."""


class TokenUsedError(StorageError):
    """An ID token was used before."""


class InviteRefusedError(StorageError):
    """An invite is unknown, used up or expired."""


class UnknownBlockError(StorageError):
    """No block has that id."""


class BlockRefusedError(StorageError):
    """The block cannot be voided."""


class UnknownOwnerError(StorageError):
    """No owner has that name or key."""


class NotCaptainError(StorageError):
    """Only the captain of a team, who has the owner's own key, may do that."""


class TooManyMembersError(StorageError):
    """A team has as many members as are allowed."""


class UnknownMemberError(StorageError):
    """No member of the team has that name."""


class OperatorSparedError(StorageError):
    """An operator cannot be banned."""


class BannedError(StorageError):
    """The operator banned the owner."""


class PausedError(StorageError):
    """The owner paused the bot: it may not play until the owner resumes it."""


class FrozenError(StorageError):
    """The operator froze the bot."""


class TournamentExistsError(NameRefusedError):
    """A tournament has that name."""


class EventExistsError(NameRefusedError):
    """An event has that name."""


class UnknownPersonError(StorageError):
    """Nobody, or not one alone, of those who take part in an event is so named."""


class NotOrganiserError(StorageError):
    """Only an organiser of the event, or an owner who may make events, may do that."""


class UnknownEventError(StorageError):
    """No event has that name."""


class EventStateError(StorageError):
    """The event's dates do not allow the change; the message names the date."""


class EventRefusedError(StorageError):
    """A request about an event is malformed."""


class WebhookRefusedError(StorageError):
    """A request about a webhook is malformed, or its owner has enough of them."""


class UnknownTournamentError(StorageError):
    """No tournament has that name."""


class TournamentStateError(StorageError):
    """The tournament's state does not allow the change."""


class UnknownBotError(StorageError):
    """No bot or version has that name."""


class RetiredError(StorageError):
    """The token's bot or version is out of service."""


class RecordRefusedError(StorageError):
    """The database refused a result; nothing of its batch was kept."""


class TranscriptNotKeptError(StorageError):
    """The transcript of an old match was removed; its result stays."""


class TranscriptDamagedError(StorageError):
    """A stored transcript cannot be read."""
