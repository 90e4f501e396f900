"""`arena event roster` and `arena event person`: the people of a course, with keys in bulk."""

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.commands.errors import CommandError, cannot_be_written
from arena.commands.events.organising import EventName, OrganiserAddress, organiser_at, read_text
from arena.commands.events.slips import slips_page
from arena.commands.options import DashboardOption
from arena.commands.terminal import say
from arena.wording import number_of

if TYPE_CHECKING:
    from arena.clients.organiser_client import NewKey, OrganiserClient

_PRIVATE = 0o600

app = typer.Typer(no_args_is_help=True, help="Change people of a roster, for the organiser.")
Person = Annotated[str, typer.Argument(help="A name, an address or a student number.")]


def roster(
    name: EventName,
    file: Annotated[
        Path, typer.Argument(help="A CSV file with a head: name, and any of email, number, team.")
    ],
    keys: Annotated[
        Path, typer.Option(help="The CSV file to write, with a key for everybody who was added.")
    ],
    slips: Annotated[
        Path | None,
        typer.Option(help="Write the keys also as an HTML page of slips to print and hand out."),
    ] = None,
    dashboard: DashboardOption = "",
    address: OrganiserAddress = "",
) -> None:
    """Enroll the people of a course in teams, and write their keys, which are shown only once.

    Run it again with a longer list to add people. The first of a team is its captain, who may add
    and remove members. Real names are seen by you alone; a team's name is public.
    """
    from arena.server.events.roster_file import read_roster

    people = read_roster(read_text(file))
    client = organiser_at(address)
    event, drafted = client.new_keys(name, people)
    if not drafted:
        say(f"All {len(people)} people are on the roster already; no file is written.")
        return
    files = {keys: keys_file(drafted)}
    if slips == keys:
        raise CommandError(f"{slips} cannot hold both keys and slips: name two files.")
    if slips is not None:
        files[slips] = slips_page(event, drafted, dashboard)
    added = enroll(client, name, drafted, files)
    teams = len({one.owner for one in added})
    say(
        f"Enrolled {len(added)} of {len(people)} people in {number_of(teams, 'team')}; the others "
        f"were there already, and stay as they were. The keys are in {keys}: give each to its "
        "owner, who signs in by `arena login`."
    )
    if len(added) < len(drafted):
        say(
            "Some were enrolled by somebody else meanwhile: their keys here are not valid.",
            err=True,
        )


@app.command("move")
def move_person(
    name: EventName,
    person: Person,
    team: Annotated[str, typer.Option(help="A team of the roster, or a new one.")],
    address: OrganiserAddress = "",
) -> None:
    """Move a person to another team, with the person's key.

    Sign-ins of the person end. If a captain goes, the next of the team becomes its captain.
    """
    organiser_at(address).move_person(name, person, team)
    say(f"{person} is in the team {team} now.")


@app.command("remove")
def remove_person(name: EventName, person: Person, address: OrganiserAddress = "") -> None:
    """Remove a person, whose key ends. The team keeps its bots and its entry."""
    organiser_at(address).remove_person(name, person)
    say(f"{person} is not on the roster any more.")


@app.command("excuse")
def excuse_person(
    name: EventName,
    person: Person,
    undo: Annotated[bool, typer.Option("--undo", help="End the excuse.")] = False,
    address: OrganiserAddress = "",
) -> None:
    """Excuse a person from the grades."""
    organiser_at(address).excuse_person(name, person, excused=not undo)
    say(f"{person} is {'not excused any more' if undo else 'excused from the grades'}.")


def enroll(
    client: "OrganiserClient", event: str, drafted: Sequence["NewKey"], files: Mapping[Path, str]
) -> list["NewKey"]:
    """Write new files with the keys of people, then enroll them; return who was added.

    In this order, because a key that is lost cannot be read again. Raises UserError.
    """
    _write_private(files)
    try:
        return client.enroll(event, drafted)
    except BaseException:
        shown = next(iter(files))
        say(
            f"The keys in {shown} are valid only if `arena event people {event}` shows these "
            "people.",
            err=True,
        )
        raise


def keys_file(keys: Sequence["NewKey"]) -> str:
    """Return the keys as CSV."""
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow(["name", "email", "number", "team", "role", "key"])
    for one in keys:
        person, role = one.person, "captain" if one.captain else "member"
        lines.writerow([person.name, person.email, person.student_number, one.owner, role, one.key])
    return text.getvalue()


def _write_private(files: Mapping[Path, str]) -> None:
    """Write new files that their owner alone can read, all or none. Raises CommandError."""
    made: list[Path] = []
    try:
        for file, text in files.items():
            opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
            made.append(file)
            with os.fdopen(opened, "w", encoding="utf-8", newline="") as written:
                written.write(text)
                written.flush()
                os.fsync(written.fileno())
    except BaseException as error:
        for one in made:
            one.unlink()
        if isinstance(error, FileExistsError):
            raise CommandError(f"{file} exists: name another file for the keys.") from None
        if isinstance(error, OSError):
            raise cannot_be_written(file, error) from error
        raise
