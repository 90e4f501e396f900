"""An archive stays as it was when it was first read, whatever is recorded meanwhile."""

from dataclasses import replace

from arena.records import VersionId
from arena.server.app.store import Store
from arena.server.results.export import open_archive
from arena.server.results.statements import Selection
from tests.recorded_results import block, finished


async def test_results_recorded_during_an_export_are_not_part_of_it(
    store: Store, versions: tuple[VersionId, ...], database: str
) -> None:
    await store.record([finished(versions)])
    with open_archive(database) as archive:
        assert archive.count(Selection()) == 1
        await store.record([finished(versions)])
        assert len(list(archive.matches(Selection()))) == archive.count(Selection()) == 1
        assert len(list(archive.transcripts(Selection()))) == 1


async def test_rated_matches_are_those_of_complete_rated_blocks(
    store: Store, versions: tuple[VersionId, ...], database: str
) -> None:
    complete, begun, unrated = block(), block(2), replace(block(), rated=False)
    matches = [finished(versions, of) for of in (complete, begun, unrated)]
    await store.record(matches)
    with open_archive(database) as archive:
        assert archive.count(Selection()) == 3
        (row,) = archive.matches(Selection(rated=True))
        assert row.match_id == matches[0].transcript.setup.match_id


async def test_a_selection_is_counted_and_listed_alike(
    store: Store, versions: tuple[VersionId, ...], database: str
) -> None:
    wanted = finished(versions[:2], dice_per_player=2)
    others = [finished(versions[:2]), finished(versions, dice_per_player=2)]
    await store.record([wanted, *others])
    selection = Selection("bluff", {"dice_per_player": 2}, range(2, 3), rated=True)
    with open_archive(database) as archive:
        assert archive.count(selection) == 1
        assert [row.match_id for row in archive.matches(selection)] == [
            one.setup.match_id for one in archive.transcripts(selection)
        ]
        assert list(archive.transcripts(selection)) == [wanted.transcript]
