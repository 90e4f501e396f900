"""Pairings of a final that are decided without play, because builds do not start or blocks fail.

A block whose worker dies or fails is queued again. After MOST_TRIES tries, the rest of its pairing
is decided without play, as if none of its bots had started: a tie, as the cause is not known. This
is done only if another block of the final was played since the first try; otherwise the machines
are at fault, and the block is tried again.
"""

from collections.abc import Sequence
from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from arena.scheduling.pairings import EntryNumber
from arena.server.accounts.auditing import record as audit
from arena.server.events import event_statements as statements
from arena.server.events.event import Event
from arena.server.events.finals import final as drawing
from arena.server.events.finals import final_statements
from arena.server.events.finals.final_reading import ARENA
from arena.server.tournaments.tournament import PairingKey

MOST_TRIES: Final = 10
_LONGEST_REASON: Final = 2_000

log = structlog.get_logger()


async def walkover(
    connection: AsyncConnection,
    event: Event,
    final: drawing.DrawnFinal,
    key: PairingKey,
    absent: Sequence[EntryNumber],
    why: str,
) -> None:
    """Decide what is left of a pairing against its absent entries, unless that is done already."""
    why = why[:_LONGEST_REASON]
    names = [str(final.finalists[number - 1].registered.entrant) for number in absent]
    forfeit = final_statements.forfeit(event.id, *key, absent, why)
    if await connection.scalar(forfeit) is None:
        return
    told = {"bots": names, "why": why}
    await audit(connection, ARENA, "walkover in event", event.name, told)
    await connection.execute(statements.tell(event.id))
    log.warning("a pairing of a final is decided without play", bots=names, why=why[:200])


async def why_given_up(
    connection: AsyncConnection, event: Event, key: PairingKey, number: int
) -> str:
    """Count a try to play a block; return why it is given up, or "" if it is to be played."""
    count = final_statements.count_try(event.id, *key, number)
    row = (await connection.execute(count)).one()
    if row.tries <= MOST_TRIES:
        return ""
    played = final_statements.played_since(event.id, row.first_at)
    if (await connection.execute(played)).first() is None:
        return ""
    return (
        f"Block {number} was begun {MOST_TRIES} times and never came to its end, while others were "
        "played."
    )
