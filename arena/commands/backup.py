"""`arena backup` and `arena restore`: write an arena to one file, and read it back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.commands.errors import CommandError
from arena.commands.terminal import say

# Imported on use: an error in the arguments must not wait for SQLAlchemy.
if TYPE_CHECKING:
    from arena.database.backup import BackupManifest

_File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup.")]


def backup(
    file: _File,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
) -> None:
    """Write the whole arena to a file, also while it runs.

    It holds bots, owners, uploaded builds, results, transcripts and the signing key, as of one
    moment; not the matches that are being played. Keep it as safe as the arena.
    """
    from arena.commands.database import existing_database
    from arena.database.backup import back_up
    from arena.settings import read_settings

    if file.exists() and not force:
        raise CommandError(f"{file} exists: name another file, or give --force to replace it.")
    if not file.absolute().parent.is_dir():
        raise CommandError(f"{file.parent} is no directory: make it first.")
    with existing_database(read_settings()) as url:
        say("Writing the backup.", err=True)
        made = back_up(url, file)
    say(f"{file}: {_words(made)}, {file.stat().st_size / 1e6:,.1f} MB.")


def restore(file: _File) -> None:
    """Restore an arena from a backup, into an ARENA_HOME or a database that has none yet."""
    from arena.database.backup import read_manifest
    from arena.database.backup import restore as restore_database
    from arena.database.embedded import EmbeddedPostgres
    from arena.database.private_home import make_private_home
    from arena.settings import read_settings

    read_manifest(file)  # before an arena is made
    settings = read_settings()
    say("Restoring.", err=True)
    if settings.database_url is not None:
        made, place = restore_database(settings.database_url, file), "the database"
    else:
        make_private_home(settings.home)
        with EmbeddedPostgres(settings.home / "postgres") as url:
            made, place = restore_database(url, file), str(settings.home.absolute())
    say(
        f"Restored into {place}: {_words(made)}, as of {made.made_at:%Y-%m-%d %H:%M} UTC. All rows "
        "are there. Start it with `arena up` or `arena serve`."
    )


def _words(manifest: "BackupManifest") -> str:
    rows = manifest.rows
    return f"{rows['bots']:,} bots, {rows['owners']:,} owners, {rows['matches']:,} matches"
