"""`PairingHistory`: who met whom and how strong versions seem, by which the ladder pairs.

Counted from the newest results at the start. What this referee plays is counted as it happens; what
the others record is read on from the log, a second later. Matches of a game or of options that only
a newer release knows count for nothing here: this referee plays no such tables.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

import structlog

from arena.database.errors import StorageError
from arena.database.rows import LadderRow
from arena.games import OptionsError, UnknownGameError, make_game
from arena.scheduling.ladder import MeetingCounts, TableType
from arena.scheduling.strengths import Strengths
from arena.server.app.referees_store import RefereesStore

READ_SECONDS: Final = 1.0
"""How often what others have recorded is read."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class PairingHistory:
    """The results that one referee pairs by.

    `counts` and `strengths` change as long as `follow` runs.
    """

    counts: MeetingCounts
    strengths: Strengths
    _store: RefereesStore
    _since: int
    """The end of the log when they were counted."""
    _types: "_TableTypes"

    async def follow(self) -> None:
        """Take in what other referees record, until cancelled."""
        since = self._since
        while True:
            await asyncio.sleep(READ_SECONDS)
            try:
                since = await self.read_on(since)
            except StorageError as error:
                log.warning("results of other referees not read", why=str(error))

    async def read_on(self, since: int) -> int:
        """Take in what others have recorded after a point of the log. Returns its end."""
        found, end = await self._store.placed_elsewhere(since)
        blocks = set[str]()
        for match in found:
            table_type = self._types.of(match)
            if table_type is None:
                continue
            self.strengths.learn(table_type, match.versions, match.placings)
            if match.block_id not in blocks:  # its matches come together, and are one meeting
                blocks.add(match.block_id)
                self.counts.add(table_type, match.versions)
        return end


async def pairing_history(store: RefereesStore) -> PairingHistory:
    """Return the history until now, of the newest results."""
    _, since = await store.placed_elsewhere(None)
    counts, strengths, types = MeetingCounts(), Strengths(), _TableTypes()
    for ladder in await store.newest_placings():
        table_type = types.of(ladder)
        if table_type is None:
            continue
        for versions, placings in zip(ladder.versions, ladder.placings, strict=True):
            counts.add(table_type, versions)
            strengths.learn(table_type, versions, placings)
    return PairingHistory(counts, strengths, store, since, types)


class _TableTypes:
    """The table types of matches; there are few, and to make one takes long."""

    def __init__(self) -> None:
        self._known: dict[str, TableType | None] = {}

    def of(self, ladder: LadderRow) -> TableType | None:
        """None for one that this release does not know."""
        named = f"{ladder.game} {ladder.options} {ladder.seat_count} {ladder.time_control}"
        if named not in self._known:
            self._known[named] = _made(ladder)
        return self._known[named]


def _made(ladder: LadderRow) -> TableType | None:
    try:
        options = make_game(ladder.game, ladder.options).options
    except (UnknownGameError, OptionsError) as error:
        log.warning("matches that this release does not know are left out", why=str(error))
        return None
    return TableType(ladder.game, options, ladder.seat_count, ladder.time_control)
