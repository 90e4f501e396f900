"""A whole event with real programs: entries, freeze, a final in the sandbox, the release."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.match.verify import verify
from arena.server.events.event import Admission, Dates, Event, NewEvent
from arena.signatures import check_signature
from tests import recorded_matches
from tests.server.events.cups import RULES
from tests.worker.hosting import LONG, PLAYS, Hosted, hosting

pytestmark = pytest.mark.timeout(900)


def soon(*, freeze: float = 1.0, final: float = 0.0, results: float = 0.0) -> NewEvent:
    """An event that opened before now; the dates follow each other after so many seconds."""
    now = datetime.now(UTC)
    freezes = now + timedelta(seconds=freeze)
    begins = freezes + timedelta(seconds=final)
    dates = Dates(now - timedelta(hours=1), freezes, begins, begins + timedelta(seconds=results))
    return NewEvent("A cup", "", RULES, dates, Admission.OPEN, practice=True)


async def entered(stage: Hosted, owner: str, program: str, event: str) -> None:
    """Enter a bot that was accepted without a check."""
    bot = f"bot of {owner}"
    await stage.upload(owner, "bot.py", program.encode(), bot)
    await stage.accept(bot)
    known = await stage.scene.arena.store.owners.by_key(await stage.scene.key(owner))
    assert known is not None
    await stage.scene.arena.store.events.enter(known, event, bot)


async def released(stage: Hosted, name: str) -> Event:
    """The event, once its results are released."""
    async with asyncio.timeout(LONG):
        while True:
            event, _ = await stage.scene.arena.store.events.named(name)
            if event.released_at is not None or event.cancelled_at is not None:
                return event
            await asyncio.sleep(0.1)


async def test_a_final_is_played_with_frozen_builds_and_can_be_recomputed_from_its_seed(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path) as stage:
        store = stage.scene.arena.store
        await store.events.create("cup", soon(freeze=5.0), "test")
        for owner in ("ann", "bob"):
            await entered(stage, owner, f"# {owner}\n{PLAYS}", "cup")
        await entered(stage, "eve", "raise SystemExit('I do not start')", "cup")
        async with stage.worker(slots=2):
            event = await released(stage, "cup")
        assert event.why_cancelled == ""
        assert event.tournament == "cup"
        tournament = await store.tournaments.named("cup")
        record = await store.tournaments.record(tournament)
        assert len(record.pairings) == 3
        assert sum(map(len, record.points.values())) == 2  # blocks of ann and bob
        eve = next(one for one in tournament.entries if one.registered.entrant.owner == "eve")
        assert all(absent == {eve.number} for absent in record.forfeits.values())
        assert len(record.forfeits) == 2
        entries = await store.events.entries(event)
        assert event.seed is not None
        assert {one.version for one in entries} == {"1"}
        matches = await recorded_matches.matches(store, limit=100_000)
        key = (await store.signer()).public_key
        deals: dict[str, set[str]] = {}
        for row in matches:
            transcript = await store.transcript(row.match_id)
            assert transcript is not None
            if not transcript.setup.deal_id:
                continue  # of the ladder
            assert not row.rated
            verify(transcript)
            check_signature(transcript, key)
            deals.setdefault(transcript.setup.deal_id, set()).add(row.match_id)
            assert not any(transcript.result.faults)
        assert sorted(map(len, deals.values())) == [2, 2]
