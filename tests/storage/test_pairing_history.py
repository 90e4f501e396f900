"""The ladder of each referee pairs by what all of them have recorded."""

from arena.games import make_game
from arena.pairing_history import pairing_history
from arena.records import VersionId
from arena.scheduling.ladder import TableType
from arena.storage.referees_store import RefereesStore, open_referees_store
from tests.storage.results import block, finished

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
