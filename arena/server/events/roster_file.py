"""`read_roster`: the people of a course from a CSV file."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from arena.errors import UserError

COLUMNS: Final = ("name", "email", "number", "team")
"""The columns of a roster. `name` is required; a person without a team is a team of one."""
LONGEST: Final = {"name": 100, "email": 200, "number": 100}
"""The greatest length of each, in characters; names of teams are limited as names of owners."""


class RosterError(UserError):
    """The text is not a valid roster; the message names the line."""


@dataclass(frozen=True, slots=True)
class Enrollee:
    """A line of a roster."""

    name: str
    email: str
    student_number: str
    team: str
    """The team's public name; "" for a team of one."""

    @property
    def why_refused(self) -> str:
        """Why this line is not allowed on a roster; "" if it is."""
        if not self.name.strip():
            return "has no name"
        given = {"name": self.name, "email": self.email, "number": self.student_number}
        for column, words in given.items():
            if len(words) > LONGEST[column]:
                return f"has a {column} of more than {LONGEST[column]} characters"
            if not words.isprintable():
                return f"has a {column} that cannot be shown"
        return ""


def read_roster(text: str) -> list[Enrollee]:
    """Return the people of a CSV file with COLUMNS, in any order. Raises RosterError."""
    text = text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    # Spreadsheets write semicolons in countries with decimal commas.
    delimiter = ";" if ";" in head and "," not in head else ","
    lines = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    heads = [head.strip().lower() for head in lines.fieldnames or ()]
    lines.fieldnames = heads
    if "name" not in heads or not set(heads) <= set(COLUMNS):
        raise RosterError(
            f"The first line of a roster names its columns: name, and any of "
            f"{', '.join(COLUMNS[1:])}; found {', '.join(heads) or 'nothing'}."
        )
    people = []
    for number, line in enumerate(_lines(lines), start=2):
        if None in line or None in line.values():
            raise RosterError(f"Line {number} of the roster does not have {len(heads)} columns.")
        given = {head: (line.get(head) or "").strip() for head in COLUMNS}
        person = Enrollee(given["name"], given["email"], given["number"], given["team"])
        if why := person.why_refused:
            raise RosterError(f"Line {number} of the roster {why}.")
        people.append(person)
    if not people:
        raise RosterError("The roster has nobody on it.")
    return people


def _lines(lines: "csv.DictReader[str]") -> Iterator[dict[str, Any]]:
    try:
        yield from lines
    except csv.Error as error:
        raise RosterError(f"The roster is not CSV: {error}.") from error
