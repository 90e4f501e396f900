"""Builds are kept, checked, hosted and dropped; shifts are shared evenly."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC
from typing import cast

import psycopg
import pytest
from procrastinate.schema import SchemaManager

from arena.builds import Build, read_build
from arena.builds.hosted import (
    CHECK_QUEUE,
    QUEUE,
    BegunShift,
    BuildState,
    HostingTerms,
    ShiftId,
    Worker,
)
from arena.commands.serving.children import Children
from arena.commands.serving.own_worker import start_worker
from arena.database.advisory_locks import AdvisoryLock
from arena.database.errors import (
    BannedError,
    BuildNotKeptError,
    TooManyBotsError,
    TooManyUploadsError,
    TooManyVersionsError,
    UnknownBotError,
    UnknownShiftError,
    VersionExistsError,
)
from arena.match.score_rule import ScoreRule
from arena.records import Allowance, Owner, VersionId
from arena.scheduling.formats import FormatName
from arena.server.app.store import Store
from arena.server.tournaments.tournament import Rules, TournamentState
from arena.server.tournaments.tournaments import BEFORE, NewEntry
from arena.server.uploads.hosted_builds import NO_WORKER
from arena.server.uploads.hosted_shifts import MOST_DELAY, OUT_OF_SERVICE
from tests.database_locks import waits_for

ALLOWED = Allowance(50, 50, 50)
TERMS = HostingTerms()


def build(number: int = 1) -> Build:
    return read_build("mine.py", f"NUMBER = {number}\n".encode())


async def upload(
    store: Store, owner: Owner, number: int = 1, bot: str = "mine", terms: HostingTerms = TERMS
) -> str:
    entrant = await store.builds.upload(owner, bot, "", build(number), terms, ALLOWED)
    return entrant.version


def take(sql: psycopg.Connection, queue: str = QUEUE) -> tuple[str, dict[str, int], int] | None:
    """The next job of a queue, as a worker of procrastinate takes it."""
    row = sql.execute(
        "SELECT task_name, args, id FROM procrastinate.procrastinate_fetch_job_v2(%s, NULL)",
        ([queue],),
    ).fetchone()
    return None if row is None or row[2] is None else (row[0], row[1], row[2])


def finish(sql: psycopg.Connection, job: int) -> None:
    sql.execute("SELECT procrastinate.procrastinate_finish_job_v1(%s, 'succeeded', true)", (job,))


async def check(
    store: Store, worker: Worker, sql: psycopg.Connection, *, accepted: bool | None = True
) -> VersionId:
    """Take the check that waits, and decide."""
    taken = take(sql, CHECK_QUEUE)
    assert taken is not None and taken[0] == "check"
    begun = await store.shifts.begin_check(worker, VersionId(taken[1]["version_id"]))
    assert begun is not None and begun.token == ""
    await store.shifts.end(worker, begun.id, "It sleeps.", "printed", accepted=accepted)
    finish(sql, taken[2])
    return VersionId(taken[1]["version_id"])


async def test_who_was_banned_while_the_upload_came_uploads_nothing(
    store: Store, owner: Owner, worker: Worker
) -> None:
    await store.owners.ban(owner.name, "operator")
    with pytest.raises(BannedError, match="has banned the owner Zoë"):
        await upload(store, owner)
    assert await store.builds.of(owner) == []


async def test_an_accepted_build_plays_shift_after_shift(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    (seen,) = await store.builds.of(owner)
    assert (seen.state, seen.plays, seen.kept) == (BuildState.CHECKING, False, True)
    await check(store, worker, sql)
    (seen,) = await store.builds.of(owner)
    assert (seen.state, seen.plays, seen.running) == (BuildState.ACCEPTED, True, False)
    for _ in range(3):
        taken = take(sql)
        assert taken is not None and taken[0] == "play"
        begun = await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS)
        assert begun is not None
        assert await store.shifts.build_file(worker, begun.id) == build().data
        playing = await store.authenticate(begun.token)
        assert playing is not None and playing.entrant == begun.entrant
        await store.shifts.end(worker, begun.id, "It played.", "hello", accepted=False)
        assert await store.authenticate(begun.token) is None
        with pytest.raises(UnknownShiftError):
            await store.shifts.build_file(worker, begun.id)
        assert take(sql) is None  # one place at a time
        finish(sql, taken[2])
    last = (await store.shift_logs.of(owner, "mine", ""))[0]
    assert (last.outcome, last.log, last.match_ids) == ("It played.", "hello", ())


async def test_a_refused_build_says_why_and_plays_not(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    await check(store, worker, sql, accepted=False)
    (seen,) = await store.builds.of(owner)
    assert (seen.state, seen.reason, seen.plays) == (BuildState.REFUSED, "It sleeps.", False)
    assert take(sql) is None
    assert await upload(store, owner) == "2"  # the same build may be tried again


async def test_a_check_that_failed_on_our_side_comes_again(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    version = await check(store, worker, sql, accepted=None)
    (seen,) = await store.builds.of(owner)
    assert seen.state is BuildState.CHECKING
    await store.shifts.look_after()
    assert await check(store, worker, sql) == version
    (seen,) = await store.builds.of(owner)
    assert seen.state is BuildState.ACCEPTED


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
    assert "never came to an end" in seen.reason


@pytest.mark.slow
@pytest.mark.parametrize("lost", [False, True])
async def test_nobody_waits_for_the_many_uploads_of_another(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection, lost: bool
) -> None:
    for number in (1, 2, 3):
        await upload(store, owner, number, "many")
    other, _ = await store.owners.sign_up("Bob", None)
    for number in (1, 2):
        await upload(store, other, number, "few")
    if lost:
        sql.execute("DELETE FROM procrastinate.procrastinate_jobs")
        await store.shifts.look_after()
    checked = []
    for _ in range(5):
        version = await check(store, worker, sql, accepted=False)
        (found,) = (one for one in await store.bots() if one.id == version)
        checked.append(f"{found.bot} {found.version}")
    assert checked == ["many 1", "few 1", "many 2", "few 2", "many 3"]


async def test_a_bot_goes_back_to_an_older_build_and_forward_again(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    for number in (1, 2):
        await upload(store, owner, number)
        await check(store, worker, sql)
    assert [seen.plays for seen in await store.builds.of(owner)] == [True, False]
    await store.builds.roll_back(owner, "MINE", "1")
    assert [seen.plays for seen in await store.builds.of(owner)] == [False, True]
    with pytest.raises(VersionExistsError, match=r"version 1 of mine already: .* roll-back mine 1"):
        await upload(store, owner, 1)
    await upload(store, owner, 3)
    with pytest.raises(BuildNotKeptError, match="Version 3 of mine was not accepted"):
        await store.builds.roll_back(owner, "mine", "3")


async def test_of_many_builds_the_last_are_listed_and_each_is_found(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    await check(store, worker, sql)
    sql.execute(
        "WITH added AS (INSERT INTO versions (bot_id, label)"
        " SELECT bot_id, generate_series(2, 300) FROM versions RETURNING id)"
        " INSERT INTO hosted_versions (version_id, build_id, state)"
        " SELECT added.id, builds.id, 'accepted' FROM added, builds"
    )
    listed = await store.builds.of(owner, "mine")
    assert [seen.version for seen in listed] == [str(number) for number in range(300, 100, -1)]
    (first,) = await store.shift_logs.of(owner, "mine", "1")
    assert first.check
    await store.builds.roll_back(owner, "mine", "2")
    with pytest.raises(UnknownBotError, match=r"no version 301 of mine: "):
        await store.builds.roll_back(owner, "mine", "301")


async def test_limits_of_an_owner_are_told_and_old_builds_dropped(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    terms = HostingTerms(uploads_a_day=4, builds_kept=2, hosted_bots=1)
    for number in (1, 2, 3, 4):
        await upload(store, owner, number, terms=terms)
        await check(store, worker, sql)
        if number == 1:
            with pytest.raises(TooManyBotsError, match="hosts 1 bots of yours, and 1 are allowed"):
                await upload(store, owner, bot="other", terms=terms)
        if number == 2:
            await store.builds.roll_back(owner, "mine", "1")
    # The last two, and the one that plays: 4 replaced 1 at its check, after its upload.
    assert [seen.kept for seen in await store.builds.of(owner)] == [True, True, False, False]
    with pytest.raises(TooManyUploadsError, match="you uploaded 4 builds"):
        await upload(store, owner, 5, terms=terms)
    with pytest.raises(BuildNotKeptError, match="not kept any more"):
        await store.builds.roll_back(owner, "mine", "2")


async def test_a_build_whose_version_cannot_play_any_more_may_be_uploaded_again(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    terms = HostingTerms(builds_kept=1)
    for number in (1, 2, 3):
        await upload(store, owner, number, terms=terms)
        await check(store, worker, sql)
    await store.owners.retire(owner, "mine", "3")
    # 1 is not kept any more, 3 is retired; each may be uploaded once more, as one does who is told.
    assert await upload(store, owner, 1, terms=terms) == "4"
    assert await upload(store, owner, 3, terms=terms) == "5"
    for number in (1, 3):
        with pytest.raises(VersionExistsError, match=r"is version [45] of mine already"):
            await upload(store, owner, number, terms=terms)


async def test_uploads_have_a_limit_of_their_own_and_registered_versions_another(
    store: Store, owner: Owner
) -> None:
    few = Allowance(bots=20, bot_versions_a_day=1, owner_versions_a_day=2)
    terms = HostingTerms(uploads_a_day=4)
    for number in range(3):
        await store.builds.upload(owner, "mine", "", build(number), terms, few)
    await store.owners.register(owner, "mine", "by-hand", few)
    with pytest.raises(TooManyVersionsError, match="mine got 1 versions in the last 24 hours"):
        await store.owners.register(owner, "mine", "again", few)
    await store.owners.register(owner, "other", "1", few)
    with pytest.raises(TooManyVersionsError, match="your bots got 2 versions"):
        await store.owners.register(owner, "third", "1", few)
    await store.builds.upload(owner, "other", "", build(3), terms, few)
    with pytest.raises(TooManyUploadsError, match="you uploaded 4 builds"):
        await store.builds.upload(owner, "mine", "", build(4), terms, few)


async def test_what_was_lost_is_queued_again(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    sql.execute("DELETE FROM procrastinate.procrastinate_jobs")
    await store.shifts.look_after()
    await check(store, worker, sql)
    taken = take(sql)
    assert taken is not None
    begun = await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS)
    assert begun is not None
    await store.shifts.look_after()  # it runs: nothing to do
    assert take(sql) is None
    finish(sql, taken[2])  # the worker failed, and told nobody
    sql.execute("UPDATE shifts SET expires_at = now() - interval '1 second'")
    await store.shifts.look_after()
    assert await store.authenticate(begun.token) is None
    assert take(sql) is not None
    assert (await store.shift_logs.of(owner, "mine", "1"))[0].outcome == "The worker was lost."


@pytest.mark.parametrize("change", ["add", "remove"])
async def test_shifts_end_with_the_token_of_their_worker(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection, change: str
) -> None:
    await upload(store, owner)
    await check(store, worker, sql)
    taken = take(sql)
    assert taken is not None
    begun = await store.shifts.begin_play(worker, taken[1]["bot_id"], TERMS)
    assert begun is not None
    finish(sql, taken[2])  # it played its last matches
    await store.workers.add("w2", "me")
    assert await store.authenticate(begun.token) is not None
    await getattr(store.workers, change)("w1", "me")
    assert await store.authenticate(begun.token) is None
    last, _ = await store.shift_logs.of(owner, "mine", "")
    assert last.outcome == "The worker was lost."
    await store.shifts.look_after()
    assert take(sql) is not None


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


async def test_a_bot_for_which_a_tournament_waits_comes_before_those_queued_earlier(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    versions = []
    for number, bot in enumerate(("one", "two", "three"), start=1):
        await upload(store, owner, number, bot)
        versions.append(await check(store, worker, sql))
    assert await store.tournaments.gather([versions[2]], [versions[1]]) == 2
    order = []
    while (taken := take(sql)) is not None:
        order.append((taken[0], taken[1].get("version_id")))
    assert order[:2] == [("tournament", versions[2]), ("tournament", versions[1])]
    assert order[2:] == [("play", None)] * 3


async def entered(store: Store, *versions: VersionId) -> None:
    """A tournament of these versions runs."""
    rules = Rules(
        FormatName.ROUND_ROBIN, "bluff", {}, 2, 1, None, ScoreRule.PLACEMENT, "s", rated=False
    )
    await store.tournaments.create("cup", rules, [NewEntry(one, None) for one in versions])
    running = TournamentState.RUNNING
    await store.tournaments.change_state("cup", running, before=BEFORE[running])


async def test_in_a_tournament_the_entered_version_plays_though_a_newer_one_is_on_the_ladder(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    older = await check(store, worker, sql)
    await upload(store, owner, 2)
    newer = await check(store, worker, sql)
    await entered(store, older, newer)
    can = await store.tournaments.participation([older, newer], "bluff")
    assert {one.obstacle for one in can.values()} == {""}
    await store.tournaments.gather([older], [])
    taken = take(sql)
    assert taken is not None and taken[:2] == ("tournament", {"version_id": older})
    begun = await store.shifts.begin_tournament(worker, older, TERMS)
    assert begun is not None and begun.entrant.version == "1"
    assert await store.shifts.build_file(worker, begun.id) == build(1).data
    playing = await store.authenticate(begun.token)
    assert playing is not None and (playing.version_id, playing.ladder) == (older, False)
    # Meanwhile the newer one plays on the ladder.
    ladder = take(sql)
    assert ladder is not None and ladder[0] == "play"
    on_ladder = await store.shifts.begin_play(worker, ladder[1]["bot_id"], TERMS)
    assert on_ladder is not None and on_ladder.entrant.version == "2"
    # One shift of a version at a time.
    assert await store.tournaments.gather([older], []) == 0
    await store.shifts.end(worker, begun.id, "It played.", "", accepted=None)
    finish(sql, taken[2])
    assert await store.tournaments.gather([older], []) == 1


async def test_the_wait_for_a_slot_does_not_count_while_a_tournament_goes_on(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    await entered(store, await check(store, worker, sql))
    tournament, wait = await store.tournaments.named("cup"), store.tournaments.wait
    assert await wait(tournament, {1}, set(), 5.0, going_on=True) == {1: 0.0}
    assert await wait(tournament, {1}, set(), 5.0, going_on=False) == {1: 5.0}
    (entry,) = (await store.tournaments.named("cup")).entries
    assert entry.absence == "waits for a worker's slot"


async def test_a_shift_for_a_tournament_that_does_not_run_any_more_does_not_begin(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    version = await check(store, worker, sql)
    await entered(store, version)
    await store.tournaments.gather([version], [])
    taken = take(sql)
    assert taken is not None
    paused = TournamentState.PAUSED
    await store.tournaments.change_state("cup", paused, before=BEFORE[paused])
    assert await store.shifts.begin_tournament(worker, version, TERMS) is None


async def test_after_a_shift_for_a_tournament_that_it_cut_short_a_bot_waits_for_the_next(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    version = await check(store, worker, sql)
    await entered(store, version)
    await store.tournaments.gather([version], [])
    taken = take(sql)
    assert taken is not None
    begun = await store.shifts.begin_tournament(worker, version, TERMS)
    assert begun is not None
    await store.shifts.end(worker, begun.id, "It ended.", "", accepted=None, cut_short=True)
    finish(sql, taken[2])
    assert await store.tournaments.gather([version], []) == 0
    ladder = take(sql)
    assert ladder is not None and ladder[0] == "play", "only the ladder is due"
    can = await store.tournaments.participation([version], "bluff")
    assert can[version].absence == "its program ended its last shift"


async def test_the_build_of_an_entered_version_is_kept_until_the_tournament_is_over(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    terms = replace(TERMS, builds_kept=1)
    await upload(store, owner, terms=terms)
    version = await check(store, worker, sql)
    await entered(store, version)
    for number in (2, 3):
        await upload(store, owner, number, terms=terms)
        await check(store, worker, sql)
    assert await store.tournaments.hosted([version]) == {version}
    cancelled = TournamentState.CANCELLED
    await store.tournaments.change_state("cup", cancelled, before=BEFORE[cancelled])
    await upload(store, owner, 4, terms=terms)
    assert await store.tournaments.hosted([version]) == set()
    can = await store.tournaments.participation([version], "bluff")
    assert "has no build any more" in can[version].obstacle


async def test_who_waits_for_a_check_learns_how_many_are_before_it_and_how_long_it_took_lately(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner, 1, "first")
    await check(store, worker, sql)
    await upload(store, owner, 2, "second")
    await upload(store, owner, 3, "third")
    sql.execute("INSERT INTO procrastinate.procrastinate_workers DEFAULT VALUES")
    third, second, _ = await store.builds.of(owner)
    took = "lately it took 0 s from upload to the end of a check, at most 0 s"
    assert second.reason == f"no other is before it; {took}"
    assert third.reason == f"1 other is before it; {took}"


async def test_the_operator_sees_builds_that_several_owners_uploaded(
    store: Store, owner: Owner
) -> None:
    other, _ = await store.owners.sign_up("Other", None)
    await upload(store, owner, 1, "mine")
    await upload(store, owner, 2, "mine")
    assert await store.builds.identical(9) == []
    await upload(store, other, 1, "copy")
    found = await store.builds.identical(9)
    assert [(row.bot, row.version, row.owner) for row in found] == [
        ("mine", "1", owner.name),
        ("copy", "1", "Other"),
    ]
    (newest, *_) = await store.owners.audit()
    assert newest.details["identical_to"] == [f"mine 1 of {owner.name}"]


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


def test_the_migration_has_the_schema_of_the_library() -> None:
    """If not: a migration must bring the queue to the new release's schema."""
    from importlib.resources import files

    ours = files("arena.database") / "migrations" / "procrastinate_3_10.sql"
    assert ours.read_text() == SchemaManager.get_schema()


