"""Builds are kept, checked, hosted and dropped."""

import psycopg
import pytest

from arena.builds.hosted import (
    CHECK_QUEUE,
    BuildState,
    HostingTerms,
    Worker,
)
from arena.database.errors import (
    BuildNotKeptError,
    LimitReachedError,
    NameTakenError,
    NotAllowedError,
    NotFoundError,
    TooManyUploadsError,
    TooManyVersionsError,
)
from arena.records import Allowance, Owner, VersionId
from arena.server.app.store import Store
from tests.server.uploads.hosting import TERMS, build, check, finish, take, upload


async def test_who_was_banned_while_the_upload_came_uploads_nothing(
    store: Store, owner: Owner, worker: Worker
) -> None:
    await store.owners.ban(owner.name, "operator")
    with pytest.raises(NotAllowedError, match="has banned the owner Zoë"):
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
        with pytest.raises(NotFoundError):
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
    with pytest.raises(NameTakenError, match=r"version 1 of mine already: .* roll-back mine 1"):
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
    with pytest.raises(NotFoundError, match=r"no version 301 of mine: "):
        await store.builds.roll_back(owner, "mine", "301")


async def test_limits_of_an_owner_are_told_and_old_builds_dropped(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    terms = HostingTerms(uploads_a_day=4, builds_kept=2, hosted_bots=1)
    for number in (1, 2, 3, 4):
        await upload(store, owner, number, terms=terms)
        await check(store, worker, sql)
        if number == 1:
            with pytest.raises(LimitReachedError, match="hosts 1 bots of yours, and 1 are allowed"):
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
        with pytest.raises(NameTakenError, match=r"is version [45] of mine already"):
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
