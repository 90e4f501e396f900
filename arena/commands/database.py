"""The database that commands use: the one named in the settings, or the embedded one.

The commands `arena migrate` and `arena roles` are here, too.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import typer

from arena.commands.errors import CommandError
from arena.commands.terminal import say

# These are imported on use: an error in the arguments must not wait for SQLAlchemy.
if TYPE_CHECKING:
    from arena.database.reading import Reader
    from arena.server.app.store import Store
    from arena.settings import Settings

T = TypeVar("T")


@contextmanager
def database(settings: "Settings") -> Iterator[str]:
    """Provide the URL of a migrated database; an embedded server runs until the block ends."""
    from arena.database.embedded import EmbeddedPostgres
    from arena.database.private_home import make_private_home
    from arena.database.schema import migrate as migrate_schema

    if settings.database_url is not None:
        migrate_schema(settings.database_url)
        yield settings.database_url
        return
    if not _is_there(settings):
        make_private_home(settings.home)  # before the message, as it may fail
        say(f"Making the database of a new arena in {settings.home.absolute()}.", err=True)
    with EmbeddedPostgres(settings.home / "postgres") as url:
        migrate_schema(url)
        yield url


@contextmanager
def existing_database(settings: "Settings") -> Iterator[str]:
    """Provide the URL of an existing database, migrated as `database` does.

    Raises CommandError if there is no arena yet.
    """
    if settings.database_url is None and not _is_there(settings):
        raise CommandError(_why_not_there(settings))
    with database(settings) as url:
        yield url


def url_of_role(role: str, url: str, settings: "Settings") -> str:
    """Return the URL for a process that needs only the rights of `role`.

    The URL of the built-in database is changed. That of the settings is returned unchanged: the
    operator chose its user.
    """
    from arena.database.private_socket import url_of

    return url if settings.database_url is not None else url_of(role, url)


def _is_there(settings: "Settings") -> bool:
    return (settings.home / "postgres").is_dir()


def _why_not_there(settings: "Settings") -> str:
    """Return the message for a missing arena: it is still starting, or in another folder."""
    from arena.database.embedded import in_use

    home = settings.home.absolute()
    if in_use(settings.home / "postgres"):
        return f"the arena in {home} is still starting: try again in a moment."
    return (
        f"there is no arena in {home} yet: run `arena up`, go to the folder where you ran it, or "
        "set ARENA_HOME to the .arena of it."
    )


def with_store(use: "Callable[[Store], Awaitable[T]]", *, begins: bool = False) -> T:
    """Return the result of `use` on the store of the settings' database.

    With `begins`, a missing arena is created.
    """
    from arena.server.app.store import open_store
    from arena.settings import read_settings

    async def run(url: str) -> T:
        async with open_store(url) as store:
            return await use(store)

    opened = database if begins else existing_database
    with opened(read_settings()) as url:
        return asyncio.run(run(url))


@contextmanager
def reading() -> "Iterator[tuple[Reader, str]]":
    """Provide a reader of the settings' database, and the database's URL."""
    from arena.database.reading import open_reader
    from arena.settings import read_settings

    with existing_database(read_settings()) as url, open_reader(url) as read:
        yield read, url


def migrate() -> None:
    """Bring the database to this release's schema. Running it again changes nothing."""
    from arena.settings import read_settings

    with database(read_settings()):
        typer.echo("The database is up to date.")


def roles() -> None:
    """Print the SQL that makes the roles of a database, for `psql` as a superuser."""
    from arena.database.data_directory import ROLES_SQL

    typer.echo(ROLES_SQL.read_text(), nl=False)
