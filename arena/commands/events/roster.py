"""`arena event roster` and `arena event people`: the people of a course, with keys in bulk."""

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.events.entering import AsJson, EventName
from arena.commands.events.slips import slips_page
from arena.commands.owners.operator import actor
from arena.commands.terminal import Terminal, say, say_json

if TYPE_CHECKING:  # not at run time: an error in the arguments must not wait for SQLAlchemy
    from arena.server.app.store import Store
    from arena.server.events.event import Event
    from arena.server.events.rosters import Enrolled

_PRIVATE = 0o600


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
) -> None:
    """Enroll the people of a course in teams, and write their keys, which are shown only once.

    Run it again with a longer list to add people. The first of a team is its captain, who may add
    and remove members. Real names are seen by you alone; a team's name is public.
    """
    from arena.commands.database import with_store
    from arena.settings import read_settings

    with exit_with_message():
        from arena.server.events.rosters import read_roster

        try:
            people = read_roster(file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file} cannot be read: {error}.") from error

    async def use(store: "Store") -> "tuple[Event, list[Enrolled]]":
        event, _ = await store.events.named(name)
        return event, await store.rosters.enroll(event, people, actor())

    files = [keys] if slips is None else [keys, slips]
    made: list[Path] = []
    try:
        with exit_with_message():  # before anybody is enrolled: keys cannot be read again
            for one in files:
                _make_private(one)
                made.append(one)
        event, added = with_store(use)
    except BaseException:
        for one in made:
            one.unlink()
        raise
    with keys.open("w", newline="", encoding="utf-8") as written:
        lines = csv.writer(written)
        lines.writerow(["name", "email", "number", "team", "role", "key"])
        for enrolled in added:
            person = enrolled.person
            lines.writerow(
                [
                    *(person.name, person.email, person.student_number),
                    *(enrolled.team, enrolled.role, enrolled.key),
                ]
            )
    if slips is not None:
        slips.write_text(slips_page(event, added, read_settings().dashboard_url), "utf-8")
    teams = len({enrolled.team for enrolled in added})
    say(
        f"Enrolled {len(added)} of {len(people)} people in {teams} teams; the others were there "
        f"already, and stay as they were. The keys are in {keys}: give each to its owner, who "
        "signs in by `arena login`."
    )


def _make_private(file: Path) -> None:
    """Make an empty file that its owner alone can read. Raises CommandError."""
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE))
    except FileExistsError:
        raise CommandError(f"{file} exists: name another file for the keys.") from None
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}.") from error


def people(name: EventName, as_json: AsJson = False) -> None:
    """Show the people of a course, and what their teams have entered, for the organiser."""
    from arena.commands.database import with_store

    async def use(store: "Store") -> list[dict[str, Any]]:
        event, _ = await store.events.named(name)
        now = await store.events.builds_now(event)
        found = []
        for row in await store.rosters.of(event):
            build = now.get(row.bot)
            found.append(
                {
                    "name": row.name,
                    "email": row.email,
                    "number": row.student_number,
                    "team": row.team,
                    "bot": row.bot,
                    "plays": build and build.plays,
                    "state": build and build.state,
                }
            )
        return found

    found = with_store(use)
    if as_json:
        say_json(found)
        return
    table = Table("name", "e-mail", "number", "team", "bot", "plays")
    for one in found:
        plays = one["plays"] or (f"– ({one['state'] or 'no build'})" if one["bot"] else "–")
        table.add_row(
            *(one["name"], one["email"], one["number"], one["team"]),
            *(one["bot"] or "not entered", plays),
        )
    Terminal().print_table(table)
    without = sorted({one["team"] for one in found if not one["bot"]})
    if without:
        say(f"Not entered: {', '.join(without)}.")
