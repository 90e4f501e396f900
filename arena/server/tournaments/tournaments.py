"""`Tournaments`: stored tournaments, with one method per use case and one transaction per method.

Every method raises DatabaseUnreachableError while the database does not answer. Methods that change
a tournament notify TOURNAMENTS_CHANNEL in the same transaction.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.errors import NameTakenError, NotFoundError, TournamentStateError
from arena.database.names import check_name
from arena.database.transaction import fetched, transaction
from arena.records import TournamentBlock, TournamentId, VersionId
from arena.scheduling.pairings import EntryNumber, Pairing
from arena.server.failover.lease import fenced
from arena.server.tournaments import participation
from arena.server.tournaments import tournament_rows as rows
from arena.server.tournaments import tournament_statements as statements
from arena.server.tournaments.tournament import (
    BlockRecord,
    PairingKey,
    Rules,
    Tournament,
    TournamentRecord,
    TournamentState,
)

BEFORE: Final = {
    TournamentState.RUNNING: (TournamentState.CREATED, TournamentState.PAUSED),
    TournamentState.PAUSED: (TournamentState.RUNNING,),
    TournamentState.CANCELLED: (
        TournamentState.CREATED,
        TournamentState.RUNNING,
        TournamentState.PAUSED,
    ),
    TournamentState.FINISHED: (TournamentState.RUNNING,),
}
"""The states from which each state can be reached."""


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A bot to enter; the order of entries is the seeding."""

    version_id: VersionId
    elo: float | None


