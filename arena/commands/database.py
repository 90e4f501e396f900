"""The database for commands: that of the settings or the embedded one. And `arena migrate`."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import typer

from arena.commands.errors import CommandError, exit_with_message

# Imported where they are needed: an error in the arguments must not wait for SQLAlchemy.
if TYPE_CHECKING:
    from arena.settings import Settings
    from arena.storage.reading import Reader
    from arena.storage.store import Store

T = TypeVar("T")


@contextmanager
def database(settings: "Settings") -> Iterator[str]:
    """The URL of a migrated database; an embedded server runs until the `with` block ends."""
    from arena.storage.embedded import EmbeddedPostgres
    from arena.storage.schema import migrate as migrate_schema

    if settings.database_url is not None:
        migrate_schema(settings.database_url)
        yield settings.database_url
        return
    with EmbeddedPostgres(settings.home / "postgres") as url:
        migrate_schema(url)
        yield url


@contextmanager
def existing_database(settings: "Settings") -> Iterator[str]:
    """The same, for what only reads: raises CommandError where there is none yet."""
    if settings.database_url is None and not (settings.home / "postgres").is_dir():
        raise CommandError(
            f"there is no arena in {settings.home.absolute()}: go to the folder where you ran "
            "`arena up`, or set ARENA_HOME to the .arena of it."
        )
    with database(settings) as url:
        yield url


def with_store(use: "Callable[[Store], Awaitable[T]]", *, existing: bool = False) -> T:
    """The result of `use` on the settings' store, which must be an `existing` one for what only
    reads; errors are handled by `exit_with_message`."""
    from arena.settings import read_settings
    from arena.storage.store import open_store

    async def run(url: str) -> T:
        async with open_store(url) as store:
            return await use(store)

    opened = existing_database if existing else database
    with exit_with_message(), opened(read_settings()) as url:
        return asyncio.run(run(url))


def with_reader(use: "Callable[[Reader], T]") -> T:
    """The result of `use` on the settings' database; errors are handled by `exit_with_message`."""
    from arena.settings import read_settings
    from arena.storage.reading import open_reader

    with exit_with_message(), existing_database(read_settings()) as url, open_reader(url) as read:
        return use(read)


def migrate() -> None:
    """Bring the database to this release's schema. Running it again changes nothing."""
    from arena.settings import read_settings

    with exit_with_message(), database(read_settings()):
        typer.echo("The database is up to date.")