async def test_builds_wait_where_no_worker_runs(store: Store, owner: Owner) -> None:
    await upload(store, owner)
    await store.workers.expect(0)  # one that was expected, and has not come
    (seen,) = await store.builds.of(owner)
    assert seen.reason == NO_WORKER


async def test_a_worker_that_is_being_started_is_waited_for(store: Store, owner: Owner) -> None:
    class Started:
        def start(self, *_: object, **__: object) -> None:
            """It takes long."""

    await start_worker(cast(Children, Started()), store, 1, {})
    await upload(store, owner)
    (seen,) = await store.builds.of(owner)
    assert seen.reason == "no other is before it"


async def test_the_audit_keeps_the_first_200_letters_of_why_a_build_was_refused(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    taken = take(sql, CHECK_QUEUE)
    assert taken is not None
    begun = await store.shifts.begin_check(worker, VersionId(taken[1]["version_id"]))
    assert begun is not None
    await store.shifts.end(worker, begun.id, "x" * 300, "", accepted=False)
    (line,) = [row for row in await store.owners.audit() if row.action == "refuse build"]
    assert line.details == {"why": "x" * 200}


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


async def test_workers_are_listed_by_name_with_the_shifts_that_they_run(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await store.workers.add("a-second", "me")
    await upload(store, owner)
    taken = take(sql, CHECK_QUEUE)
    assert taken is not None
    await store.shifts.begin_check(worker, VersionId(taken[1]["version_id"]))
    assert [(one.name, one.shifts) for one in await store.workers.seen()] == [
        ("a-second", 0),
        ("w1", 1),
    ]


async def test_a_worker_without_a_job_gets_no_program(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    assert await store.shifts.begin_check(worker, VersionId(1)) is None  # it waits
    await check(store, worker, sql)
    assert await store.shifts.begin_play(worker, 1, TERMS) is None
    taken = take(sql)
    assert taken is not None
    begun = await store.shifts.begin_play(worker, 1, TERMS)
    assert begun is not None
    await store.shifts.end(worker, begun.id, "It played.", "", accepted=None)
    finish(sql, taken[2])
    assert await store.shifts.begin_play(worker, 1, TERMS) is None
    assert [row.check for row in await store.shift_logs.of(owner, "mine", "")] == [False, True]


async def test_a_job_that_a_worker_began_is_no_other_workers(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    other = await store.workers.by_token(await store.workers.add("w2", "me"))
    assert other is not None
    await upload(store, owner)
    taken = take(sql, CHECK_QUEUE)
    assert taken is not None
    begun = await store.shifts.begin_check(worker, VersionId(1))
    assert begun is not None
    assert await store.shifts.begin_check(other, VersionId(1)) is None
    # Lost with its worker, it is put back, and another takes it.
    again = "SELECT procrastinate.procrastinate_retry_job_v1(%s, now(), 1, NULL, NULL)"
    sql.execute(again, taken[2:])
    assert await store.shifts.begin_check(other, VersionId(1)) is None
    assert take(sql, CHECK_QUEUE) is not None
    assert await store.shifts.begin_check(other, VersionId(1)) is not None


async def test_a_worker_that_was_not_answered_begins_anew(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    await check(store, worker, sql)
    assert take(sql) is not None
    lost = await store.shifts.begin_play(worker, 1, TERMS)
    begun = await store.shifts.begin_play(worker, 1, TERMS)
    assert lost is not None and begun is not None
    assert await store.authenticate(lost.token) is None
    assert await store.authenticate(begun.token) is not None
    ended = (await store.shift_logs.of(owner, "mine", ""))[1]
    assert ended.outcome == "The worker began it again."
