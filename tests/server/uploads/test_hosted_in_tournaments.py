"""Hosted bots in tournaments: whose shifts come first, and with which build."""

from dataclasses import replace

import psycopg

from arena.builds.hosted import (
    Worker,
)
from arena.records import Owner
from arena.server.app.store import Store
from arena.server.tournaments.tournament import TournamentState
from tests.running_tournaments import begun
from tests.server.uploads.hosting import TERMS, build, check, finish, take, upload


async def test_a_bot_for_which_a_tournament_waits_comes_before_those_queued_earlier(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    versions = []
    for number, bot in enumerate(("one", "two", "three"), start=1):
        await upload(store, owner, number, bot)
        versions.append(await check(store, worker, sql))
    assert await store.tournament_bots.gather([versions[2]], [versions[1]]) == 2
    order = []
    while (taken := take(sql)) is not None:
        order.append((taken[0], taken[1].get("version_id")))
    assert order[:2] == [("tournament", versions[2]), ("tournament", versions[1])]
    assert order[2:] == [("play", None)] * 3


async def test_in_a_tournament_the_entered_version_plays_though_a_newer_one_is_on_the_ladder(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    older = await check(store, worker, sql)
    await upload(store, owner, 2)
    newer = await check(store, worker, sql)
    await begun(store, [older, newer])
    can = await store.tournament_bots.participation([older, newer], "bluff")
    assert {one.obstacle for one in can.values()} == {""}
    await store.tournament_bots.gather([older], [])
    taken = take(sql)
    assert taken is not None and taken[:2] == ("tournament", {"version_id": older})
    shift = await store.shifts.begin_tournament(worker, older, TERMS)
    assert shift is not None and shift.entrant.version == "1"
    assert await store.shifts.build_file(worker, shift.id) == build(1).data
    playing = await store.authenticate(shift.token)
    assert playing is not None and (playing.version_id, playing.ladder) == (older, False)
    # Meanwhile the newer one plays on the ladder.
    ladder = take(sql)
    assert ladder is not None and ladder[0] == "play"
    on_ladder = await store.shifts.begin_play(worker, ladder[1]["bot_id"], TERMS)
    assert on_ladder is not None and on_ladder.entrant.version == "2"
    # One shift of a version at a time.
    assert await store.tournament_bots.gather([older], []) == 0
    await store.shifts.end(worker, shift.id, "It played.", "", accepted=None)
    finish(sql, taken[2])
    assert await store.tournament_bots.gather([older], []) == 1


async def test_the_wait_for_a_slot_does_not_count_while_a_tournament_goes_on(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    await begun(store, [await check(store, worker, sql)])
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
    await begun(store, [version])
    await store.tournament_bots.gather([version], [])
    taken = take(sql)
    assert taken is not None
    paused = TournamentState.PAUSED
    await store.tournaments.change_state("cup", paused)
    assert await store.shifts.begin_tournament(worker, version, TERMS) is None


async def test_after_a_shift_for_a_tournament_that_it_cut_short_a_bot_waits_for_the_next(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    await upload(store, owner)
    version = await check(store, worker, sql)
    await begun(store, [version])
    await store.tournament_bots.gather([version], [])
    taken = take(sql)
    assert taken is not None
    shift = await store.shifts.begin_tournament(worker, version, TERMS)
    assert shift is not None
    await store.shifts.end(worker, shift.id, "It ended.", "", accepted=None, cut_short=True)
    finish(sql, taken[2])
    assert await store.tournament_bots.gather([version], []) == 0
    ladder = take(sql)
    assert ladder is not None and ladder[0] == "play", "only the ladder is due"
    can = await store.tournament_bots.participation([version], "bluff")
    assert can[version].absence == "its program ended its last shift"


async def test_the_build_of_an_entered_version_is_kept_until_the_tournament_is_over(
    store: Store, owner: Owner, worker: Worker, sql: psycopg.Connection
) -> None:
    terms = replace(TERMS, builds_kept=1)
    await upload(store, owner, terms=terms)
    version = await check(store, worker, sql)
    await begun(store, [version])
    for number in (2, 3):
        await upload(store, owner, number, terms=terms)
        await check(store, worker, sql)
    assert await store.tournament_bots.hosted([version]) == {version}
    cancelled = TournamentState.CANCELLED
    await store.tournaments.change_state("cup", cancelled)
    await upload(store, owner, 4, terms=terms)
    assert await store.tournament_bots.hosted([version]) == set()
    can = await store.tournament_bots.participation([version], "bluff")
    assert "has no build any more" in can[version].obstacle
