"""`Events`: stored events and their entries, with one transaction per method.

Every method raises DatabaseUnreachableError while the database does not answer. Methods that change
an event notify EVENTS_CHANNEL in the same transaction, and record who did it in the audit.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from hmac import compare_digest
from shlex import quote
from typing import Any, Final

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.errors import (
    NameTakenError,
    NotFoundError,
    RequestRefusedError,
    WrongStateError,
)
from arena.database.keys import code_hash, new_code
from arena.database.names import LONGEST, check_name, folded
from arena.database.tables.events import event_ladders, event_secrets, events
from arena.database.transaction import fetched, transaction
from arena.moments import in_utc
from arena.records import Owner
from arena.server.accounts import look_ups, owner_statements
from arena.server.accounts.auditing import record
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events import organisers, organising_statements
from arena.server.events.event import Admission, Dates, Event, EventEntry, NewEvent, Phase
from arena.server.events.finals import final_tournaments
from arena.server.events.finals.final_reading import end_privacy_of_bots
from arena.server.tournaments import tournament_rows, tournament_statements
from arena.server.uploads import build_statements

LONGEST_WHY: Final = 500
"""The greatest length of the reason for a cancellation, in characters."""


class Events:
    """The events in the database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def create(
        self, name: str, terms: NewEvent, actor: str, organiser: Owner | None = None
    ) -> tuple[Event, str | None]:
        """Make an event; return it and its entry code, if it has one, which is not shown again.

        The owner `organiser` organises it. Raises NameRefusedError, NameTakenError,
        RequestRefusedError, NotAllowedError and WrongStateError.
        """
        check_name("event", name)
        seed = secrets.token_bytes(32)
        code = new_code() if terms.entry is Admission.CODE else None
        rules, dates = terms.rules, terms.dates
        if why := await asyncio.to_thread(rules.why_never):
            raise RequestRefusedError(f"Such a final can never be played: {why}.")
        plain = ("title", "text", "practice", "live", "private", "connected")
        values = {column: getattr(terms, column) for column in plain} | {
            "name": name,
            **tournament_rows.rules_columns(rules),
            "most_members": terms.limits.members,
            "most_builds": terms.limits.builds,
            "most_bots": terms.limits.bots,
            "commitment": hashlib.sha256(seed).digest(),
            "needs_code": terms.entry is Admission.CODE,
            "roster_only": terms.entry is Admission.ROSTER,
            **_columns(dates),
        }
        async with transaction(self._engine) as connection:
            if organiser is not None:
                await organisers.require_maker(connection, organiser)
            found = await connection.execute(tournament_statements.tournament_list(name=name))
            if found.first() is not None:
                raise NameTakenError(
                    f"There is a tournament {name}, and the final gets the event's name: choose "
                    "another one."
                )
            put = insert(events).values(values).on_conflict_do_nothing()
            event_id = await connection.scalar(put.returning(events.c.id))
            if event_id is None:
                raise NameTakenError(f"There is already an event {name}: choose another name.")
            hashed = None if code is None else code_hash(code)
            secret = {"event_id": event_id, "seed": seed, "code_sha256": hashed}
            await connection.execute(insert(event_secrets).values(secret))
            if terms.ladder is not None:
                ladder = asdict(terms.ladder) | {"house": list(terms.ladder.house)}
                await connection.execute(insert(event_ladders).values(**ladder, event_id=event_id))
            if organiser is not None:
                await connection.execute(
                    organising_statements.add_organiser(event_id, organiser.id)
                )
            event, now = await _named(connection, name)
            if now >= dates.freezes:
                raise RequestRefusedError(f"The freeze is over already: it is {in_utc(now)}.")
            await record(connection, actor, "create event", name)
            await connection.execute(statements.tell(event_id))
        return event, code

    async def newest(self) -> tuple[list[Event], datetime]:
        """Return the newest events, private ones too, newest first, and the time."""
        async with transaction(self._engine) as connection:
            found = (await connection.execute(statements.event_list())).all()
            (now,) = (await connection.execute(statements.clock())).one()
        return [rows.event(row) for row in found], now

    async def named(self, name: str) -> tuple[Event, datetime]:
        """Return the event of a name, and the time. Raises NotFoundError."""
        async with transaction(self._engine) as connection:
            return await _named(connection, name)

    async def entries(self, event: Event) -> list[EventEntry]:
        """Return the entries of an event by the time of entry."""
        found = await fetched(self._engine, statements.entries_of(event.id))
        return [rows.entry(row) for row in found]

    async def move(self, name: str, dates: Dates, actor: str) -> Event:
        """Change dates that have not passed; the new ones, except `opens`, must be in the future.

        Raises NotFoundError, RequestRefusedError and WrongStateError.
        """
        if why := dates.why_refused:
            raise RequestRefusedError(f"{why[0].upper()}{why[1:]}.")
        async with transaction(self._engine) as connection:
            await connection.execute(statements.freeze_due())
            event, now = await _named(connection, name, locked=True)
            before, after = _columns(event.terms.dates), _columns(dates)
            changed = {key: moment for key, moment in after.items() if moment != before[key]}
            gone = {
                "opens_at": now >= event.terms.dates.opens,
                "freezes_at": event.frozen_at is not None,
                "final_at": event.began_at is not None,
                "results_at": event.released_at is not None or event.is_being_released(now),
            }
            for key, moment in changed.items():
                word = _WORDS[key]
                if event.cancelled_at is not None or gone[key]:
                    raise WrongStateError(
                        f"The date “{word}” of {event.name} cannot be moved: it was "
                        f"{in_utc(before[key])}."
                    )
                if key != "opens_at" and moment <= now:
                    raise RequestRefusedError(
                        f"The date “{word}” would be over already: it is {in_utc(now)}."
                    )
            if changed:
                await connection.execute(statements.change(event.id, changed))
                told = {key: f"{in_utc(before[key])} → {in_utc(changed[key])}" for key in changed}
                await record(connection, actor, "move event", event.name, told)
                await connection.execute(statements.tell(event.id))
            return (await _named(connection, name))[0]

    async def cancel(self, name: str, actor: str, why: str) -> None:
        """End an event for good, without results.

        Raises NotFoundError, WrongStateError and RequestRefusedError.
        """
        if len(why) > LONGEST_WHY or not why.isprintable():
            raise RequestRefusedError(
                f"The reason has at most {LONGEST_WHY} characters, all of them printable."
            )
        async with transaction(self._engine) as connection:
            event, now = await _named(connection, name, locked=True)
            if event.released_at is not None or event.cancelled_at is not None:
                done = "released" if event.released_at is not None else "cancelled"
                raise WrongStateError(f"The event {event.name} is {done} already.")
            if event.is_being_released(now):
                raise WrongStateError(f"The results of {event.name} are being released.")
            if event.terms.private:
                await end_privacy_of_bots(connection, event)
            await connection.execute(statements.cancel(event.id, why))
            await final_tournaments.cancel(connection, event)
            await record(connection, actor, "cancel event", event.name, {"why": why})
            await connection.execute(statements.tell(event.id))

    async def enter(
        self, owner: Owner, name: str, bot: str, *, code: str = "", team: str = ""
    ) -> tuple[Event, datetime, str | None]:
        """Enter an owner's bot, which replaces the one that the owner entered before.

        Returns the event, the time, and the version that would play the final now, if any.

        Raises NotFoundError, RequestRefusedError for a wrong code or team,
        WrongStateError outside of the dates or beyond a limit, and what `look_ups.lock_caller`
        raises.
        """
        team = " ".join(team.split()) or owner.name
        if len(team) > LONGEST or not team.isprintable():
            raise RequestRefusedError(f"A team's name has 1 to {LONGEST} printable characters.")
        async with transaction(self._engine) as connection:
            await connection.execute(statements.freeze_due())
            # Lock the owner before the event, everywhere: a check that accepts a build does so too.
            await look_ups.lock_caller(connection, owner)
            event, now = await _named(connection, name, locked=True)
            await _require_admitted(connection, event, owner, code, name)
            _require_open(event, now)
            await _require_small(connection, event, owner)
            if team != owner.name and event.terms.entry is Admission.ROSTER:
                raise RequestRefusedError(
                    f"Teams of {event.name} have the names of its roster: leave yours out."
                )
            owned = statements.owned_bot(owner.id, bot, connected=event.terms.connected)
            found = (await connection.execute(owned)).one_or_none()
            if found is None or found.retired_at is not None:
                makes = " `arena bot new` makes one that connects." * event.terms.connected
                raise NotFoundError(
                    f"You have no bot {bot} in service: `arena submit FILE` uploads one.{makes}"
                )
            ladder = event.terms.ladder
            if ladder is not None and folded(found.name) in map(folded, ladder.house):
                raise RequestRefusedError(
                    f"On the ladder of {event.name} a house bot is called {found.name}: "
                    "enter one with another name."
                )
            await _require_few_builds(connection, event, found.id, found.name)
            await connection.execute(statements.enter(event.id, owner.id, found.id, team))
            entered = (await _named(connection, name))[0].entries
            if entered > event.entries and (why := event.terms.why_full(entered)):
                raise WrongStateError(f"{event.name} is full: {why}.")
            await record(connection, owner.actor, "enter event", event.name, {"bot": found.name})
            await connection.execute(statements.tell(event.id))
            event, now = await _named(connection, name)
        return event, now, found.version

    async def leave(self, owner: Owner, name: str) -> None:
        """Take an owner's bot out of an event before its freeze.

        Raises NotFoundError and WrongStateError.
        """
        async with transaction(self._engine) as connection:
            await connection.execute(statements.freeze_due())
            event, now = await _named(connection, name)
            gone = await connection.execute(statements.leave(event.id, owner_id=owner.id))
            left = gone.all()
            listed = await connection.execute(statements.on_roster(event.id, owner.id))
            if not left and event.terms.private and listed.first() is None:
                raise unknown(name)
            _require_open(event, now)
            if not left:
                raise WrongStateError(f"You have entered no bot in {event.name}.")
            await record(connection, owner.actor, "leave event", event.name)
            await connection.execute(statements.tell(event.id))

    async def withdraw(self, name: str, bot: str, actor: str) -> None:
        """Take a bot out of an event, as the organiser; in a final it loses what it has not played.

        Raises NotFoundError and WrongStateError.
        """
        async with transaction(self._engine) as connection:
            await connection.execute(statements.freeze_due())
            event, _ = await _named(connection, name, locked=True)
            if event.cancelled_at is not None:
                raise WrongStateError(f"The event {event.name} is cancelled.")
            if event.ended_at is not None:
                raise WrongStateError(f"Everything of {event.name} is played: nobody can leave it.")
            gone = (
                statements.withdraw(event.id, bot)
                if event.frozen_at is not None
                else statements.leave(event.id, bot=bot)
            )
            if not (await connection.execute(gone)).all():
                raise NotFoundError(
                    f"No bot {bot} is entered in {event.name}."
                    if event.frozen_at is None
                    else f"No bot {bot} plays in {event.name}: it is not entered, had no accepted "
                    "build at the freeze, or is withdrawn already."
                )
            await final_tournaments.withdraw(connection, event)
            await record(connection, actor, "withdraw from event", event.name, {"bot": bot})
            await connection.execute(statements.tell(event.id))


