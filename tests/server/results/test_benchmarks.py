"""The matches by which a version is measured against the house bots."""

from arena.database.reading import Reader
from arena.records import VersionId
from arena.server.app.store import Store
from arena.server.results.benchmarks import against_house
from tests.recorded_results import finished, match_id


async def test_a_version_is_measured_by_its_matches_against_the_named_bots_of_the_house(
    read: Reader, store: Store, versions: tuple[VersionId, ...]
) -> None:
    mine, other, _ = versions
    cfr, honest = [
        (await store.register(name, "house", house=True))[0].version_id
        for name in ("cfr", "honest")
    ]
    pairs = [(mine, cfr), (cfr, mine), (mine, honest), (mine, other), (other, cfr)]
    played = [finished(pair) for pair in pairs]
    await store.record(played)
    found = against_house(read, mine, "bluff", ["cfr"])
    assert sorted(one.setup.match_id for one in found) == sorted(map(match_id, played[:2]))
    assert list(against_house(read, mine, "bloeff", ["cfr"])) == []
