"""`arena event grades` and `arena event rubric`: points for a course, as Canvas and Moodle read."""

import csv
import io
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.events.entering import EventName
from arena.commands.terminal import say, say_json

if TYPE_CHECKING:  # not at run time: an error in the arguments must not wait for SQLAlchemy
    from arena.database.reading import Reader
    from arena.server.app.store import Store
    from arena.server.events.event import Event
    from arena.server.events.grades import Achieved, Rubric


class GradeForm(StrEnum):
    """The form in which grades are written."""

    PLAIN = "plain"
    CANVAS = "canvas"
    MOODLE = "moodle"


def rubric() -> None:
    """Print a rubric.toml to begin with."""
    from arena.server.events.grades import EXAMPLE

    typer.echo(EXAMPLE, nl=False)


def grades(
    name: EventName,
    rubric: Annotated[Path, typer.Option(help="What there are points for; see `rubric`.")],
    form: Annotated[
        GradeForm, typer.Option(help="CSV for your own tools, or as Canvas or Moodle imports it.")
    ] = GradeForm.PLAIN,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the grades of an event's people, or of its owners without a roster, as CSV."""
    from arena.server.events import grades as grading

    with exit_with_message():
        try:
            asked = grading.read_rubric(rubric.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{rubric} cannot be read: {error}.") from error
    event, people, achieved = _collected(name, asked)
    graded = [(person, grading.grade(asked, achieved.get(person["team"]))) for person in people]
    if as_json:
        say_json(
            [
                person | {"points": one.points, "most": one.most, "explained": one.explained}
                for person, one in graded
            ]
        )
        return
    lines = [(one["name"], one["email"], one["number"], found) for one, found in graded]
    title = event.said.title
    if form is GradeForm.CANVAS:
        written = grading.canvas(title, lines)
    elif form is GradeForm.MOODLE:
        written = grading.moodle(title, lines)
    else:
        written = [
            ["name", "email", "number", "team", "points", "of", "explained"],
            *(
                [
                    *(person["name"], person["email"], person["number"], person["team"]),
                    *(f"{one.points:g}", f"{one.most:g}", one.explained),
                ]
                for person, one in graded
            ),
        ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(written)
    typer.echo(text.getvalue(), nl=False)
    missing = sorted(one.bot for one in achieved.values() if one.version and one.loss is None)
    if asked.loss.most and missing:
        say(
            f"No decision is analysed of {', '.join(missing)}: they get none of the "
            f"{asked.loss.most:g} points for it. `arena analyse --bot BOT` analyses some.",
            err=True,
        )
    if event.released_at is None:
        say("The final is not released: places and faults in it count nothing yet.", err=True)


def _collected(
    name: str, rubric: "Rubric"
) -> "tuple[Event, list[dict[str, Any]], Mapping[str, Achieved]]":
    """Return the event, its people, and what the bot of each team has achieved."""
    import asyncio

    from arena.commands.database import existing_database
    from arena.database.reading import open_reader
    from arena.server.app.store import open_store
    from arena.settings import read_settings

    async def use(url: str, read: "Reader") -> Any:
        async with open_store(url) as store:
            return await _read(store, read, name, rubric)

    with exit_with_message(), existing_database(read_settings()) as url, open_reader(url) as read:
        found: tuple[Event, list[dict[str, Any]], Mapping[str, Achieved]]
        found = asyncio.run(use(url, read))
        return found


async def _read(store: "Store", read: "Reader", name: str, rubric: "Rubric") -> Any:
    from arena.rating.ladder_id import LadderId
    from arena.server.boards.board import table_sizes
    from arena.server.events import final_statements
    from arena.server.events.grades import Achieved, HouseResult
    from arena.server.events.standings import standings
    from arena.server.results.kept_analyses import mean_losses

    event, _ = await store.events.named(name)
    if event.frozen_at is None:
        raise CommandError(
            f"The builds of {event.name} are not fixed yet: grades are for those of the freeze."
        )
    entries = await store.events.entries(event)
    rows = await store.rosters.of(event)
    people = [
        {"name": row.name, "email": row.email, "number": row.student_number, "team": row.team}
        for row in rows
    ] or [{"name": one.owner, "email": "", "number": "", "team": one.owner} for one in entries]
    finalists = {one.registered.entrant.owner: one for one in await store.finals.finalists(event)}
    house = {row["name"] for row in await store.rows(final_statements.house(list(rubric.rungs)))}
    if missing := sorted(set(rubric.rungs) - house):
        raise CommandError(f"rungs: there is no bot of the house {', '.join(missing)}.")
    met: dict[int, dict[str, HouseResult]] = {}
    for row in await store.rows(final_statements.met_house(event.id, list(rubric.rungs))):
        found = HouseResult(int(row["matches"]), float(row["points"]))
        met.setdefault(row["version_id"], {})[row["house"]] = found
    rules = event.said.rules
    ladder = LadderId.of(
        rules.game, rules.options, table_sizes(rules.seats), time_control=rules.time_control
    )
    losses = mean_losses(read, ladder)
    placed: dict[str, int] = {}
    faults: dict[int, int] = {}
    if event.released_at is not None and event.tournament is not None:
        record = await store.tournaments.record(await store.tournaments.named(event.tournament))
        placed = {line.entrant.bot: line.place for line in standings(record)}
        faults = {
            row["version_id"]: int(row["faults"])
            for row in await store.rows(final_statements.faults_of(event.tournament))
        }
    achieved = {}
    for entry in entries:
        final = finalists.get(entry.owner)
        version = None if final is None else final.registered.version_id
        loss = None if version is None else losses.get(version)
        achieved[entry.owner] = Achieved(
            entry.bot,
            entry.version,
            {} if version is None else met.get(version, {}),
            None if loss is None else 100 * loss.mean,
            placed.get(entry.bot),
            len(finalists),
            0 if version is None else faults.get(version, 0),
        )
    return event, people, achieved