async def _require_admitted(
    connection: AsyncConnection, event: Event, owner: Owner, code: str, name: str
) -> None:
    """Raise RequestRefusedError unless an owner may enter an event with this code.

    If the event is private, raises NotFoundError instead, as if it did not exist.
    """
    entry = event.terms.entry
    if entry is Admission.OPEN:
        return
    if (await connection.execute(statements.on_roster(event.id, owner.id))).first() is not None:
        return
    if entry is Admission.ROSTER:
        if event.terms.private:
            raise unknown(name)
        raise RequestRefusedError(f"{owner.name} is not on the roster of {event.name}.")
    kept = (await connection.execute(statements.secrets_of(event.id))).one()
    if not compare_digest(kept.code_sha256, code_hash(code)):
        if event.terms.private:
            raise unknown(name)
        said = "This is not the code" if code else "A code is needed"
        raise RequestRefusedError(
            f"{said} of {event.name}: its organiser gives it out, and `arena event enter --code` "
            "takes it."
        )


async def _require_small(connection: AsyncConnection, event: Event, owner: Owner) -> None:
    """Raise WrongStateError if an owner's team has more people than an event allows."""
    most = event.terms.limits.members
    if most is None:
        return
    people = 1 + len((await connection.execute(owner_statements.members_of(owner.id))).all())
    if people > most:
        raise WrongStateError(
            f"{event.name} allows {most} people in a team, and {owner.name} has {people}: `arena "
            "team remove` takes some out."
        )


