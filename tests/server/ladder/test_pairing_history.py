"""The ladder of each referee pairs by what all of them have recorded."""

from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from arena.games import make_game
from arena.games.bluff import BluffOptions
from arena.records import VersionId
from arena.scheduling.ladder import TableType
from arena.server.app.pairing_history import pairing_history
from arena.server.app.referees_store import RefereesStore, open_referees_store
from tests.recorded_results import block, finished

BLUFF = TableType("bluff", make_game("bluff", {}).options, 2)


async def test_what_other_referees_record_is_read_on_from_the_log(
    database: str, referee: RefereesStore, versions: tuple[VersionId, ...]
) -> None:
    one, other, third = versions
    first = block(1)
    await referee.record([finished((one, other), first)])
    async with open_referees_store(database) as second:
        await referee.lease.look()
        history = await pairing_history(referee)
        assert history.counts.meetings(BLUFF, one, other) == 1
        _, since = await referee.placed_elsewhere(None)

        # What it records itself it counts itself, as soon as it begins.
        await referee.record([finished((one, other), block(1))])
        since = await history.read_on(since)
        assert history.counts.meetings(BLUFF, one, other) == 1
        assert history.strengths.of(BLUFF, third).matches == 0

        # A block is one meeting, and each match of it tells of strengths.
        rotated = block(2)
        await second.record([finished((one, third), rotated), finished((third, one), rotated, 1)])
        since = await history.read_on(since)
        assert history.counts.meetings(BLUFF, one, third) == 1
        assert history.counts.matches(BLUFF, third) == 1
        assert history.strengths.of(BLUFF, third).matches == 2

        # Nothing twice, and no block that is not over.
        await second.record([finished((other, third), block(2))])
        assert await history.read_on(since) == since
        assert history.counts.matches(BLUFF, third) == 1


async def test_a_log_without_results_ends_at_0(referee: RefereesStore) -> None:
    assert await referee.placed_elsewhere(None) == ([], 0)


class NewerOptions(BluffOptions):
    """Of a release with one more option."""

    of_a_newer_release: bool = False


@pytest.mark.parametrize(
    "newer", [{"game": "newer"}, {"options": NewerOptions(of_a_newer_release=True)}]
)
async def test_matches_that_only_a_newer_release_knows_stop_nothing(
    database: str,
    referee: RefereesStore,
    versions: tuple[VersionId, ...],
    newer: dict[str, Any],
) -> None:
    one, other, third = versions
    async with open_referees_store(database) as second:
        await referee.lease.look()
        before = await pairing_history(referee)
        _, since = await referee.placed_elsewhere(None)
        match = finished((one, other), block(1))
        setup = replace(match.transcript.setup, **newer)
        strange = replace(match, transcript=replace(match.transcript, setup=setup))
        await second.record([strange, finished((one, third), block(1))])
        with capture_logs() as log:
            end = await before.read_on(since)
            counted = [before.counts, (await pairing_history(referee)).counts]
        for counts in counted:
            assert counts.meetings(BLUFF, one, third) == 1
            assert counts.meetings(BLUFF, one, other) == 0
        assert end == (await referee.placed_elsewhere(None))[1]
        assert [line["log_level"] for line in log] == ["warning"] * 2  # once by each history
