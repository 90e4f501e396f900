"""Errors of storage; each message is one sentence that names the remedy.

StorageError (a UserError)
├── DatabaseUnreachableError    no server answers at the database's address
├── SetupError                  the database, or its place, does not meet an arena's needs
├── DataDirectoryError          this Postgres cannot open the data directory
├── BackupError                 a backup cannot be made, read or restored
├── MigrationBlockedError       another session holds a lock that a migration needs
├── LeaseTakenError             another referee has taken over from this one
├── AddressesTakenError         other referees have all addresses that this one may have
├── NoAddressError              one of several referees does not announce its address to bots
├── NameRefusedError            a name that is malformed or taken
│   └── NameTakenError          the name, or one that looks like it, is taken
├── RequestRefusedError         a request is malformed, repeats another, or asks for too much
├── CredentialRefusedError      an invite, or an ID token, is unknown, used up or expired
├── UnknownOwnerError           no owner has that name or key
├── NotAllowedError             the caller, or the bot, may not do that
│   └── RetiredError            the bot or the version is out of service
├── NotFoundError               nothing has that name or id
├── WrongStateError             a date, or the state of the thing named, does not allow it
│   └── BuildNotKeptError       the build cannot play: not accepted, retired, or not kept
├── TournamentStateError        the tournament's state does not allow the change
├── LimitReachedError           the greatest number allowed exists already
├── TooManyVersionsError        a bot, or all bots of an owner, got too many versions in a day
├── TooManyUploadsError         an owner uploaded too many builds in a day
├── RecordRefusedError          the database refused a result; nothing of its batch was kept
├── TranscriptNotKeptError      a transcript was removed, as the policy states
└── TranscriptDamagedError      a stored transcript cannot be read
"""

from arena.errors import UserError


class StorageFailedError(Exception):
    """Storage failed for now; trying again later may help."""


class LeaseLostError(Exception):
    """Another referee has taken over this one's matches: this one must not write any more."""


class SpoolFailedError(UserError):
    """The spool could not be written, read or removed now; its contents are unchanged."""


class StorageError(UserError):
    """The base class of this package's errors."""


class DatabaseUnreachableError(StorageError, StorageFailedError):
    """No server answers at the database's address; trying again later may help."""


class SetupError(StorageError):
    """The database, or the place for it, does not meet an arena's needs."""


class DataDirectoryError(StorageError):
    """This Postgres cannot open the data directory."""


class BackupError(StorageError):
    """A backup cannot be made, read or restored."""


class MigrationBlockedError(StorageError):
    """Another session holds a lock that a migration needs; trying again later may help."""


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
    """The name, or one that looks like it, is taken; or the bot already has that version."""


class RequestRefusedError(StorageError):
    """A request is malformed, repeats another, or asks for more than is allowed.

    For limits on the number of bots and of team members there is LimitReachedError.
    """


class CredentialRefusedError(StorageError):
    """An invite, or an ID token, is unknown, used up or expired."""


class NotAllowedError(StorageError):
    """The caller, or the bot, may not do that."""


class NotFoundError(StorageError):
    """Nothing has that name or id, as far as the caller may know."""


class WrongStateError(StorageError):
    """A date, or the state of the thing that the request names, does not allow it."""


class LimitReachedError(StorageError):
    """The greatest number allowed exists already."""


class TooManyVersionsError(StorageError):
    """A bot, or all bots of an owner, got too many versions in a day.

    Another version is allowed after `wait_seconds`.
    """

    def __init__(self, whose: str, versions: int, wait_seconds: float) -> None:
        super().__init__(f"{whose} got {versions} versions in the last 24 hours")
        self.wait_seconds = float(wait_seconds)


class TooManyUploadsError(StorageError):
    """An owner uploaded too many builds in a day.

    Another upload is allowed after `wait_seconds`.
    """

    def __init__(self, uploads: int, wait_seconds: float) -> None:
        super().__init__(f"you uploaded {uploads} builds in the last 24 hours")
        self.wait_seconds = float(wait_seconds)


class BuildNotKeptError(WrongStateError):
    """A build that cannot play: its check did not accept it, it is retired, or it is not kept."""


class UnknownOwnerError(StorageError):
    """No owner has that name or key."""


class TournamentStateError(StorageError):
    """The tournament's state does not allow the change."""


class RetiredError(NotAllowedError):
    """The token's bot or version is out of service."""


class RecordRefusedError(StorageError):
    """The database refused a result; nothing of its batch was kept."""


class TranscriptNotKeptError(StorageError):
    """The transcript of an old match was removed; its result stays."""


class TranscriptDamagedError(StorageError):
    """A stored transcript cannot be read."""