class Tournaments:
    """The tournaments in the database."""

    def __init__(self, engine: AsyncEngine, epoch: int | None = None) -> None:
        """Use `engine`; with an `epoch`, tournaments progress only while that lease is held."""
        self._engine = engine
        self._epoch = epoch

    async def create(self, name: str, rules: Rules, entries: Sequence[NewEntry]) -> Tournament:
        """Create a tournament, not started. Raises NameRefusedError and NameTakenError."""
        check_name("tournament", name)
        values = {
            "name": name,
            **rows.rules_columns(rules),
            "seed": rules.seed,
            "rated": rules.rated,
            "patience_s": rules.patience_seconds,
        }
        async with transaction(self._engine) as connection:
            found = await connection.scalar(statements.add_tournament(values))
            if found is None:
                raise NameTakenError(f"There is already a tournament {name}: choose another name.")
            field = [
                {"number": number, "version_id": entry.version_id, "elo": entry.elo}
                for number, entry in enumerate(entries, start=1)
            ]
            await connection.execute(statements.add_entries(found, field))
            await connection.execute(statements.tell(found))
            return await _named(connection, name)

    async def newest(self, limit: int, search: str = "") -> tuple[list[Tournament], int]:
        """Return the newest tournaments with `search` in their name, newest first, and a count.

        The count covers all tournaments with `search` in their name.
        """
        async with transaction(self._engine) as connection:
            found = await connection.execute(statements.newest_tournaments(limit, search=search))
            count = await connection.scalar(statements.tournament_count(search))
            return await _with_entries(connection, found.all()), count or 0

    async def conducted(self, ids: Collection[TournamentId] | None = None) -> list[Tournament]:
        """Return the running or paused tournaments that this referee conducts, oldest first.

        With `ids`, only those with these ids.
        """
        assert self._epoch is not None, "only a referee conducts"
        async with transaction(self._engine) as connection:
            found = await connection.execute(statements.conducted_by(self._epoch, ids))
            return await _with_entries(connection, found.all())

    async def take_up(self, *, of_the_gone: bool) -> None:
        """Conduct the begun tournaments without a conductor.

        With `of_the_gone`, this includes those whose conductor has stopped.
        """
        assert self._epoch is not None, "only a referee conducts"
        async with fenced(self._engine, self._epoch) as connection:
            await connection.execute(statements.take_up(self._epoch, of_the_gone=of_the_gone))

    async def hand_over(self, tournament_id: TournamentId, epoch: int) -> None:
        """Let another lease's referee conduct a tournament from now on, if the lease still runs."""
        async with fenced(self._engine, self._epoch) as connection:
            if await connection.scalar(statements.running_lease(epoch)) is not None:
                await connection.execute(statements.hand_over(tournament_id, epoch))
            await connection.execute(statements.tell(tournament_id))

    async def named(self, name: str) -> Tournament:
        """Return the tournament of that name. Raises NotFoundError."""
        async with transaction(self._engine) as connection:
            return await _named(connection, name)

    async def change_state(
        self, name: str, state: TournamentState, *, before: Collection[TournamentState] = ()
    ) -> None:
        """Start, pause, resume or cancel a tournament that is in one of the states `before`.

        By default `before` are all states from which `state` can be reached.

        Raises NotFoundError and TournamentStateError.
        """
        before = before or BEFORE[state]
        async with transaction(self._engine) as connection:
            tournament = await _named(connection, name)
            if not tournament.conducted or state is TournamentState.CANCELLED:
                await _require_no_final(connection, tournament)
            if not await _change(connection, tournament.id, state, before):
                raise TournamentStateError(
                    f"The tournament {tournament.name} is {tournament.state.value}: only one that "
                    f"is {' or '.join(one.value for one in before)} can become {state.value}."
                )

    async def finish(self, tournament_id: TournamentId) -> None:
        """Mark a tournament as finished: everything is played.

        A tournament that is not running stays as it is.
        """
        async with fenced(self._engine, self._epoch) as connection:
            await _change(connection, tournament_id, TournamentState.FINISHED)
            await connection.execute(statements.tell_event(tournament_id))

    async def suspend(self, tournament_id: TournamentId) -> None:
        """Pause a running tournament that cannot continue."""
        async with fenced(self._engine, self._epoch) as connection:
            await _change(connection, tournament_id, TournamentState.PAUSED)

    async def withdraw(self, name: str, number: EntryNumber) -> None:
        """Withdraw an entry from a tournament that is not over; doing so again changes nothing.

        Raises NotFoundError and TournamentStateError.
        """
        async with transaction(self._engine) as connection:
            tournament = await _named(connection, name)
            await _require_no_final(connection, tournament)
            if tournament.state.over:
                raise TournamentStateError(
                    f"The tournament {tournament.name} is {tournament.state.value}: no bot can "
                    "withdraw any more."
                )
            await connection.execute(statements.withdraw(tournament.id, number))
            await connection.execute(statements.tell(tournament.id))

    async def add_pairings(self, tournament_id: TournamentId, pairings: Sequence[Pairing]) -> None:
        """Record new pairings; existing ones stay as they are."""
        paired = list(map(rows.pairing_columns, pairings))
        async with fenced(self._engine, self._epoch) as connection:
            # The protocol counts parameters in 16 bits.
            for start in range(0, len(paired), 10_000):
                part = paired[start : start + 10_000]
                await connection.execute(statements.add_pairings(tournament_id, part))
            await connection.execute(statements.tell(tournament_id))

    async def wait(
        self,
        tournament: Tournament,
        absent: Collection[EntryNumber],
        present: Collection[EntryNumber],
        seconds: float,
        *,
        going_on: bool,
    ) -> dict[EntryNumber, float]:
        """Record that tables waited `seconds` longer for absent entries, and reset present ones.

        While blocks were lately played (`going_on`), the time of entries that wait for a slot does
        not count. Returns how long tables have waited for each absent entry, in seconds.
        """
        waited: dict[EntryNumber, float] = {}
        async with fenced(self._engine, self._epoch) as connection:
            versions = {tournament.version(number): number for number in absent}
            game = tournament.rules.game
            found = await connection.execute(participation.participation(versions, game))
            reasons = {versions[row.version_id]: participation.absence(row, game) for row in found}
            for number in sorted(absent):
                why = reasons.get(number, "")
                counted = 0.0 if going_on and why in participation.LACKS_A_SLOT else seconds
                waited[number] = await connection.scalar(
                    statements.add_wait(tournament.id, number, counted, why)
                )
            ended = await connection.scalars(statements.end_waits(tournament.id, present))
            if ended.all() or any(0 < one <= seconds for one in waited.values()):
                await connection.execute(statements.tell(tournament.id))
        return waited

    async def forfeit(
        self,
        tournament_id: TournamentId,
        absent: Mapping[PairingKey, Collection[EntryNumber]],
    ) -> None:
        """Make the unplayed blocks of pairings walkovers against their absent entries."""
        async with fenced(self._engine, self._epoch) as connection:
            for (round_, table), entries in absent.items():
                await connection.execute(statements.forfeit(tournament_id, round_, table, entries))
            await connection.execute(statements.tell(tournament_id))

    async def open_blocks(self, blocks: Sequence[TournamentBlock]) -> None:
        """Record that blocks have begun; one that is already recorded is left as it is."""
        own = [rows.block_columns(one.block, self._epoch) for one in blocks]
        links = [rows.link_columns(one.block.id, one.tournament_id, one.pairing) for one in blocks]
        async with fenced(self._engine, self._epoch) as connection:
            await connection.execute(statements.open_blocks(own))
            await connection.execute(statements.open_tournament_blocks(links))

    async def record(self, tournament: Tournament) -> TournamentRecord:
        """Return the pairings and blocks of a tournament so far."""
        async with transaction(self._engine) as connection:
            pairings = await connection.execute(statements.pairings_of(tournament.id))
            blocks = await connection.execute(statements.blocks_of(tournament.id))
            return rows.record(tournament, pairings, blocks)

    async def blocks(
        self,
        tournament: Tournament,
        block_ids: Collection[str] | None = None,
        *,
        after: str | None = None,
    ) -> list[BlockRecord]:
        """Return the records of these blocks, of all, or of those begun `after` one.

        They are in the order begun; blocks that were never opened are missing.
        """
        wanted = statements.blocks_of(tournament.id, block_ids, after=after)
        found = await fetched(self._engine, wanted)
        return [rows.block(row, tournament.rules.seats) for row in found]

    async def block_counts(self, ids: Collection[TournamentId]) -> dict[TournamentId, int]:
        """Return how many blocks of these tournaments count; those without any are missing."""
        found = await fetched(self._engine, statements.block_counts(ids))
        return {row.tournament_id: row.blocks for row in found}


