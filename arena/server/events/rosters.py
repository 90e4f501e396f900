"""`Rosters`: the people of events, in teams with keys, with one transaction per method.

The public name of a team is that of its owner. Real names, addresses and student numbers are the
organiser's alone: no page and no owner reads them.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.errors import EventRefusedError, NameTakenError
from arena.database.names import LONGEST, folded, new_key, normal_name, token_hash
from arena.database.transaction import transaction
from arena.errors import UserError
from arena.records import Owner, OwnerId
from arena.server.accounts import owner_statements
from arena.server.accounts.auditing import record
from arena.server.accounts.new_owners import new_owner
from arena.server.accounts.owners import MOST_MEMBERS
from arena.server.events import event_statements as statements
from arena.server.events.event import Event

COLUMNS: Final = ("name", "email", "number", "team")
"""The columns of a roster. `name` must be there; without a team a person is one."""
MOST_PEOPLE: Final = 2_000
CAPTAIN: Final = "captain"
MEMBER: Final = "member"


class RosterError(UserError):
    """The text is no roster; the message names the line."""


@dataclass(frozen=True, slots=True)
class Enrollee:
    """A line of a roster."""

    name: str
    email: str
    student_number: str
    team: str
    """The team's public name; "" for a team of one."""


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A person who was added to a roster, with a key that cannot be read again."""

    person: Enrollee
    team: str
    role: str
    """CAPTAIN, who may add and remove members, or MEMBER."""
    key: str


def read_roster(text: str) -> list[Enrollee]:
    """Return the people of a CSV file with a head of COLUMNS, in any order. Raises RosterError."""
    text = text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    # As spreadsheets write it where the comma is in numbers.
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
            raise RosterError(f"Line {number} of the roster has not {len(heads)} columns.")
        given = {head: (line.get(head) or "").strip() for head in COLUMNS}
        if not given["name"]:
            raise RosterError(f"Line {number} of the roster has no name.")
        people.append(Enrollee(given["name"], given["email"], given["number"], given["team"]))
    if not people:
        raise RosterError("The roster has nobody on it.")
    return people


def _lines(lines: "csv.DictReader[str]") -> Iterator[dict[str, Any]]:
    """Yield the lines of a CSV file. Raises RosterError."""
    try:
        yield from lines
    except csv.Error as error:
        raise RosterError(f"The roster is not CSV: {error}.") from error


class Rosters:
    """The rosters in the database. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def of(self, event: Event) -> list[SqlRow[Any]]:
        """Return the people of an event: rows of `event_statements.roster`."""
        async with self._transaction() as connection:
            return list((await connection.execute(statements.roster(event.id))).all())

    async def enroll(self, event: Event, people: Sequence[Enrollee], actor: str) -> list[Enrolled]:
        """Add the people who are not on the roster yet, all or none.

        The first person of a new team is its captain, who has the owner's own key. Raises
        EventRefusedError, NameRefusedError and NameTakenError.
        """
        async with self._transaction() as connection:
            # Its lock keeps the numbers of two rosters apart.
            await connection.execute(statements.freeze_due())
            before = (await connection.execute(statements.roster(event.id))).all()
            known = _Known()
            for row in before:
                known.add(Enrollee(row.name, row.email, row.student_number, row.team))
            teams = {folded(row.team): Owner(OwnerId(row.owner_id), row.team) for row in before}
            added: list[Enrolled] = []
            rows: list[Mapping[str, Any]] = []
            for person in people:
                if known.met(person):
                    continue
                known.add(person)
                number = len(before) + len(rows) + 1
                if number > MOST_PEOPLE:
                    raise EventRefusedError(f"A roster has at most {MOST_PEOPLE:,} people.")
                end = f" {number}"
                team = person.team or event.name[: LONGEST - len(end)] + end
                owner = teams.get(folded(team))
                key, role = new_key(), MEMBER
                if owner is None:
                    owner = teams[folded(team)] = await _new_team(connection, team)
                    role = CAPTAIN
                    await connection.execute(owner_statements.set_key(owner.id, token_hash(key)))
                else:
                    most = event.said.limits.members or MOST_MEMBERS + 1
                    await _add_member(connection, owner, person.name, key, most)
                added.append(Enrolled(person, owner.name, role, key))
                rows.append(
                    {
                        "number": number,
                        "owner_id": owner.id,
                        "name": person.name,
                        "email": person.email,
                        "student_number": person.student_number,
                    }
                )
            if rows:
                await connection.execute(statements.add_people(event.id, rows))
                told = {"people": len(rows)}
                await record(connection, actor, "enroll", event.name, told)
                await connection.execute(statements.tell(event.id))
        return added

    def _transaction(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return transaction(self._engine)


class _Known:
    """The people who are on a roster already.

    The student number decides who is who if both lines have one, else the address if both have
    one, else the name.
    """

    def __init__(self) -> None:
        self._by: defaultdict[tuple[str, str], list[Enrollee]] = defaultdict(list)

    def add(self, person: Enrollee) -> None:
        for trait in _traits(person):
            self._by[trait].append(person)

    def met(self, person: Enrollee) -> bool:
        """Return whether a person is known, and remember what the line tells more of them."""
        for trait in _traits(person):
            for one in self._by[trait]:
                if _same(person, one):
                    self._forget(one)
                    self.add(
                        replace(
                            one,
                            email=one.email or person.email,
                            student_number=one.student_number or person.student_number,
                        )
                    )
                    return True
        return False

    def _forget(self, person: Enrollee) -> None:
        for trait in _traits(person):
            self._by[trait].remove(person)


def _traits(person: Enrollee) -> list[tuple[str, str]]:
    found = [
        ("number", person.student_number),
        ("email", person.email.casefold()),
        ("name", folded(person.name)),
    ]
    return [(kind, value) for kind, value in found if value]


def _same(one: Enrollee, other: Enrollee) -> bool:
    if one.student_number and other.student_number:
        return one.student_number == other.student_number
    if one.email and other.email:
        return one.email.casefold() == other.email.casefold()
    return folded(one.name) == folded(other.name)


async def _new_team(connection: AsyncConnection, team: str) -> Owner:
    try:
        return await new_owner(connection, team, None)
    except NameTakenError as error:
        raise NameTakenError(
            f"There is an owner {team} already, who is not on this roster: name the team otherwise."
        ) from error


async def _add_member(
    connection: AsyncConnection, owner: Owner, name: str, key: str, most: int
) -> None:
    """Add a member by the person's name, made to fit and unique in the team.

    Raises EventRefusedError if the team has as many people as are allowed, at `most`.
    """
    members = (await connection.execute(owner_statements.members_of(owner.id))).all()
    most = min(most, MOST_MEMBERS + 1)
    if len(members) + 1 >= most:
        raise EventRefusedError(f"The team {owner.name} has more than {most} people.")
    number = 1
    while True:
        end = "" if number == 1 else f" {number}"
        member = normal_name("member", name[: LONGEST - len(end)].strip() + end)
        statement = owner_statements.add_member(owner.id, member, token_hash(key))
        if await connection.scalar(statement) is not None:
            return
        number += 1
