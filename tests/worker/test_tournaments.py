"""Hosted bots in tournaments: their tables get the slots, with the versions that are entered."""

import asyncio
from pathlib import Path

import pytest

from arena.builds.hosted import HostingTerms
from arena.records import VersionId
from arena.server.tournaments.summary import blocks_done
from arena.server.tournaments.tournament import TournamentState
from tests.running_tournaments import begun
from tests.worker.hosting import LONG, PLAYS, Hosted, hosting

pytestmark = [pytest.mark.system, pytest.mark.slow]
BOTS = 5
A_SHIFT = HostingTerms(shift_seconds=60)
"""As long as shifts are by default: nothing but leaving early makes room within the test."""


async def plays_out(hosted: Hosted, versions: list[VersionId]) -> None:
    """A round robin of these versions, from its start to its end."""
    store = hosted.scene.arena.store
    await begun(store, versions)
    async with asyncio.timeout(LONG):
        while (await store.tournaments.named("cup")).state is TournamentState.RUNNING:  # noqa: ASYNC110  only the database knows
            await asyncio.sleep(0.2)


async def test_two_slots_play_table_after_table_while_the_ladder_waits(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path, A_SHIFT) as hosted:
        store = hosted.scene.arena.store
        for number in range(BOTS):
            bot = f"bot{number}"
            source = f"# {number}\n{PLAYS}".encode()
            await hosted.upload(f"owner{number}", "bot.py", source, bot)
            await hosted.accept(bot)
        versions = [one.id for one in await store.bots()]
        async with hosted.worker(2):
            await hosted.played("bot0")  # both slots play on the ladder
            await plays_out(hosted, versions)
            tournament = await store.tournaments.named("cup")
            record = await store.tournaments.record(tournament)
            assert tournament.state is TournamentState.FINISHED
            assert blocks_done(record) == BOTS * (BOTS - 1) // 2
            assert record.forfeits == {}


async def test_the_entered_version_plays_though_a_newer_one_is_on_the_ladder(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path, A_SHIFT) as hosted:
        store = hosted.scene.arena.store
        for owner in ("ann", "bob"):
            source = f"# {owner}\n{PLAYS}".encode()
            await hosted.upload(owner, "bot.py", source, f"bot-{owner}")
            await hosted.accept(f"bot-{owner}")
        entered = [one.id for one in await store.bots()]
        await hosted.upload("ann", "bot.py", f"# newer\n{PLAYS}".encode(), "bot-ann")
        async with hosted.worker(2):
            assert (await hosted.decided("ann", "bot-ann")).plays
            await plays_out(hosted, entered)
        tournament = await store.tournaments.named("cup")
        record = await store.tournaments.record(tournament)
        assert blocks_done(record) == 1 and record.forfeits == {}
        assert [str(one.registered.entrant) for one in tournament.entries] == [
            "bot-ann 1",
            "bot-bob 1",
        ]
