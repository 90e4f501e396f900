"""`arena event grades` and `arena event rubric`: points for a course, for Canvas and Moodle too."""

import csv
import io
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from arena.commands.events.organising import EventName, OrganiserAddress, organiser_at, read_text
from arena.commands.options import AsJson
from arena.commands.terminal import say, say_json


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
    address: OrganiserAddress = "",
    as_json: AsJson = False,
) -> None:
    """Print the grades of an event's people, or of its owners without a roster, as CSV."""
    from arena.server.events import grade_forms

    event, graded, not_analysed = organiser_at(address).grades(name, read_text(rubric))
    if as_json:
        say_json(
            [
                {
                    "name": one.name,
                    "email": one.email,
                    "number": one.student_number,
                    "team": one.owner,
                    "excused": one.grade.excused,
                    "criteria": dict(one.grade.criteria),
                    "points": one.grade.points,
                    "most": one.grade.most,
                    "explained": one.grade.explained,
                }
                for one in graded
            ]
        )
        return
    if form is GradeForm.CANVAS:
        written = grade_forms.canvas(event.title, graded)
    elif form is GradeForm.MOODLE:
        written = grade_forms.moodle(event.title, graded)
    else:
        written = grade_forms.plain(graded)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(written)
    typer.echo(text.getvalue(), nl=False)
    if not_analysed:
        say(
            f"No decision is analysed of {', '.join(not_analysed)}: they get none of the points "
            "for it. `arena analyse --bot BOT` analyses some.",
            err=True,
        )
    if event.phase != "released":
        say("The final is not released: places and faults in it count nothing yet.", err=True)
