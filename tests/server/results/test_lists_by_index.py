"""Lists of matches read what they show and little more, on a database of tens of thousands: no plan
of Postgres goes through all matches, whatever the filters."""

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest

from arena.rating.ladder_id import LadderId
from arena.server.boards.ladder_log import read_log
from arena.server.ladder.pairing_statements import NEWEST_COUNTED, newest_placings
from arena.server.results.faults import faults_of
from arena.server.results.match_finding import Bluffs, find
from arena.server.results.match_search import COMPARED, SEARCHED, MatchFilter
from arena.server.results.match_sort import Sort
from tests.database.explained import Explained, Plans
from tests.databases import TEMPLATE, Copies, administrator, plain

pytestmark = pytest.mark.slow

MATCHES = 50_000
"""The oldest are those that are rare: another game, a large table, a tournament, a fault."""
PAGE = 25
FEW = 20 * PAGE
"""Rows of matches and seats together that a page may read by an index that leads to it alone."""

READ = ("matches", "match_seats")

_FILL = """
SET session_replication_role = replica;
INSERT INTO owners (name, folded, skeleton) VALUES ('me', 'me', 'me');
INSERT INTO bots (owner_id, name, folded, skeleton, house)
    SELECT 1, 'bot' || n, 'bot' || n, 'bot' || n, false FROM generate_series(1, 50) n;
-- The first bot has two more versions.
INSERT INTO versions (bot_id, label) SELECT n, '1' FROM generate_series(1, 50) n;
INSERT INTO versions (bot_id, label) VALUES (1, '2'), (1, '3');
CREATE TEMPORARY TABLE played AS
    SELECT n, gen_random_uuid() AS match, gen_random_uuid() AS block, n <= 100 AS rare,
        timestamptz '2026-01-01' + n * interval '1 second' AS at,
        CASE WHEN mod(n, 50) = 0 THEN 51 + mod(n / 50, 2) ELSE 1 + mod(n, 50) END AS one,
        1 + mod(n + 1 + mod(n / 50, 49), 50) AS other
    FROM generate_series(1, %(matches)s) n;
INSERT INTO blocks (id, kind, size, closed_at) SELECT block, 'seat', 1, at FROM played;
INSERT INTO matches (id, game, options, seat_count, block_id, position, termination,
        decided_by_faults, started_at, finished_at, turn_ms, bank_ms)
    SELECT match, CASE WHEN rare THEN 'bloeff' ELSE 'bluff' END, '{}',
        CASE WHEN rare THEN 3 ELSE 2 END, block, 0, 'finished', false, at, at, 2000, 30000
    FROM played;
INSERT INTO match_seats (match_id, seat, version_id, "placing", score, faults, forfeited,
        finished_at)
    SELECT match, seat, CASE seat WHEN 0 THEN one ELSE other END, 1 + seat, 5 * (1 - seat),
        CASE WHEN rare THEN 1 ELSE 0 END, false, at
    FROM played, generate_series(0, 1) seat;
INSERT INTO rating_events (match_id) SELECT match FROM played ORDER BY n;
INSERT INTO tournaments (name, format, game, options, seat_count, blocks, score, seed, rated,
        turn_ms, bank_ms)
    VALUES ('cup', 'round-robin', 'bloeff', '{}', 3, 1, 'placement', 'x', false, 2000, 30000);
INSERT INTO tournament_blocks (block_id, tournament_id, round, "table")
    SELECT block, 1, 1 + mod(n, 4), 1 FROM played WHERE rare;
"""


@pytest.fixture(scope="module")
def filled(copies: Copies) -> Iterator[str]:
    with copies.of(TEMPLATE) as url:
        with psycopg.connect(plain(administrator(url)), autocommit=True) as connection:
            for statement in _FILL.split(";\n"):
                values = {"matches": MATCHES} if "%(" in statement else None
                connection.execute(statement.encode(), values)
            connection.execute("VACUUM ANALYZE")
        yield url


@pytest.fixture
def explained(filled: str) -> Iterator[Explained]:
    read = Explained(filled)
    yield read
    read.close()


JANUARY = datetime(2026, 1, 1, 6, tzinfo=UTC)

