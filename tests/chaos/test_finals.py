"""An event while whatever runs is killed: at the freeze, in the final, and at the release."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from arena.server.app.store import Store, open_store
from arena.worker.sandbox import why_not_here
from arena.worker.worker import LOST_SECONDS
from tests.chaos.test_hosted_bots import SETTINGS, start_worker
from tests.end_to_end.programs import Program
from tests.jobs import accept_build
from tests.server.events.cups import said, signed_up, uploaded
from tests.several_referees import Referees
from tests.worker.hosting import PLAYS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

OWNERS = ("ann", "bob", "eve")
BLOCKS = "SELECT concat_ws('.', round, \"table\", number) FROM event_blocks"
RECORDED = "SELECT id FROM matches JOIN tournament_blocks USING (block_id)"

LONG_SILENT = f"""
UPDATE procrastinate.procrastinate_workers
SET last_heartbeat = last_heartbeat - interval '{LOST_SECONDS} seconds'
""".encode()
"""Time passes in which no worker of now gives a sign of life."""


def move(referees: Referees, column: str, later: str = "0 seconds") -> None:
    """Let a date of the event come, with those before it, and tell the referees as a move does."""
    columns = ["freezes_at", "final_at", "results_at"]
    moved = columns[: columns.index(column) + 1]
    now = f"now() + interval '{later}'"
    given = ", ".join(f"{one} = least({one}, {now})" for one in moved)
    referees.sql.execute(f"UPDATE events SET {given}".encode())
    referees.sql.execute(b"SELECT pg_notify('arena_events', '')")


async def enter(url: str, *, live: bool) -> None:
    async def one(store: Store, name: str) -> None:
        owner = await signed_up(store, name)
        await uploaded(store, owner, f"bot-{name}", PLAYS)
        await accept_build(store, url, f"bot-{name}")
        await store.events.enter(owner, "cup", f"bot-{name}")

    async with open_store(url) as store:
        await store.events.create("cup", replace(said(), live=live), "me")
        for name in OWNERS:
            await one(store, name)


@pytest.mark.parametrize("live", [False, True])
def test_an_event_goes_its_way_whatever_is_killed(
    referees: Referees, tmp_path: Path, live: bool
) -> None:
    if (why_not := asyncio.run(why_not_here())) is not None:
        pytest.skip(why_not)
    first = referees.start(**SETTINGS)
    asyncio.run(enter(referees.url, live=live))
    referees.start(**SETTINGS)
    # The freeze: the older of two referees is killed just before its date.
    move(referees, "freezes_at", "1 second")
    first.kill()
    referees.until(
        lambda: referees.ids("SELECT id FROM events WHERE frozen_at IS NOT NULL"), "not frozen"
    )
    assert len(referees.ids("SELECT bot_id FROM event_builds")) == len(OWNERS)
    # No shift of the ladder may keep the slots for long.
    referees.sql.execute(b"UPDATE bots SET paused_at = now()")
    referees.start(**SETTINGS)
    worker = start_worker(referees, "first", referee=1)
    move(referees, "final_at")
    referees.until(lambda: referees.ids(BLOCKS), "no block is played")
    # In the final: the worker in the middle of its blocks, and then a referee.
    worker.kill()
    referees.sql.execute(LONG_SILENT)
    before = referees.ids(BLOCKS)
    start_worker(referees, "second", referee=1)
    referees.until(lambda: referees.ids(BLOCKS) > before, "not played on")
    referees.running[1].kill()
    referees.until(
        lambda: referees.ids("SELECT id FROM events WHERE ended_at IS NOT NULL"), "not played out"
    )
    assert len(referees.ids(BLOCKS)) == 6
    if live:
        referees.until(lambda: len(referees.ids(RECORDED)) == 12, "not published")
    else:
        assert not referees.ids(RECORDED)
    # The release: by whichever of two referees is there.
    referees.start(**SETTINGS)
    move(referees, "results_at")
    referees.until(
        lambda: referees.ids("SELECT id FROM events WHERE released_at IS NOT NULL"), "not released"
    )
    assert len(referees.ids(RECORDED)) == 12
    file = str(tmp_path / "cup.zip")
    database = {"ARENA_DATABASE_URL": referees.url}
    written = Program(referees.home / "operator", "event", "archive", "cup", file, **database)
    assert written.ended() == 0, written.complained
    checked = Program(referees.home / "anybody", "event", "verify", file)
    assert checked.ended() == 0, checked.complained
    assert "3 pairings, 12 matches refereed again" in checked.said
