"""`Rosters`: the people of events, in teams with keys, with one transaction per method.

The public name of a team is that of its owner. Only organisers see real names, addresses and
student numbers: pages and other owners do not.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.errors import NameTakenError, NotFoundError, RequestRefusedError
from arena.database.names import LONGEST, folded
from arena.database.transaction import fetched, transaction
from arena.records import Owner, OwnerId
from arena.server.accounts import owner_statements, team_keys
from arena.server.accounts.auditing import record
from arena.server.accounts.new_owners import new_owner
from arena.server.events import event_statements as statements
from arena.server.events.event import Event
from arena.server.events.roster_file import Enrollee

MOST_PEOPLE: Final = 2_000


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A person who was added to a roster."""

    index: int
    """The place of the person among those given, from 0."""
    team: str
    captain: bool
    """Whether the person has the owner's own key, and adds and removes members."""


class Rosters:
    """The rosters in the database. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def of(self, event: Event) -> list[SqlRow[Any]]:
        """Return the people of an event: rows of `event_statements.roster`."""
        return list(await fetched(self._engine, statements.roster(event.id)))

    async def enroll(
        self,
        event: Event,
        people: Sequence[Enrollee],
        keys: Sequence[bytes],
        actor: str,
        *,
        only_tell: bool = False,
    ) -> list[Enrolled]:
        """Add the people who are not on the roster yet, all or none; return them.

        With `only_tell` nothing is changed. `keys` are hashes of keys, one per person; those of
        added people are valid from now on. The first person of a new team is its captain, who has
        the owner's own key. Raises RequestRefusedError, NameRefusedError and NameTakenError.
        """
        for line, person in enumerate(people, start=1):
            if why := person.why_refused:
                raise RequestRefusedError(f"Person {line} of the roster {why}.")
            if event.terms.private and not person.team:
                raise RequestRefusedError(
                    f"Person {line} of the roster has no team: it would be named after the event, "
                    "and names of teams are public."
                )
        async with transaction(self._engine) as connection:
            # Its lock keeps two calls from giving out the same numbers.
            await connection.execute(statements.freeze_due())
            before = (await connection.execute(statements.roster(event.id))).all()
            new = _new(before, people)
            await team_keys.require_new(connection, [keys[index] for index in new])
            trial = await connection.begin_nested()
            added, rows = await _added(connection, event, before, people, keys, new)
            if only_tell:
                await trial.rollback()
            elif rows:
                await connection.execute(statements.add_people(event.id, rows))
                told = {"people": len(rows)}
                await record(connection, actor, "enroll", event.name, told)
                await connection.execute(statements.tell(event.id))
        return added

    async def move(self, event: Event, named: str, team: str, actor: str) -> None:
        """Move a person to another team of the roster, or to a new one, with the person's key.

        Raises NotFoundError, RequestRefusedError, NameRefusedError and NameTakenError.
        """
        async with transaction(self._engine) as connection:
            await connection.execute(statements.freeze_due())
            people = (await connection.execute(statements.roster(event.id))).all()
            person = _person(event, people, named)
            if folded(person.team) == folded(team):
                raise RequestRefusedError(f"{person.name} is in the team {person.team} already.")
            sha256 = await _take_key(connection, event, people, person)
            if sha256 is None:
                raise RequestRefusedError(
                    f"{person.name} has no key any more: remove and enroll this person again."
                )
            there = [one for one in people if folded(one.team) == folded(team)]
            placed: dict[str, Any] = {"captain": not there, "member_id": None}
            if there:
                owner = Owner(OwnerId(there[0].owner_id), there[0].team)
                member = await team_keys.add_member(
                    connection, owner, person.name, sha256, event.terms.limits.members
                )
                placed["member_id"] = member
            else:
                owner = await _new_team(connection, team)
                await connection.execute(owner_statements.set_key(owner.id, sha256))
            placed["owner_id"] = owner.id
            await connection.execute(statements.change_person(event.id, person.number, placed))
            told = {"person": person.number, "from": person.team, "to": owner.name}
            await record(connection, actor, "move person", event.name, told)
            await connection.execute(statements.tell(event.id))

    async def remove(self, event: Event, named: str, actor: str) -> None:
        """Remove a person, and end the key and sign-ins. The team keeps its bots and its entry.

        Raises NotFoundError.
        """
        async with transaction(self._engine) as connection:
            await connection.execute(statements.freeze_due())
            people = (await connection.execute(statements.roster(event.id))).all()
            person = _person(event, people, named)
            await _take_key(connection, event, people, person)
            await connection.execute(statements.remove_person(event.id, person.number))
            told = {"person": person.number, "team": person.team}
            await record(connection, actor, "remove person", event.name, told)
            await connection.execute(statements.tell(event.id))

    async def excuse(self, event: Event, named: str, actor: str, *, excused: bool = True) -> None:
        """Excuse a person from the grades, or undo this. Raises NotFoundError."""
        async with transaction(self._engine) as connection:
            people = (await connection.execute(statements.roster(event.id))).all()
            person = _person(event, people, named)
            changed = statements.change_person(event.id, person.number, {"excused": excused})
            await connection.execute(changed)
            told = {"person": person.number}
            await record(connection, actor, "excuse" if excused else "end excuse", event.name, told)


def _new(before: Sequence[SqlRow[Any]], people: Sequence[Enrollee]) -> list[int]:
    """Return the indices of the people who are not on the roster yet, each person once."""
    known = _Known()
    for row in before:
        known.add(Enrollee(row.name, row.email, row.student_number, row.team))
    new = []
    for index, person in enumerate(people):
        if not known.met(person):
            known.add(person)
            new.append(index)
    return new


async def _added(
    connection: AsyncConnection,
    event: Event,
    before: Sequence[SqlRow[Any]],
    people: Sequence[Enrollee],
    keys: Sequence[bytes],
    new: Sequence[int],
) -> tuple[list[Enrolled], list[Mapping[str, Any]]]:
    """Make teams and keys for the people who are `new`; return them and their rows."""
    teams = {folded(row.team): Owner(OwnerId(row.owner_id), row.team) for row in before}
    last = max((row.number for row in before), default=0)
    added: list[Enrolled] = []
    rows: list[Mapping[str, Any]] = []
    for index in new:
        person, sha256 = people[index], keys[index]
        number = last + len(rows) + 1
        if len(before) + len(rows) >= MOST_PEOPLE:
            raise RequestRefusedError(f"A roster has at most {MOST_PEOPLE:,} people.")
        end = f" {number}"
        team = person.team or event.name[: LONGEST - len(end)] + end
        owner, member = teams.get(folded(team)), None
        captain = owner is None
        if owner is None:
            owner = teams[folded(team)] = await _new_team(connection, team)
            await connection.execute(owner_statements.set_key(owner.id, sha256))
        else:
            member = await team_keys.add_member(
                connection, owner, person.name, sha256, event.terms.limits.members
            )
        added.append(Enrolled(index, owner.name, captain))
        rows.append(
            {
                "number": number,
                "owner_id": owner.id,
                "name": person.name,
                "email": person.email,
                "student_number": person.student_number,
                "member_id": member,
                "captain": captain,
            }
        )
    return added, rows


async def _take_key(
    connection: AsyncConnection,
    event: Event,
    people: Sequence[SqlRow[Any]],
    person: SqlRow[Any],
) -> bytes | None:
    """Take the key from a person; if it is the captain's, the team's next person becomes captain.

    Returns the hash of the key; None if the person has no key any more.
    """
    if person.member_id is not None:
        return await team_keys.take_member(connection, person.member_id)
    if not person.captain:
        return None
    heirs = [one for one in people if one.owner_id == person.owner_id and one.member_id is not None]
    if not heirs:
        return await team_keys.take_captain(connection, person.owner_id, None)
    await connection.execute(statements.change_person(event.id, heirs[0].number, {"captain": True}))
    return await team_keys.take_captain(connection, person.owner_id, heirs[0].member_id)


def _person(event: Event, people: Sequence[SqlRow[Any]], named: str) -> SqlRow[Any]:
    """Return the one person with this student number, else this address, else this name.

    Raises NotFoundError.
    """
    wanted = named.strip()
    by = (
        [one for one in people if wanted and one.student_number == wanted],
        [one for one in people if wanted and one.email.casefold() == wanted.casefold()],
        [one for one in people if folded(one.name) == folded(wanted)],
    )
    found = next((some for some in by if some), [])
    if not found:
        raise NotFoundError(
            f"Nobody on the roster of {event.name} has the name, address or number {named}."
        )
    if len(found) > 1:
        raise NotFoundError(
            f"{len(found)} people on the roster of {event.name} are named {named}: say which by "
            "the student number or the address."
        )
    return found[0]


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
        """Return whether a person is known; if so, add the line's new details to what is known."""
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
            f"There is an owner {team} already, who is not on this roster: choose another name."
        ) from error
