"""The database for commands: that of the settings or the embedded one. And `arena migrate`."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import typer

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.terminal import say

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
    from arena.storage.private_home import make_private_home
    from arena.storage.schema import migrate as migrate_schema

    if settings.database_url is not None:
        migrate_schema(settings.database_url)
        yield settings.database_url
        return
    if not _is_there(settings):
        make_private_home(settings.home)  # first: where it cannot be written, nothing is promised
        say(f"Making the database of a new arena in {settings.home.absolute()}.", err=True)
    with EmbeddedPostgres(settings.home / "postgres") as url:
        migrate_schema(url)
        yield url


@contextmanager
def existing_database(settings: "Settings") -> Iterator[str]:
    """The same, for what begins no arena: raises CommandError where there is none yet."""
    if settings.database_url is None and not _is_there(settings):
        raise CommandError(
            f"there is no arena in {settings.home.absolute()}: go to the folder where you ran "
            "`arena up`, or set ARENA_HOME to the .arena of it."
        )
    with database(settings) as url:
        yield url


def _is_there(settings: "Settings") -> bool:
    return (settings.home / "postgres").is_dir()


def with_store(use: "Callable[[Store], Awaitable[T]]", *, begins: bool = False) -> T:
    """The result of `use` on the settings' store, for what `begins` an arena also a new one; errors
    are handled by `exit_with_message`."""
    from arena.settings import read_settings
    from arena.storage.store import open_store

    async def run(url: str) -> T:
        async with open_store(url) as store:
            return await use(store)

    opened = database if begins else existing_database
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
