"""`Grading`: grades the people of an event by what their bots have achieved."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncEngine

from arena.codec.transcript import from_bytes
from arena.database.errors import RequestRefusedError, WrongStateError
from arena.database.transaction import fetched, transaction
from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.boards.board import table_sizes
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events.event import Event, EventEntry, Finalist
from arena.server.events.finals import final_statements
from arena.server.events.finals.final_reading import final_of, record_in
from arena.server.events.finals.standings import standings
from arena.server.events.grade_forms import Graded
from arena.server.events.grades import Achieved, HouseResult, Rubric, excused, grade
from arena.server.events.ladders import ladder_statements, player_statements
from arena.server.events.ladders.ladder_standings import met
from arena.server.results.kept_analyses import by_version, kept_losses
from arena.server.tournaments.tournaments import Tournaments


class Grading:
    """Grades the people of events. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine, tournaments: Tournaments) -> None:
        self._engine = engine
        self._tournaments = tournaments

    async def grades(self, event: Event, rubric: Rubric) -> tuple[list[Graded], list[str]]:
        """Return the grades by the line of the roster, and the bots without analysed decisions.

        Raises WrongStateError before the freeze, and RequestRefusedError for unknown rungs.
        """
        if event.frozen_at is None:
            raise WrongStateError(
                f"The builds of {event.name} are not fixed yet: grades are for those of the freeze."
            )
        entries = [
            rows.entry(row) for row in await fetched(self._engine, statements.entries_of(event.id))
        ]
        achieved = await self._achieved(event, rubric, entries)
        people = await fetched(self._engine, statements.roster(event.id))
        graded = [
            Graded(
                *(row.number, row.name, row.email, row.student_number, row.team),
                excused(rubric) if row.excused else grade(rubric, achieved.get(row.team)),
            )
            for row in people
        ] or [
            Graded(0, one.owner, "", "", one.owner, grade(rubric, achieved[one.owner]))
            for one in entries
        ]
        without = {one.bot for one in achieved.values() if one.version and one.loss is None}
        return graded, sorted(without) if rubric.loss.most else []

    async def _achieved(
        self, event: Event, rubric: Rubric, entries: Sequence[EventEntry]
    ) -> Mapping[str, Achieved]:
        """Return what the bot of each owner has achieved."""
        finalists = await self._finalists(event)
        met = await self._met_house(event, list(rubric.rungs))
        rules = event.terms.rules
        sizes = table_sizes(rules.seats)
        ladder = LadderId.of(rules.game, rules.options, sizes, time_control=rules.time_control)
        losses = by_version(await fetched(self._engine, kept_losses(ladder)))
        placed, faults = await self._in_the_final(event)
        found = {}
        for entry in entries:
            final = finalists.get(entry.owner)
            version = None if final is None else final.registered.version_id
            loss = None if version is None else losses.get(version)
            found[entry.owner] = Achieved(
                entry.bot,
                entry.version,
                {} if version is None else met.get(version, {}),
                None if loss is None else 100 * loss.mean,
                placed.get(entry.bot),
                len(finalists),
                0 if version is None else faults.get(version, 0),
            )
        return found

    async def _finalists(self, event: Event) -> Mapping[str, Finalist]:
        found = map(
            rows.finalist, await fetched(self._engine, final_statements.finalists(event.id))
        )
        return {one.registered.entrant.owner: one for one in found}

    async def _met_house(
        self, event: Event, rungs: Sequence[str]
    ) -> Mapping[VersionId, Mapping[str, HouseResult]]:
        """Return the results against the house bots, on the event's own ladder if any.

        Raises RequestRefusedError.
        """
        if event.terms.ladder is not None:
            if missing := sorted(set(rungs) - set(event.terms.ladder.house)):
                raise RequestRefusedError(
                    f"rungs: {', '.join(missing)} does not play on the ladder of {event.name}; "
                    f"there are {', '.join(event.terms.ladder.house) or 'no house bots'}."
                )
            return await self._met_on_ladder(event)
        house = {row.name for row in await fetched(self._engine, final_statements.house(rungs))}
        if missing := sorted(set(rungs) - house):
            raise RequestRefusedError(f"rungs: there is no house bot {', '.join(missing)}.")
        met: dict[VersionId, dict[str, HouseResult]] = {}
        for row in await fetched(self._engine, final_statements.met_house(event.id, rungs)):
            result = HouseResult(int(row.matches), float(row.points))
            met.setdefault(VersionId(row.version_id), {})[row.house] = result
        return met

    async def _met_on_ladder(self, event: Event) -> Mapping[VersionId, Mapping[str, HouseResult]]:
        mine = {
            row.id: VersionId(row.version_id)
            for row in await fetched(self._engine, player_statements.frozen_players(event.id))
        }
        named = await fetched(self._engine, player_statements.house_names(event.id))
        house = {row.id: row.house for row in named}
        blocks = await fetched(self._engine, ladder_statements.played(event.id, list(mine)))
        # Matches after the release must not change grades.
        until = event.released_at
        return met([one for one in blocks if until is None or one.ended_at <= until], mine, house)

    async def _in_the_final(self, event: Event) -> tuple[dict[str, int], dict[VersionId, int]]:
        """Return the places by bot, and the faults by version; nothing before the release."""
        if event.released_at is None:
            return {}, {}
        if event.tournament is None:
            return await self._in_private_final(event)
        tournament = await self._tournaments.named(event.tournament)
        record = await self._tournaments.record(tournament)
        faults = await fetched(self._engine, final_statements.faults_of(event.tournament))
        return (
            {line.entrant.bot: line.place for line in standings(record)},
            {VersionId(row.version_id): int(row.faults) for row in faults},
        )

    async def _in_private_final(self, event: Event) -> tuple[dict[str, int], dict[VersionId, int]]:
        async with transaction(self._engine) as connection:
            final = await final_of(connection, event)
            record = await record_in(connection, event, final)
            found = await connection.execute(final_statements.blocks_of(event.id, "transcripts"))
            written = [bytes(one) for row in found for one in row.transcripts]
        versions = {
            one.registered.entrant.bot: one.registered.version_id for one in final.finalists
        }
        faults = await asyncio.to_thread(_faults, written)
        return (
            {line.entrant.bot: line.place for line in standings(record)},
            {versions[bot]: count for bot, count in faults.items()},
        )


def _faults(transcripts: Sequence[bytes]) -> Counter[str]:
    """Return the faults in serialised transcripts, by bot."""
    found: Counter[str] = Counter()
    for transcript in map(from_bytes, transcripts):
        for entrant, faults in zip(
            transcript.setup.entrants, transcript.result.faults, strict=True
        ):
            found[entrant.bot] += faults
    return found
