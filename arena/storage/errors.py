"""What can go wrong with storage; each message is one sentence that says what to do.

StorageError (a UserError)
├── DatabaseUnreachableError    no server answers at the database's address
├── HomeNotWritableError        ARENA_HOME cannot hold the built-in database
├── PostgresMissingError        neither the wheel's Postgres nor the system's is there
├── DataDirectoryError          the data directory is not one that this Postgres can open
├── SchemaTooNewError           a newer release of the arena has migrated the database
├── MigrationRefusedError       the database user may not do what a migration needs
├── AnotherRefereeError         a referee runs on this database already
├── LeaseTakenError             another referee has taken over from this one
├── NameRefusedError            a name that is malformed or taken
│   ├── VersionExistsError      the bot has a version of that name
│   └── TournamentExistsError   there is a tournament of that name
├── UnknownBotError             no bot or version of that name
├── UnknownTournamentError      no tournament of that name
├── TournamentStateError        a tournament is not in a state in which that can be done
├── RetiredError                the token's bot or version is out of service
├── RecordRefusedError          the database refused a result; nothing of its batch was kept
└── TranscriptDamagedError      a stored transcript cannot be read
"""

from arena.errors import UserError
from arena.hosting.ports import LeaseLostError, StorageFailedError


class StorageError(UserError):
    """The root of this package's errors."""


class DatabaseUnreachableError(StorageError, StorageFailedError):
    """No server answers at the database's address; later one may."""


class HomeNotWritableError(StorageError):
    """ARENA_HOME cannot hold the built-in database."""


class PostgresMissingError(StorageError):
    """Neither the wheel's Postgres nor the system's is there."""


class DataDirectoryError(StorageError):
    """The data directory is not one that this Postgres can open."""


class SchemaTooNewError(StorageError):
    """A newer release of the arena has migrated the database."""


class MigrationRefusedError(StorageError):
    """The database user may not do what a migration needs."""


class AnotherRefereeError(StorageError):
    """A referee runs on this database already."""


class LeaseTakenError(StorageError, LeaseLostError):
    """Another referee has taken over from this one; nothing was written."""


class NameRefusedError(StorageError):
    """A bot, version or owner name that is malformed or taken."""


class VersionExistsError(NameRefusedError):
    """The bot has a version of that name."""


class TournamentExistsError(NameRefusedError):
    """There is a tournament of that name."""


class UnknownTournamentError(StorageError):
    """No tournament of that name."""


class TournamentStateError(StorageError):
    """A tournament is not in a state in which that can be done."""


class UnknownBotError(StorageError):
    """No bot or version of that name."""


class RetiredError(StorageError):
    """The token's bot or version is out of service."""


class RecordRefusedError(StorageError):
    """The database refused a result; nothing of its batch was kept."""


class TranscriptDamagedError(StorageError):
    """A stored transcript cannot be read."""