LED = [
    MatchFilter(),
    MatchFilter(since=JANUARY),
    MatchFilter(until=JANUARY),
    MatchFilter(bot="bot1"),
    MatchFilter(bot="bot7"),
    MatchFilter(bot="bot7", until=JANUARY),
    MatchFilter(bot="bot7", game="bluff", seats=2),
    MatchFilter(bot="nobody"),
    MatchFilter(game="bluff"),
    MatchFilter(game="bloeff"),
    MatchFilter(game="bluff_you"),
    MatchFilter(seats=2),
    MatchFilter(seats=3),
    MatchFilter(game="bluff", seats=2),
    MatchFilter(faults=True),
    MatchFilter(bot="bot7", faults=True),
    MatchFilter(bot="bot7", version="1", faults=True),
    MatchFilter(faults=True, game="bluff"),
    MatchFilter(tournament="cup"),
    MatchFilter(tournament="cup", pairing=(2, 1)),
    MatchFilter(tournament="cup", bot="bot7", faults=True),
    MatchFilter(tournament="nothing"),
]

SOUGHT = [
    MatchFilter(bot="bot7", opponent="bot9"),
    MatchFilter(bot="bot7", opponent="nobody"),
    MatchFilter(bot="bot7", game="bluff_you"),
    MatchFilter(bot="bot7", seats=3),
    MatchFilter(opponent="nobody"),
    MatchFilter(game="bluff", seats=3),
    MatchFilter(game="bluff", opponent="nobody"),
    MatchFilter(bot="bot7", won=False, rated=True),
    MatchFilter(bot="bot7", faults=True, won=True),
    MatchFilter(rated=True, seats=3),
]


@pytest.mark.parametrize("wanted", LED, ids=str)
def test_an_index_leads_to_the_matches_of_a_page(explained: Explained, wanted: MatchFilter) -> None:
    found = find(explained, Bluffs(explained), wanted, limit=PAGE)
    assert explained.plans.gone_through(*READ) == set()
    assert explained.plans.read(*READ) <= FEW
    if found and len(found) == PAGE:
        explained.plans = Plans()
        older = find(explained, Bluffs(explained), wanted, before=found[-1].match_id, limit=PAGE)
        assert explained.plans.gone_through(*READ) == set()
        assert explained.plans.read(*READ) <= FEW
        assert not {one.match_id for one in older} & {one.match_id for one in found}


@pytest.mark.parametrize("wanted", SOUGHT, ids=str)
def test_two_filters_search_a_bounded_number_of_the_matches_of_one(
    explained: Explained, wanted: MatchFilter
) -> None:
    find(explained, Bluffs(explained), wanted, limit=PAGE)
    assert explained.plans.gone_through(*READ) == set()
    # Of each match the row that the index leads to, itself, and its seats.
    assert explained.plans.read(*READ) <= 4 * SEARCHED + FEW


@pytest.mark.parametrize("wanted", [LED[0], LED[3], SOUGHT[0]], ids=str)
@pytest.mark.parametrize("sort", [Sort.CLOSEST, Sort.BOLDEST])
def test_the_closest_and_the_boldest_are_chosen_among_few(
    explained: Explained, wanted: MatchFilter, sort: Sort
) -> None:
    find(explained, Bluffs(explained), wanted, sort=sort, limit=PAGE)
    assert explained.plans.gone_through(*READ) == set()
    assert explained.plans.read(*READ) <= 10 * COMPARED + FEW


def test_a_start_looks_at_the_newest_matches_alone(explained: Explained) -> None:
    found = explained(newest_placings())
    assert sum(len(ladder.placings) for ladder in found) == NEWEST_COUNTED
    assert explained.plans.gone_through(*READ) == set()
    assert explained.plans.read(*READ) == 3 * NEWEST_COUNTED


def test_a_board_looks_at_its_latest_matches_alone(explained: Explained) -> None:
    ladder = LadderId.of("bluff", {}, [2])
    latest = MATCHES // 100
    log = read_log(explained, ladder, MATCHES - latest, MATCHES, lucky=False)
    assert len(log) == latest
    assert explained.plans.gone_through(*READ) == set()
    assert explained.plans.read(*READ) == 3 * latest


def test_the_faults_of_a_bot_are_found_by_an_index(explained: Explained) -> None:
    faults_of(explained, "bot7", 10)
    assert explained.plans.gone_through(*READ) == set()
    assert explained.plans.read(*READ) <= FEW