async def _require_no_final(connection: AsyncConnection, tournament: Tournament) -> None:
    if (await connection.execute(statements.event_of(tournament.id))).first() is not None:
        raise TournamentStateError(
            f"The tournament {tournament.name} is the final of an event: `arena event` withdraws "
            "a bot from it, and cancels it."
        )


async def _change(
    connection: AsyncConnection,
    tournament_id: TournamentId,
    state: TournamentState,
    before: Collection[TournamentState] = (),
) -> bool:
    """Change a tournament's state if it is one of `before`, or of BEFORE; return whether it was."""
    names = [one.value for one in before or BEFORE[state]]
    changed = await connection.scalar(
        statements.set_state(tournament_id, state.value, before=names)
    )
    if changed is not None:
        await connection.execute(statements.tell(tournament_id))
    return changed is not None


async def _named(connection: AsyncConnection, name: str) -> Tournament:
    found = await connection.execute(statements.tournament_list(name=name))
    for tournament in await _with_entries(connection, found.all()):
        return tournament
    raise NotFoundError(f"There is no tournament {name}: see `arena tournament list`.")


async def _with_entries(
    connection: AsyncConnection, found: Sequence[SqlRow[Any]]
) -> list[Tournament]:
    entries = await connection.execute(statements.entries_of([row.id for row in found]))
    return rows.tournaments(found, entries)
