"""Shifts are shared evenly, and wait longer for programs that end them."""

from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC

import psycopg
import pytest

from arena.builds.hosted import (
    CHECK_QUEUE,
    BegunShift,
    BuildState,
    ShiftId,
    Worker,
)
from arena.database.advisory_locks import AdvisoryLock
from arena.records import Owner, VersionId
from arena.server.app.store import Store
from arena.server.uploads.hosted_shifts import MOST_DELAY, OUT_OF_SERVICE, SHIFTS_KEPT
from tests.database_locks import waits_for
from tests.server.uploads.hosting import TERMS, check, finish, take, upload


async def test_a_bot_that_changed_its_build_in_a_shift_has_one_shift_at_a_time_again(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner, 1)
    await check(store, worker, sql)
    old = take(sql)
    assert old is not None
    before = await store.shifts.begin_play(worker, old[1]["bot_id"], TERMS)
    assert before is not None
    finish(sql, old[2])  # its slot is free while it plays its last matches
    await upload(store, owner, 2)
    await check(store, worker, sql)
    new = take(sql)
    assert new is not None
    after = await store.shifts.begin_play(worker, new[1]["bot_id"], TERMS)
    assert after is not None
    await store.shifts.end(worker, before.id, "It played.", "", accepted=None)
    assert take(sql) is None
    finish(sql, new[2])
    await store.shifts.end(worker, after.id, "It played.", "", accepted=None)
    assert take(sql) is not None
    assert take(sql) is None


async def test_of_the_shifts_of_a_version_the_newest_are_kept_and_its_check(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    await check(store, worker, sql)
    begun_ids = []
    for number in range(SHIFTS_KEPT + 2):
        taken = take(sql)
        assert taken is not None
        begun = await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS)
        assert begun is not None
        begun_ids.append(begun.id)
        await store.shifts.end(worker, begun.id, f"Shift {number}.", "", accepted=None)
        finish(sql, taken[2])
    kept = [row[0] for row in sql.execute('SELECT id FROM shifts WHERE NOT "check" ORDER BY id')]
    assert kept == begun_ids[2:]
    assert sql.execute('SELECT count(*) FROM shifts WHERE "check"').fetchone() == (1,)


async def test_a_bot_whose_program_cuts_its_shifts_short_waits_longer_each_time(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    async def shift(*, cut_short: bool = True) -> float:
        """One of the version that plays; returns the seconds until the next."""
        taken = take(sql)
        assert taken is not None
        begun = await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS)
        assert begun is not None
        how = {"accepted": None, "cut_short": cut_short}
        await store.shifts.end(worker, begun.id, "It ended.", "", **how)
        finish(sql, taken[2])
        row = sql.execute(
            """
            UPDATE procrastinate.procrastinate_jobs AS jobs SET scheduled_at = now()
            FROM procrastinate.procrastinate_jobs AS before, shifts
            WHERE before.id = jobs.id AND jobs.status = 'todo' AND shifts.id = %s
            RETURNING extract(epoch FROM before.scheduled_at - shifts.ended_at)::float8
            """,
            (begun.id,),
        ).fetchone()
        assert row is not None
        return float(row[0] or 0)

    def delayed() -> None:
        sql.execute(
            "UPDATE procrastinate.procrastinate_jobs SET scheduled_at = now() + interval '600 s'"
        )
        assert take(sql) is None

    sql.execute("INSERT INTO procrastinate.procrastinate_workers DEFAULT VALUES")  # one is alive
    await upload(store, owner, 1)
    await check(store, worker, sql)
    assert [await shift() for _ in range(8)] == [10, 20, 40, 80, 160, 320, 600, 600]
    last = (await store.shift_logs.of(owner, "mine", ""))[0]
    assert last.ended_at is not None
    begins = (last.ended_at + MOST_DELAY).astimezone(UTC)
    assert last.outcome == (
        f"It ended. Its next shift begins at {begins:%H:%M:%S} UTC; a new build plays at once."
    )
    assert (await store.builds.of(owner))[0].reason == last.outcome.removesuffix(".")
    assert await shift(cut_short=False) == 0
    assert (await store.builds.of(owner))[0].reason == ""
    assert (await store.shift_logs.of(owner, "mine", ""))[0].outcome == "It ended."
    assert await shift() == 10
    # Whoever mends it does not wait.
    delayed()
    await upload(store, owner, 2)
    await check(store, worker, sql)
    assert await shift() == 10
    delayed()
    await store.builds.roll_back(owner, "mine", "1")
    assert await shift() == 20
    assert await store.shifts.look_after() is None
    assert take(sql) is not None
    assert take(sql) is None


async def test_a_shift_that_ends_because_the_bot_was_paused_is_not_its_programs_fault(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner, 1)
    await check(store, worker, sql)

    async def begin() -> BegunShift:
        taken = take(sql)
        assert taken is not None
        begun = await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS)
        assert begun is not None
        finish(sql, taken[2])
        return begun

    async def last() -> tuple[str, str]:
        reason = (await store.builds.of(owner))[0].reason
        return (await store.shift_logs.of(owner, "mine", ""))[0].outcome, reason

    sql.execute("INSERT INTO procrastinate.procrastinate_workers DEFAULT VALUES")  # one is alive
    begun = await begin()
    sql.execute("UPDATE bots SET paused_at = now()")
    await store.shifts.end(worker, begun.id, "It ended.", "", accepted=None, cut_short=True)
    assert await last() == (OUT_OF_SERVICE, "")
    sql.execute("UPDATE bots SET paused_at = NULL")
    await store.shifts.look_after()
    begun = await begin()
    await store.shifts.end(worker, begun.id, "It ended.", "", accepted=None, cut_short=True)
    assert (await last())[1].startswith("It ended. Its next shift begins at ")
    sql.execute("UPDATE procrastinate.procrastinate_jobs SET scheduled_at = now()")
    await begin()
    assert await last() == ("", ""), "its next shift runs"


