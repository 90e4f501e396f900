"""`Organisers`: who organises events, and what they see, with one transaction per method.

An owner organises the events that the owner has made, and those for which the operator has made
the owner an organiser. All members of the owner's team have the same rights.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Delete, delete, select
from sqlalchemy import Row as SqlRow
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.errors import (
    NotAllowedError,
    NotFoundError,
    RequestRefusedError,
    WrongStateError,
)
from arena.database.names import folded
from arena.database.statement import row_count
from arena.database.tables.events import event_makers, event_organisers
from arena.database.tables.owners import owners
from arena.database.transaction import fetched, transaction
from arena.records import Owner, OwnerId
from arena.server.accounts import look_ups, owner_statements
from arena.server.accounts.auditing import record
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events import organising_statements
from arena.server.events.event import Event

MOST_UNFINISHED: Final = 20
"""An organiser with this many events that are not over cannot make another."""


class Organisers:
    """The organisers in the database. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    # For the operator

    async def add(self, event: Event, name: str, actor: str) -> None:
        """Make an owner an organiser. Raises UnknownOwnerError and RequestRefusedError."""
        async with transaction(self._engine) as connection:
            owner = await look_ups.owner_named(connection, name)
            added = organising_statements.add_organiser(event.id, owner.id)
            if await connection.scalar(added) is None:
                raise RequestRefusedError(f"{owner.name} organises {event.name} already.")
            await record(connection, actor, "add organiser", event.name, {"owner": owner.name})

    async def remove(self, event: Event, name: str, actor: str) -> None:
        """Remove an owner as organiser. Raises UnknownOwnerError and RequestRefusedError."""
        async with transaction(self._engine) as connection:
            owner = await look_ups.owner_named(connection, name)
            gone = delete(event_organisers).filter_by(event_id=event.id, owner_id=owner.id)
            if await connection.scalar(gone.returning(event_organisers.c.owner_id)) is None:
                raise RequestRefusedError(f"{owner.name} does not organise {event.name}.")
            await record(connection, actor, "remove organiser", event.name, {"owner": owner.name})

    async def allow(self, name: str, actor: str, *, allowed: bool = True) -> None:
        """Let an owner make events; with `allowed` false, no more. Raises UnknownOwnerError."""
        async with transaction(self._engine) as connection:
            owner = await look_ups.owner_named(connection, name)
            change: Insert | Delete = delete(event_makers).filter_by(owner_id=owner.id)
            if allowed:
                change = insert(event_makers).values(owner_id=owner.id).on_conflict_do_nothing()
            await connection.execute(change)
            action = "allow events" if allowed else "disallow events"
            await record(connection, actor, action, owner.name)

    async def of(self, event: Event) -> list[str]:
        """Return the names of the organisers of an event."""
        found = select(owners.c.name).select_from(event_organisers.join(owners))
        found = found.where(event_organisers.c.event_id == event.id).order_by(owners.c.folded)
        return [name for (name,) in await fetched(self._engine, found)]

    async def makers(self) -> list[str]:
        """Return the names of the owners who may make events."""
        found = select(owners.c.name).select_from(event_makers.join(owners))
        return [name for (name,) in await fetched(self._engine, found.order_by(owners.c.folded))]

    # For organisers

    async def organises(self, owner: Owner, event: Event) -> bool:
        """Return whether an owner organises an event."""
        found = organising_statements.organiser(event.id, owner.id)
        return bool(await fetched(self._engine, found))

    async def organised(self, owner: Owner) -> tuple[list[Event], bool, datetime]:
        """Return the newest events of an organiser, whether it may make more, and the time."""
        async with transaction(self._engine) as connection:
            ids = (await connection.scalars(organising_statements.organised_by(owner.id))).all()
            found = (await connection.execute(statements.event_list(ids=ids))).all()
            may = (await connection.execute(organising_statements.maker(owner.id))).first()
            (now,) = (await connection.execute(statements.clock())).one()
        return [rows.event(row) for row in found], may is not None, now

    async def require_maker(self, owner: Owner) -> None:
        """Raise NotAllowedError and WrongStateError unless the owner may make an event."""
        async with transaction(self._engine) as connection:
            await require_maker(connection, owner)

    async def participants(self, event: Event) -> list[SqlRow[Any]]:
        """Return who takes part: rows of `organising_statements.participants`."""
        found = organising_statements.participants(event.id, connected=event.terms.connected)
        return list(await fetched(self._engine, found))

    async def last_check(self, event: Event, bot: str) -> SqlRow[Any]:
        """Return a row of `organising_statements.last_check`. Raises NotFoundError."""
        for row in await fetched(self._engine, organising_statements.last_check(event.id, bot)):
            return row
        raise NotFoundError(f"No bot {bot} is entered in {event.name}.")

    async def owners_here(self, event: Event, names: Sequence[str]) -> list[OwnerId]:
        """Return the ids of the named owners. Raises NotFoundError if one does not take part."""
        found = await fetched(self._engine, organising_statements.owners_here(event.id, names))
        by_name = {row.folded: OwnerId(row.id) for row in found}
        for name in names:
            if folded(name) not in by_name:
                raise NotFoundError(f"No owner {name} takes part in {event.name}.")
        return list(by_name.values())


async def require_maker(connection: AsyncConnection, owner: Owner) -> None:
    """Raise NotAllowedError unless the owner may make events; WrongStateError beyond the limit.

    Locks the owner until the end of the transaction, so that concurrent calls keep the limit.
    """
    await connection.execute(owner_statements.lock_owner(owner.id))
    if (await connection.execute(organising_statements.maker(owner.id))).first() is None:
        raise NotAllowedError("You may not make events: ask the operator.")
    unfinished = organising_statements.organised_by(owner.id, unfinished=True)
    if (await connection.scalar(row_count(unfinished)) or 0) >= MOST_UNFINISHED:
        raise WrongStateError(f"You organise {MOST_UNFINISHED} events that are not over.")
