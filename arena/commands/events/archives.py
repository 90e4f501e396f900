"""`arena event archive` and `arena event verify`: a released event in one file, and its check."""

import re
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.commands.errors import CommandError, cannot_be_written
from arena.commands.events.organising import EventName, OrganiserAddress, organiser_at
from arena.commands.options import AsJson
from arena.commands.progress import progress, with_progress
from arena.commands.terminal import say, say_json
from arena.replacing import replacing
from arena.wording import number_of

WRONG = 1
"""The exit code if the verification of an archive fails."""


def archive(
    name: EventName,
    file: Annotated[Path, typer.Argument(help="The file to write, such as cup.zip.")],
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
    address: OrganiserAddress = "",
) -> None:
    """Write a released event to one file: rules, entries, all transcripts, standings."""
    from arena.server.events.finals.archive import zipped
    from arena.server.events.finals.archive_reading import stored_event

    if file.exists() and not force:
        raise CommandError(f"{file} exists: name another file, or give --force to replace it.")
    client = organiser_at(address)
    signed = client.archived_event(name)
    event = stored_event(signed.text)
    count = event["rules"]["seats"] * sum(len(one["blocks"]) for one in event["pairings"])
    try:
        with replacing(file) as part, part.open("wb") as written:
            found = client.archived_transcripts(name)
            for piece in zipped(signed, with_progress(found, count, "Writing")):
                written.write(piece)
    except OSError as error:
        raise cannot_be_written(file, error) from error
    size = file.stat().st_size / 1e3
    say(
        f"{file}: {len(event['entries'])} entries, {count:,} matches, {size:,.0f} kB. Anybody "
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
    as_json: AsJson = False,
) -> None:
    """Recompute the final of an archived event: lots, pairings, deals, matches and standings.

    It needs no arena. Exit code 1 if anything differs; the first difference is named.
    """
    from arena.server.events.finals import archive_check
    from arena.server.events.finals.archive import ArchiveError

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
        f"{found.name}: {follows}: {number_of(found.pairings, 'pairing')}, "
        f"{found.matches:,} matches refereed "
        "again, the standings."
    )
    if found.connected:
        say(f"Connected: the programs of {', '.join(found.connected)} were not frozen.")
    say(f"SHA-256 of the seed, to compare with what was published: {found.commitment.hex()}")
    say(f"Signed by {found.key.hex()}")
    for line in found.standings[:3]:
        say(f"{line['place']}. {line['bot']} {line['version']}: {line['points']:g} points")
