"""Matches found by filters and orders, on a real database."""

import asyncio
from datetime import timedelta

import psycopg
import pytest

from arena.database.reading import open_reader
from arena.records import FinishedMatch
from arena.scheduling.formats import FormatName
from arena.server.results import match_search
from arena.server.results.bluffing import bluffing_of
from arena.server.results.match_finding import Bluffs, find
from arena.server.results.match_search import MatchFilter
from arena.server.results.match_sort import Sort
from tests.dashboard.cups import hold
from tests.dashboard.played import NOON, anyhow, fill, silent
from tests.databases import plain


def ids(database: str, wanted: MatchFilter, sort: Sort = Sort.NEWEST) -> list[str]:
    with open_reader(database) as read:
        found = find(read, Bluffs(read), wanted, sort=sort, limit=100)
    return [row.match_id for row in found]


def has(match: FinishedMatch, *bots: str) -> bool:
    return set(bots) <= {one.bot for one in match.transcript.setup.entrants}


def id_of(match: FinishedMatch) -> str:
    return match.transcript.setup.match_id


def test_each_filter_finds_what_fits_and_nothing_else(database: str) -> None:
    small = asyncio.run(fill(database, blocks=8))
    large = asyncio.run(fill(database, blocks=3, seats=3))
    other = asyncio.run(
        fill(database, blocks=2, game="bluff_you", policies=[("beta", anyhow), ("gone", silent)])
    )
    every = sorted([*small, *large, *other], key=lambda one: (one.finished_at, id_of(one)))
    newest = list(reversed(every))
    assert ids(database, MatchFilter()) == [id_of(one) for one in newest]
    assert ids(database, MatchFilter(bot="ALPHA")) == [
        id_of(one) for one in newest if has(one, "alpha")
    ]
    assert ids(database, MatchFilter(bot="alpha", opponent="beta")) == [
        id_of(one) for one in newest if has(one, "alpha", "beta")
    ]
    assert set(ids(database, MatchFilter(seats=3))) == {id_of(one) for one in large}
    assert set(ids(database, MatchFilter(game="bluff_you"))) == {id_of(one) for one in other}
    assert set(ids(database, MatchFilter(faults=True))) == {id_of(one) for one in other}
    assert ids(database, MatchFilter(bot="beta", faults=True)) == []
    assert set(ids(database, MatchFilter(bot="gone", faults=True))) == {id_of(one) for one in other}
    then = NOON + timedelta(minutes=5)
    assert set(ids(database, MatchFilter(since=then))) == {
        id_of(one) for one in every if one.finished_at >= then
    }
    assert set(ids(database, MatchFilter(until=then))) == {
        id_of(one) for one in every if one.finished_at < then
    }
    (block,) = {one.block.id for one in small[:2]}
    assert set(ids(database, MatchFilter(block=block))) == {id_of(one) for one in small[:2]}


def test_matches_are_found_by_what_the_bot_made_of_them_and_by_their_rating(database: str) -> None:
    two = asyncio.run(fill(database, blocks=6))
    every = [*two, *asyncio.run(fill(database, blocks=2, seats=3, seed=2))]
    placed: dict[bool, set[str]] = {True: set(), False: set()}
    for match in every:
        for one, place in zip(
            match.transcript.setup.entrants, match.transcript.result.placing, strict=True
        ):
            if one.bot == "alpha":
                placed[place == 1].add(id_of(match))
    for won in (True, False):
        assert placed[won]
        assert set(ids(database, MatchFilter(bot="Alpha", won=won))) == placed[won]
    assert ids(database, MatchFilter(bot="alpha", won=True, faults=True)) == []
    unrated, voided = {every[0].block.id}, {every[-1].block.id}
    with psycopg.connect(plain(database)) as sql:
        sql.execute("UPDATE blocks SET rated = false WHERE id = %s", [*unrated])
        sql.execute(
            "UPDATE blocks SET voided_at = now(), closed_at = NULL WHERE id = %s", [*voided]
        )
    rated = {id_of(one) for one in every if one.block.id not in unrated | voided}
    assert set(ids(database, MatchFilter(rated=True))) == rated
    lost = ids(database, MatchFilter(bot="alpha", won=False, rated=True))
    assert set(lost) == placed[False] & rated


def test_the_matches_of_a_tournament_and_of_one_of_its_pairings_are_found(database: str) -> None:
    asyncio.run(fill(database, blocks=1))
    bots = ("ada", "bea", "cleo")
    asyncio.run(hold(database, "cup", FormatName.ROUND_ROBIN, bots, blocks=1))
    assert len(ids(database, MatchFilter(tournament="Cup"))) == 6
    assert len(ids(database, MatchFilter(tournament="cup", pairing=(1, 1)))) == 2
    assert ids(database, MatchFilter(tournament="cup", pairing=(9, 1))) == []
    assert ids(database, MatchFilter(tournament="nothing")) == []


@pytest.mark.slow
def test_the_closest_match_has_the_fewest_points_between_the_first_two(database: str) -> None:
    matches = asyncio.run(fill(database, blocks=8, seats=3, game="bluff_you"))

    def margin(match: FinishedMatch) -> int:
        result = match.transcript.result
        assert result.scores is not None
        order = sorted(range(3), key=lambda seat: (result.placing[seat], seat))
        return abs(result.scores[order[0]] - result.scores[order[1]])

    margins = {id_of(one): margin(one) for one in matches}
    found = [margins[one] for one in ids(database, MatchFilter(), Sort.CLOSEST)]
    assert found == sorted(margins.values())


def test_the_boldest_bluff_comes_first_and_matches_without_one_are_left_out(database: str) -> None:
    matches = asyncio.run(fill(database, blocks=8))
    boldest = {}
    for match in matches:
        claim = bluffing_of(match.transcript).boldest
        if claim is not None:
            boldest[id_of(match)] = claim.off
    found = [boldest[one] for one in ids(database, MatchFilter(), Sort.BOLDEST)]
    assert found == sorted(boldest.values(), reverse=True)
    assert found


def test_the_second_filter_looks_at_a_bounded_number_of_the_matches_of_the_first(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(fill(database, blocks=1, policies=[("beta", anyhow), ("gone", silent)]))
    asyncio.run(fill(database, blocks=9, seed=2))
    both = MatchFilter(bot="beta", opponent="gone")
    assert len(ids(database, both)) == 2
    # The newest matches of the second plan are all with another opponent.
    monkeypatch.setattr(match_search, "SEARCHED", 5)
    assert ids(database, both) == []
    # An index leads to these, however old they are.
    assert len(ids(database, MatchFilter(faults=True))) == 2
    assert len(ids(database, MatchFilter(bot="gone"))) == 2


def test_each_transcript_is_read_once(database: str) -> None:
    matches = asyncio.run(fill(database, blocks=2))
    with open_reader(database) as read:
        statements = 0

        def counting(statement: object) -> object:
            nonlocal statements
            statements += 1
            return read(statement)  # type: ignore[arg-type]

        bluffs = Bluffs(counting)  # type: ignore[arg-type]
        wanted = [id_of(one) for one in matches]
        assert list(bluffs.of(wanted)) == wanted
        assert bluffs.of(wanted[:2])[wanted[0]] == bluffing_of(matches[0].transcript)
    assert statements == 1
