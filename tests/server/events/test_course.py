"""A course of 60 people for two weeks, in seconds: what was accepted in time is played, once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import psycopg
import pytest

from arena.builds.build import read_build
from arena.builds.hosted import HostingTerms, Worker
from arena.database.errors import WrongStateError
from arena.records import Allowance, Owner
from arena.server.app.store import Store, open_store
from arena.server.events.event import Admission, Dates, Phase
from tests import recorded_matches
from tests.bots import PATIENCE
from tests.server.events.cups import DAY, RULES, enrolled, let_pass, played_out, said

TEAMS, PEOPLE = 20, 60
DAYS = 14
UPLOADS_A_DAY = (0, 1, 2)
TERMS = HostingTerms(uploads_a_day=10_000)
ALLOWANCE = Allowance(10_000, 10_000, 10_000)


@dataclass
class Team:
    """A team, and when it was to play with which version, as far as its members know."""

    name: str
    members: list[Owner] = field(default_factory=list)
    uploads: int = 0
    checking: asyncio.Lock = field(default_factory=asyncio.Lock)
    """A worker checks one build of an owner at a time."""
    accepted: list[tuple[datetime, datetime, str]] = field(default_factory=list)
    """The beginning and the end of each call that accepted a build, and its version."""

    @property
    def bot(self) -> str:
        return f"bot-{self.name}"

    def possible(self, frozen_at: datetime) -> set[str]:
        """The versions that a freeze at that time may fix."""
        before = [version for _, end, version in self.accepted if end <= frozen_at]
        during = {version for begin, end, version in self.accepted if begin <= frozen_at < end}
        return during | set(before[-1:])


@dataclass
class Course:
    """A course that is simulated."""

    store: Store
    sql: "psycopg.Connection[Any]"
    worker: Worker
    random: Random
    teams: list[Team]

    async def upload(self, team: Team, *, good: bool) -> None:
        """A member uploads a build, and a worker checks it. Raises WrongStateError."""
        owner = self.random.choice(team.members)
        source = f"# {team.name} {self.random.random()}".encode()
        build = read_build("bot.py", source)
        entrant = await self.store.builds.upload(owner, team.bot, "", build, TERMS, ALLOWANCE)
        team.uploads += 1
        async with team.checking:
            await self._check(team, entrant.version, good=good)

    async def _check(self, team: Team, version: str, *, good: bool) -> None:
        row = self.sql.execute(
            "UPDATE procrastinate.procrastinate_jobs SET status = 'doing' FROM versions, bots"
            " WHERE bots.id = versions.bot_id AND bots.name = %s AND versions.label = %s"
            " AND status = 'todo' AND args = jsonb_build_object('version_id', versions.id)"
            " RETURNING versions.id, procrastinate_jobs.id",
            [team.bot, version],
        ).fetchone()
        assert row is not None
        begun = await self.store.shifts.begin_check(self.worker, row[0])
        assert begun is not None
        began = datetime.now(UTC)
        await self.store.shifts.end(self.worker, begun.id, "", "", accepted=good)
        if good:
            team.accepted.append((began, datetime.now(UTC), version))
        self.sql.execute("DELETE FROM procrastinate.procrastinate_jobs WHERE id = %s", [row[1]])

    async def passed(self, days: float) -> None:
        """Let time pass; in a thread, as a keeper in this event loop may have the event locked."""
        await asyncio.to_thread(let_pass, self.sql, "course", days)

    async def day(self) -> None:
        """A day on which every team uploads; three builds of ten are refused."""

        async def work(team: Team) -> None:
            for _ in range(self.random.choice(UPLOADS_A_DAY)):
                await self.upload(team, good=self.random.random() < 0.7)

        await asyncio.gather(*map(work, self.teams))
        await self.passed(1)

    async def until_refused(self, team: Team) -> str:
        """Upload until it is refused; return how."""
        while True:
            try:
                await self.upload(team, good=True)
            except WrongStateError as error:
                return str(error)


@asynccontextmanager
async def keeping(*stores: Store) -> AsyncIterator[None]:
    """Keep events by several referees at once."""

    async def keep(store: Store) -> None:
        while True:
            await store.finals.keep(store.record)
            await store.event_notices.keep()
            await asyncio.sleep(0.05)

    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(keep(store)) for store in stores]
        yield
        for one in running:
            one.cancel()


@pytest.fixture
async def course(store: Store, sql: "psycopg.Connection[Any]") -> Course:
    """A course on its first day: all have a key, and each team has entered its first build."""
    dates = said().dates
    dates = Dates(
        dates.opens,
        *(dates.opens + (DAYS + more) * DAY for more in (1, 2, 3)),
    )
    rules = replace(RULES, blocks=1)
    event, _ = await store.events.create(
        "course",
        replace(said(rules, entry=Admission.ROSTER, practice=False), dates=dates),
        "organiser",
    )
    people = "\n".join(f"Student {n},{1000 + n},team{n % TEAMS}" for n in range(PEOPLE))
    added = await enrolled(store, event, f"name,number,team\n{people}\n")
    teams = {f"team{n}": Team(f"team{n}") for n in range(TEAMS)}
    for one in added:
        owner = await store.owners.by_key(one.key)
        assert owner is not None
        teams[one.team].members.append(owner)
    worker = await store.workers.by_token(await store.workers.add("checker", "test"))
    assert worker is not None
    course = Course(store, sql, worker, Random(60), list(teams.values()))
    for team in course.teams:
        await course.upload(team, good=True)
        await store.events.enter(team.members[-1], "course", team.bot)
    return course


@pytest.mark.system  # a minute or more on a slow machine
@pytest.mark.slow
@pytest.mark.timeout(20 * PATIENCE)
async def test_a_course_runs_by_itself_and_plays_what_was_accepted_in_time(
    course: Course, database: str
) -> None:
    store, sql = course.store, course.sql
    async with open_store(database) as other, keeping(store, other):
        for day in range(DAYS):
            if day == DAYS // 3:
                event, _ = await store.events.named("course")
                later = replace(event.terms.dates, freezes=event.terms.dates.freezes + DAY / 2)
                await store.events.move("course", later, "organiser")
            await course.day()
        # The last seconds: every team uploads from two machines until it is refused.
        event, now = await store.events.named("course")
        assert event.phase(now) is Phase.OPEN
        left = event.terms.dates.freezes - now - timedelta(seconds=2)
        await course.passed(left / DAY)
        refused = await asyncio.gather(
            *(course.until_refused(team) for team in course.teams for _machine in range(2))
        )
        event, now = await store.events.named("course")
        assert all("whose builds were fixed at 20" in why for why in refused)
        assert event.frozen_at is not None
        assert (event.frozen_at - event.terms.dates.freezes) < timedelta(seconds=PATIENCE)
        entries = {one.bot: one.version for one in await store.events.entries(event)}
        for team in course.teams:
            assert entries[team.bot] in team.possible(event.frozen_at), team.name
        uploads = sum(team.uploads for team in course.teams)
        assert uploads > 250
        count = sql.execute("SELECT count(*) FROM audit WHERE action = 'upload'").fetchone()
        assert count == (uploads,)

        await course.passed(1)
        event = await played_out(store, sql, (await store.events.named("course"))[0])
        assert await recorded_matches.matches(store, limit=1) == []
        assert (await store.tournaments.newest(10))[0] == []
        await course.passed(1)
        async with asyncio.timeout(PATIENCE):
            while (event := (await store.events.named("course"))[0]).released_at is None:
                await store.finals.keep(store.record)
    rows = sql.execute("SELECT count(*), count(DISTINCT id) FROM matches").fetchone()
    assert rows == (TEAMS * (TEAMS - 1), TEAMS * (TEAMS - 1))
    record = await store.tournaments.record(await store.tournaments.named("course"))
    versions = {
        one.registered.entrant.bot: one.registered.entrant.version
        for one in record.tournament.entries
    }
    assert versions == entries
    people = await store.rosters.of(event)
    assert len(people) == PEOPLE
    participants = await store.organisers.participants(event)
    assert {row.bot for row in participants} == {team.bot for team in course.teams}
    kinds = [
        kind
        for (kind,) in sql.execute("SELECT kind FROM notices WHERE event_id IS NOT NULL").fetchall()
    ]
    assert sorted(kinds) == sorted(set(kinds))
