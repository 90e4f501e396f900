"""`Archives`: reads the contents of the archives of released events in pieces.

Only the event.json grows with the event, so no process holds an archive as a whole.
"""

import asyncio
from itertools import accumulate, islice
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.errors import WrongStateError
from arena.database.transaction import fetched, transaction
from arena.database.transcripts import Packed, unpack_message
from arena.server.events import event_statements as statements
from arena.server.events.event import Event, SignedEvent
from arena.server.events.finals import final_statements
from arena.server.events.finals.archive_reading import match_ids, stored_event
from arena.server.results.match_search import transcripts_of_matches

READ_TOGETHER: Final = 500
"""About the number of transcripts in a piece: some hundred kilobytes."""
MOST_BYTES: Final = 2 << 20
"""The most bytes of a piece of several transcripts: clients of gRPC accept 4 MiB."""


class Archives:
    """The archives in the database. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def signed(self, event: Event) -> SignedEvent | None:
        """Return the signed event.json of an event; None before its release."""
        async with transaction(self._engine) as connection:
            found = (await connection.execute(statements.archive_of(event.id))).one_or_none()
        return None if found is None else SignedEvent(bytes(found.text), bytes(found.signature))

    async def transcripts(self, event: Event, after: int) -> list[bytes]:
        """Return the next serialised transcripts, after the first `after`; none at the end.

        They are in the order of the archive. Raises WrongStateError before the release, and if a
        transcript is not kept any more.
        """
        if event.released_at is None:
            raise WrongStateError(f"{event.name} is not released: there is nothing to archive.")
        if event.terms.private:
            return _piece(await self._private(event, after))
        signed = await self.signed(event)
        if signed is None:
            raise WrongStateError(f"{event.name} was released before archives were kept.")
        # In a thread: bots wait for the event loop.
        ids = await asyncio.to_thread(_ids, signed.text, after)
        if not ids:
            return []
        found = await fetched(self._engine, transcripts_of_matches(ids))
        kept = {str(row.match_id): Packed(row.format, row.sha256, row.data) for row in found}
        if missing := [one for one in ids if one not in kept]:
            raise WrongStateError(
                f"The transcript of match {missing[0]} is not kept any more: the archive of "
                f"{event.name} cannot be written."
            )
        return _piece(await asyncio.to_thread(lambda: [unpack_message(kept[one]) for one in ids]))

    async def _private(self, event: Event, after: int) -> list[bytes]:
        seats = event.terms.rules.seats
        blocks = final_statements.blocks_of(event.id, "transcripts").offset(after // seats)
        found = await fetched(self._engine, blocks.limit(max(1, READ_TOGETHER // seats)))
        messages = [bytes(one) for row in found for one in row.transcripts]
        return messages[after % seats :]


def _ids(text: bytes, after: int) -> list[str]:
    return list(islice(match_ids(stored_event(text), after), READ_TOGETHER))


def _piece(messages: list[bytes]) -> list[bytes]:
    """Return as many of the first messages as fit, at least one."""
    ends = accumulate(map(len, messages))
    fitting = [one for one, end in zip(messages, ends, strict=True) if end <= MOST_BYTES]
    return fitting or messages[:1]