async def _require_few_builds(
    connection: AsyncConnection, event: Event, bot_id: int, bot: str
) -> None:
    """Raise WrongStateError if a bot that left comes back with more builds than a day allows.

    A bot that enters for the first time may have had any number of builds before.
    """
    most = event.terms.limits.builds
    if most is None:
        return
    today = (await connection.execute(build_statements.builds_today(bot_id))).one()
    if today.builds <= most:
        return
    before = statements.entered_before(event.name, bot, today.newest)
    if (await connection.execute(before)).first() is not None:
        tomorrow = in_utc(today.today.astimezone(UTC) + timedelta(days=1))
        raise WrongStateError(
            f"{event.name} allows {most} builds of a bot in a day (UTC), and {bot}, which had "
            f"entered it before, has had {today.builds} today: enter it from {tomorrow} on."
        )


def _require_open(event: Event, now: datetime) -> None:
    """Raise WrongStateError unless bots may enter and leave now."""
    phase, dates = event.phase(now), event.terms.dates
    if phase is Phase.OPEN:
        return
    if phase is Phase.ANNOUNCED:
        raise WrongStateError(f"Entries of {event.name} open at {in_utc(dates.opens)}.")
    if phase is Phase.CANCELLED:
        raise WrongStateError(f"The event {event.name} is cancelled.")
    raise WrongStateError(
        f"Entries of {event.name} closed at {in_utc(dates.freezes)}: `arena event show "
        f"{quote(event.name)}` shows who plays."
    )


_WORDS: Final = {
    "opens_at": "opens",
    "freezes_at": "freeze",
    "final_at": "final",
    "results_at": "results",
}
"""The names of the dates in an event.toml and in commands."""


def _columns(dates: Dates) -> dict[str, datetime]:
    return {
        "opens_at": dates.opens,
        "freezes_at": dates.freezes,
        "final_at": dates.final,
        "results_at": dates.results,
    }


async def _named(
    connection: AsyncConnection, name: str, *, locked: bool = False
) -> tuple[Event, datetime]:
    """Return the event of a name, and the time; with `locked`, lock it in this transaction.

    Raises NotFoundError.
    """
    if locked:
        await connection.execute(statements.lock_event(name))
    found: Sequence[Any] = (await connection.execute(statements.event_list(name=name))).all()
    for row in found:
        return rows.event(row), row.now
    raise unknown(name)


def unknown(name: str) -> NotFoundError:
    """Return the error for an event that does not exist, or that the caller may not see."""
    return NotFoundError(f"There is no event {name} that you may see: `arena event list` has them.")
