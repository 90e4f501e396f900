"""Analyses in storage: kept once, added up once, and replaced by those of another edition."""

import psycopg
import pytest

from arena.database.reading import Reader
from arena.lab.analysis import LossSums
from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.app.store import Store
from arena.server.results.analyses import (
    AnalysisQuery,
    FoundAnalysis,
    kept_analyses,
    losses,
    unpacked,
)
from arena.server.results.kept_analyses import by_version
from tests.recorded_results import finished, match_id

Versions = tuple[VersionId, ...]
ALL = AnalysisQuery("a", ("bluff",))


def summed(read: Reader, edition: str, *seats: int, **options: object) -> dict[int, LossSums]:
    rows = read(losses(edition, LadderId.of("bluff", options, seats or (2,))))
    return {row.version_id: LossSums(*row[1:]) for row in rows}


async def test_sums_by_version_are_those_of_its_matches(
    read: Reader, store: Store, versions: Versions
) -> None:
    one, two, three = versions
    played = [(one, two), (two, one), (one, three), (three, three)]
    matches = [finished(pair, minute=at) for at, pair in enumerate(played)]
    await store.record(matches)
    lost = [
        ((3, 0.5), (2, 0.25)),
        ((4, 0.125), (0, 0.0)),
        ((1, 0.0), (5, 1.5)),
        ((2, 0.5), (3, 0.25)),
    ]
    found = [
        FoundAnalysis(match_id(match), f"[{at}]", seats)
        for at, (match, seats) in enumerate(zip(matches, lost, strict=True))
    ]
    assert await store.analyses.missing(ALL) == 4
    await store.analyses.keep("a", found[:3])
    await store.analyses.keep("a", found)  # the first three again
    assert await store.analyses.missing(ALL) == 0
    # A match in which it has both seats is one match.
    assert summed(read, "a") == {
        one: LossSums.of([(3, 0.5), (1, 0.0)]),
        two: LossSums.of([(2, 0.25), (4, 0.125)]),
        three: LossSums.of([(5, 1.5), (5, 0.75)]),
    }
    by_decision = by_version(read(losses("a", LadderId.of("bluff", {}, (2,)))))
    assert by_decision == {version: sums.by_decision for version, sums in summed(read, "a").items()}
    assert summed(read, "a", 3) == summed(read, "a", 2, dice_per_player=1) == {}
    kept = {
        row.match_id: unpacked(row.data) for row in read(kept_analyses("a", [match_id(matches[1])]))
    }
    assert kept == {match_id(matches[1]): b"[1]"}


async def test_an_analysis_of_another_edition_counts_as_none_and_is_replaced(
    read: Reader, store: Store, versions: Versions
) -> None:
    match = finished(versions[:2])
    await store.record([match])
    await store.analyses.keep("a", [FoundAnalysis(match_id(match), "[]", ((1, 0.5), (1, 0.0)))])
    new = AnalysisQuery("b", ("bluff",))
    assert await store.analyses.missing(new) == 1
    assert read(kept_analyses("b", [match_id(match)])) == []
    await store.analyses.forget_others("b")
    assert summed(read, "a") == {}
    await store.analyses.keep("b", [FoundAnalysis(match_id(match), "[1]", ((2, 0.25), (1, 0.0)))])
    assert summed(read, "b")[versions[0]] == LossSums.of([(2, 0.25)])
    assert await store.analyses.missing(new) == 0 and await store.analyses.missing(ALL) == 1


async def test_what_is_missing_comes_newest_first_in_parts(
    store: Store, versions: Versions
) -> None:
    matches = [finished(versions[:2], minute=at) for at in range(5)]
    three = finished(versions, minute=9)
    await store.record([*matches, three])
    wanted = AnalysisQuery("a", ("bluff",), seats=2, since=matches[1].finished_at)
    assert await store.analyses.missing(wanted) == 4
    first = await store.analyses.next_missing(wanted, None, 3)
    rest = await store.analyses.next_missing(wanted, first[-1], 3)
    assert [one.match_id for one in (*first, *rest)] == [match_id(m) for m in matches[:0:-1]]
    assert await store.analyses.missing(AnalysisQuery("a", ("bloeff",))) == 0
    assert len(await store.analyses.next_missing(ALL, None, 9)) == 6


@pytest.mark.parametrize("column", ["matches", "decisions", "loss"])
async def test_the_database_refuses_impossible_sums(
    store: Store, versions: Versions, sql: psycopg.Connection, column: str
) -> None:
    match = finished(versions[:2])
    await store.record([match])
    await store.analyses.keep("a", [FoundAnalysis(match_id(match), "[]", ((1, 0.5), (1, 0.0)))])
    with pytest.raises(psycopg.errors.CheckViolation):
        sql.execute(f"UPDATE version_losses SET {column} = -1")
