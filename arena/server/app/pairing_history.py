"""`PairingHistory`: the versions' meetings and estimated strengths, from which the ladder pairs.

It is counted from the newest results at the start. Matches of this referee are counted as they are
played. Matches that other referees record are read from the log every second, or every ten seconds
while this referee stands by. Matches of a game or of options that only a newer release knows do not
count: this referee plays no such tables.
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
"""The interval at which the results of other referees are read."""

STANDING_BY_SECONDS: Final = 10.0
"""The interval while this referee stands by: reading every second was two fifths of its work."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class PairingHistory:
    """The pairing history of one referee. `follow` keeps `counts` and `strengths` up to date."""

    counts: MeetingCounts
    strengths: Strengths
    _store: RefereesStore
    _since: int
    """The end of the log when `counts` and `strengths` were counted."""
    _types: "_TableTypes"

    async def follow(self) -> None:
        """Add what other referees record, until cancelled."""
        since = self._since
        while True:
            stands_by = self._store.lease.stands_by
            await asyncio.sleep(STANDING_BY_SECONDS if stands_by else READ_SECONDS)
            try:
                since = await self.read_on(since)
            except StorageError as error:
                log.warning("results of other referees not read", why=str(error))

    async def read_on(self, since: int) -> int:
        """Add what other referees have recorded after a point of the log; return the log's end."""
        found, end = await self._store.placed_elsewhere(since)
        blocks = set[str]()
        for match in found:
            table_type = self._types.of(match)
            if table_type is None:
                continue
            self.strengths.learn(table_type, match.versions, match.placings)
            if match.block_id not in blocks:  # the matches of a block come together: one meeting
                blocks.add(match.block_id)
                self.counts.add(table_type, match.versions)
        return end


async def pairing_history(store: RefereesStore) -> PairingHistory:
    """Return the history until now, counted from the newest results."""
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
    """A cache of the table types of ladders.

    There are few, and making one takes as long as learning from a match.
    """

    def __init__(self) -> None:
        self._known: dict[str, TableType | None] = {}

    def of(self, ladder: LadderRow) -> TableType | None:
        """Return the table type of a ladder; None if this release does not know it."""
        named = f"{ladder.game} {ladder.options} {ladder.seat_count} {ladder.time_control}"
        if named not in self._known:
            self._known[named] = _made(ladder)
        return self._known[named]


def _made(ladder: LadderRow) -> TableType | None:
    """Make the table type of a ladder; None, with a warning, if this release does not know it."""
    try:
        options = make_game(ladder.game, ladder.options).options
    except (UnknownGameError, OptionsError) as error:
        log.warning("matches that this release does not know are left out", why=str(error))
        return None
    return TableType(ladder.game, options, ladder.seat_count, ladder.time_control)
