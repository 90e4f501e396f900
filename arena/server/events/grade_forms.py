"""Grades of people, and the CSV files in which they are written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

CsvLine: TypeAlias = Sequence[str]


@dataclass(frozen=True, slots=True)
class EventGrade:
    """Points, and their explanation."""

    points: float
    most: float
    explained: str
    criteria: Mapping[str, float]
    """The points by the names of the criteria; those for faults are 0 or less."""
    excused: bool = False
    """Whether the person is excused, and has neither points nor criteria."""


@dataclass(frozen=True, slots=True)
class Graded:
    """A person of an event (without a roster, an owner who has entered) with the grade."""

    number: int
    """The line of the roster; 0 without one."""
    name: str
    email: str
    student_number: str
    owner: str
    grade: EventGrade

    @property
    def points(self) -> str:
        """The points as text; "" for a person who is excused."""
        return "" if self.grade.excused else f"{self.grade.points:g}"


def plain(graded: Sequence[Graded]) -> list[CsvLine]:
    """Return the lines of a CSV file with a column for each criterion."""
    criteria = list(dict.fromkeys(name for one in graded for name in one.grade.criteria))
    lines: list[CsvLine] = [
        ["name", "email", "number", "team", *criteria, "points", "of", "explained"]
    ]
    for one in graded:
        given = one.grade.criteria
        by_criterion = (f"{given[name]:g}" if name in given else "" for name in criteria)
        lines.append(
            [
                *(one.name, one.email, one.student_number, one.owner, *by_criterion),
                *(one.points, f"{one.grade.most:g}", one.grade.explained),
            ]
        )
    return lines


def canvas(title: str, graded: Sequence[Graded]) -> list[CsvLine]:
    """Return the lines of a CSV file that Canvas imports.

    Canvas finds students by their SIS ids: number and e-mail. "EX" marks an excused student.
    """
    most = graded[0].grade.most if graded else 0.0
    return [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title],
        ["    Points Possible", "", "", "", "", f"{most:g}"],
        *([one.name, "", one.student_number, one.email, "", one.points or "EX"] for one in graded),
    ]


def moodle(title: str, graded: Sequence[Graded]) -> list[CsvLine]:
    """Return the lines of a CSV file that Moodle imports, with the explanation as feedback."""
    return [
        ["Full name", "Email address", "ID number", title, f"{title} (Feedback)"],
        *(
            [one.name, one.email, one.student_number, one.points, one.grade.explained]
            for one in graded
        ),
    ]