async def test_a_build_that_takes_its_worker_down_is_not_tried_for_ever(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    taken = take(sql, CHECK_QUEUE)
    assert taken is not None
    version = VersionId(taken[1]["version_id"])
    for _ in range(3):
        assert await store.shifts.begin_check(worker, version) is not None
    assert await store.shifts.begin_check(worker, version) is None
    (seen,) = await store.builds.of(owner)
    assert seen.state is BuildState.REFUSED
    assert "never finished" in seen.reason


@pytest.mark.parametrize("undo", [False, True])
async def test_a_frozen_bot_rests_and_goes_on_later(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection, undo: bool
) -> None:
    await upload(store, owner)
    await check(store, worker, sql)
    await store.owners.freeze("mine", "me")
    taken = take(sql)
    assert taken is not None
    assert await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS) is None
    finish(sql, taken[2])
    if undo:
        await store.owners.freeze("mine", "me", frozen=False)
    await store.shifts.look_after()
    assert (take(sql) is not None) == undo


async def test_a_paused_bot_gets_no_shift_until_it_is_resumed(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    await check(store, worker, sql)
    await store.owners.pause(owner, "mine")
    taken = take(sql)
    assert taken is not None
    assert await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS) is None
    finish(sql, taken[2])
    await store.shifts.look_after()
    assert take(sql) is None
    await store.owners.pause(owner, "mine", paused=False)
    assert take(sql) is not None


@pytest.mark.slow
async def test_two_hundred_bots_share_eight_slots_evenly(
    store: Store, worker: Worker, sql: psycopg.Connection
) -> None:
    """The clock is the loop: in each step the shift that has run longest ends."""
    owner, _ = await store.owners.sign_up("Many", None)
    await upload(store, owner)
    await check(store, worker, sql)
    sql.execute(
        "INSERT INTO bots (owner_id, name, house, folded, skeleton)"
        " SELECT owner_id, n, false, n, n FROM bots, LATERAL"
        " (SELECT 'b' || i AS n FROM generate_series(2, 200) AS i) AS names"
    )
    sql.execute("INSERT INTO versions (bot_id, label) SELECT id, '1' FROM bots WHERE id > 1")
    sql.execute(
        "INSERT INTO hosted_versions (version_id, build_id, state)"
        " SELECT versions.id, builds.id, 'accepted' FROM versions, builds"
        " WHERE versions.id NOT IN (SELECT version_id FROM hosted_versions)"
    )
    sql.execute(
        "INSERT INTO hosted_bots SELECT bot_id, id FROM versions"
        " WHERE bot_id NOT IN (SELECT bot_id FROM hosted_bots)"
    )
    await store.shifts.look_after()
    shifts: Counter[int] = Counter()
    slots: list[tuple[ShiftId, int]] = []
    for _ in range(250):
        if len(slots) == 8:
            shift, job = slots.pop(0)
            await store.shifts.end(worker, shift, "It played.", "", accepted=None)
            finish(sql, job)
        taken = take(sql)
        assert taken is not None
        begun = await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS)
        assert begun is not None
        slots.append((begun.id, taken[2]))
        shifts[taken[1]["bot_id"]] += 1
    assert len(shifts) == 200
    assert set(shifts.values()) == {1, 2}


async def test_who_queues_shifts_waits_for_the_other_who_does(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    """Else two that look at once would both find that nothing is queued."""
    await upload(store, owner)
    taken = take(sql, CHECK_QUEUE)
    assert taken is not None
    begun = await store.shifts.begin_check(worker, VersionId(taken[1]["version_id"]))
    assert begun is not None
    steps: list[Callable[[], Awaitable[object]]] = [
        lambda: store.shifts.end(worker, begun.id, "", "", accepted=True),
        lambda: store.builds.roll_back(owner, "mine", "1"),
        store.shifts.look_after,
    ]
    for step in steps:
        await waits_for(AdvisoryLock.QUEUEING_SHIFTS, step(), sql)
    taken = take(sql)
    assert taken is not None
    playing = await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS)
    assert playing is not None
    ended = store.shifts.end(worker, playing.id, "", "", accepted=None)
    await waits_for(AdvisoryLock.QUEUEING_SHIFTS, ended, sql)


async def test_a_build_that_was_just_accepted_plays_before_those_that_play_all_the_time(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner, 1, "old")
    await check(store, worker, sql)
    first = take(sql)
    assert first is not None
    begun = await store.shifts.begin_play(worker, first[1]["bot_id"], TERMS)
    assert begun is not None
    finish(sql, first[2])
    await store.shifts.end(worker, begun.id, "It played.", "", accepted=None)
    await upload(store, owner, 2, "new")
    await check(store, worker, sql)
    bots = []
    while (taken := take(sql)) is not None:
        bots.append(taken[1]["bot_id"])
    assert bots == [first[1]["bot_id"] + 1, first[1]["bot_id"]]
