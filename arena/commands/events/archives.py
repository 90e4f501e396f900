"""`arena event archive` and `arena event verify`: a released event in one file, and its check."""

import asyncio
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.progress import progress, with_progress
from arena.commands.terminal import say, say_json

if TYPE_CHECKING:  # not at run time: an error in the arguments must not wait for SQLAlchemy
    from arena.match.transcript import Transcript
    from arena.server.events.archive import SignedEvent

WRONG = 1
"""The exit code if an archive does not agree with itself."""


def archive(
    name: Annotated[str, typer.Argument(help="The event's name.")],
    file: Annotated[Path, typer.Argument(help="The file to write, such as cup.zip.")],
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
) -> None:
    """Write a released event to one file: rules, entries, all transcripts, standings."""
    from arena.commands.database import existing_database
    from arena.database.reading import open_reader
    from arena.server.app.store import open_store
    from arena.server.events.archive import zipped
    from arena.server.events.archive_reading import match_ids, stored_event
    from arena.server.results.match_finding import transcripts_named
    from arena.settings import read_settings

    async def opened(url: str) -> "tuple[SignedEvent, list[Transcript]]":
        async with open_store(url) as store:
            event, _ = await store.events.named(name)
            found = await store.finals.archive(event)
            private = await store.finals.transcripts(event) if event.terms.private else []
        if found is None:
            raise CommandError(f"{event.name} is not released: there is nothing to archive.")
        return found, private

    with exit_with_message():
        if file.exists() and not force:
            raise CommandError(f"{file} exists: name another file, or give --force to replace it.")
        with existing_database(read_settings()) as url:
            signed, private = asyncio.run(opened(url))
            event = stored_event(signed.text)
            ids = list(match_ids(event))
            part = file.with_name(f".{file.name}.part")
            try:
                with open_reader(url) as read, part.open("wb") as written:
                    found = private or transcripts_named(read, ids)
                    matches = with_progress(found, len(ids), "Writing")
                    for piece in zipped(signed, matches):
                        written.write(piece)
                part.replace(file)
            except OSError as error:
                raise CommandError(f"{file} cannot be written: {error.strerror}.") from error
            finally:
                part.unlink(missing_ok=True)
    size = file.stat().st_size / 1e3
    say(
        f"{file}: {len(event['entries'])} entries, {len(ids):,} matches, {size:,.0f} kB. Anybody "
        f"checks it by `arena event verify {file.name}`."
    )


def verify(
    file: Annotated[Path, typer.Argument(help="The archive.")],
    key: Annotated[
        str,
        typer.Option(metavar="PUBLIC", help="Require signatures by this key (see `arena key`)."),
    ] = "",
    commitment: Annotated[
        str,
        typer.Option(metavar="HASH", help="Require the hash that was published with the event."),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Recompute the final of an archived event: lots, pairings, deals, matches and standings.

    It needs no arena. Exit code 1 if anything differs; the first difference is named.
    """
    from arena.server.events import archive_check
    from arena.server.events.archive import ArchiveError

    with exit_with_message():
        if key and not re.fullmatch("[0-9a-fA-F]{64}", key):
            raise CommandError("--key takes 64 hexadecimal digits, as `arena key` prints them.")
        demanded = bytes.fromhex(key) if key else None
        if commitment and not re.fullmatch("[0-9a-fA-F]{64}", commitment):
            raise CommandError("--commitment takes 64 hexadecimal digits, as the event's page has.")
        try:
            committed = bytes.fromhex(commitment) if commitment else None
            shown = partial(progress, doing="Verifying")
            found = archive_check.check(file, demanded, committed, shown)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        except ArchiveError as error:
            say(f"Wrong: {error}", err=True)
            raise typer.Exit(WRONG) from error
    if as_json:
        say_json(
            {
                "event": found.name,
                "matches": found.matches,
                "pairings": found.pairings,
                "signed_by": found.key.hex(),
                "commitment": found.commitment.hex(),
                "connected": found.connected and list(found.connected),
                "standings": list(found.standings),
            }
        )
        return
    follows = "all follows from the seed and from the builds of the freeze"
    if found.connected is not None:
        follows = (
            "lots and schedule follow from the seed and the field of the freeze, and each match "
            "from what it was dealt by"
        )
    say(
        f"{found.name}: {follows}: {found.pairings:,} "
        f"{'pairing' if found.pairings == 1 else 'pairings'}, {found.matches:,} matches refereed "
        "again, the standings."
    )
    if found.connected:
        say(f"Connected: the programs of {', '.join(found.connected)} were not frozen.")
    say(f"SHA-256 of the seed, to compare with what was published: {found.commitment.hex()}")
    say(f"Signed by {found.key.hex()}")
    for line in found.standings[:3]:
        say(f"{line['place']}. {line['bot']} {line['version']}: {line['points']:g} points")
