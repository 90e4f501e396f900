"""What runs often, at a start or at a takeover reads what is new or asked for, however many
matches, bots and tournaments there are."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import psycopg
import pytest

from arena.database.tables.matches import blocks
from arena.rating.ladder_id import LadderId
from arena.records import OwnBots, VersionId
from arena.server.accounts import bot_statements, owner_statements
from arena.server.boards import ladder_statements
from arena.server.boards.ladder_log import block_goes_on, read_log, registered
from arena.server.events import event_statements
from arena.server.failover import unfinished
from arena.server.ladder import pairing_statements
from arena.server.results import analyses
from arena.server.tournaments import tournament_statements
from arena.server.uploads import shift_statements
from tests.database.explained import Explained, Plans
from tests.databases import TEMPLATE, Copies, administrator, plain

pytestmark = pytest.mark.slow

MATCHES, BOTS, CUPS = 30_000, 20_000, 300
RICH = 2_000
"""The owner of 2,000 bots more."""
NEW = 40
"""Of the matches, those that count last."""
UNFINISHED = 30
ENTRIES = 20_000
"""In five events, of two thousand bots, each of which entered each event twice."""

_FILL = f"""
SET session_replication_role = replica;
INSERT INTO owners (name, folded, skeleton)
    SELECT 'owner' || n, 'owner' || n, 'owner' || n FROM generate_series(1, 2000) n;
INSERT INTO bots (owner_id, name, folded, skeleton, house)
    SELECT 1 + n / 10, 'bot' || n, 'bot' || n, 'bot' || n, false
    FROM generate_series(0, {BOTS} - 1) n;
INSERT INTO versions (bot_id, label) SELECT n, '1' FROM generate_series(1, {BOTS}) n;
INSERT INTO bots (owner_id, name, folded, skeleton, house)
    SELECT {RICH}, 'own' || n, 'own' || n, 'own' || n, false FROM generate_series(1, 2000) n;
INSERT INTO versions (bot_id, label) SELECT {BOTS} + n, '1' FROM generate_series(1, 2000) n;
INSERT INTO tokens (version_id, sha256)
    SELECT n, sha256(n::text::bytea) FROM generate_series(1, {BOTS}) n;
CREATE TEMPORARY TABLE played AS
    SELECT n, gen_random_uuid() AS match, timestamptz '2026-01-01' + n * interval '1 second' AS at,
        n <= 50 AS quiet FROM generate_series(1, {MATCHES}) n;
CREATE TEMPORARY TABLE begun AS
    SELECT m, gen_random_uuid() AS block FROM generate_series(1, {MATCHES} / 2) m;
INSERT INTO blocks (id, kind, size, created_at, closed_at, epoch)
    SELECT block, 'seat', 2, '2026-01-01', '2026-01-01', 1 FROM begun;
INSERT INTO matches (id, game, options, seat_count, block_id, position, termination,
        decided_by_faults, started_at, finished_at, turn_ms, bank_ms)
    SELECT match, CASE WHEN quiet THEN 'bloeff' ELSE 'bluff' END, '{{}}', 2, block, mod(n, 2),
        'finished', false, at, at, 2000, 30000
    FROM played JOIN begun ON m = (n + 1) / 2;
INSERT INTO match_seats (match_id, seat, version_id, "placing", score, faults, forfeited,
        finished_at)
    SELECT match, seat, 1 + mod(n * 7 + seat, {BOTS}), 1 + seat, 0, 0, false, at
    FROM played, generate_series(0, 1) seat;
INSERT INTO rating_events (match_id) SELECT match FROM played ORDER BY n;
INSERT INTO tournaments (name, format, game, options, seat_count, blocks, score, seed, rated,
        turn_ms, bank_ms, state, started_at, ended_at)
    SELECT 'cup' || n, 'round-robin', 'bluff', '{{}}', 2, 1, 'placement', 'x', true, 2000, 30000,
        CASE WHEN n < {CUPS} THEN 'finished' ELSE 'running' END, '2026-01-01',
        CASE WHEN n < {CUPS} THEN timestamptz '2026-01-02' END
    FROM generate_series(1, {CUPS}) n;
INSERT INTO tournament_blocks (block_id, tournament_id, round, "table")
    SELECT block, 1 + mod(m, {CUPS}), 1, 1 FROM begun WHERE m <= {CUPS} * 40;
CREATE TEMPORARY TABLE unfinished AS
    SELECT n, gen_random_uuid() AS block FROM generate_series(1, {UNFINISHED}) n;
INSERT INTO blocks (id, kind, size, epoch) SELECT block, 'seat', 2, 1 FROM unfinished;
INSERT INTO tournament_blocks (block_id, tournament_id, round, "table")
    SELECT block, 1, 1, 1 FROM unfinished WHERE n <= 10;
INSERT INTO workers (name, sha256) VALUES ('one', sha256('one'));
INSERT INTO shifts (version_id, worker_id, "check", began_at, expires_at, ended_at)
    SELECT 1 + n / 10, 1, false, timestamptz '2026-01-01' + mod(n, 10) * interval '1 minute',
        '2026-02-01', timestamptz '2026-01-01' + mod(n, 10) * interval '1 minute'
    FROM generate_series(0, {BOTS} - 1) n;
INSERT INTO version_losses (version_id, game, options, seat_count, turn_ms, bank_ms, edition,
        matches, decisions, loss, decisions_squares, loss_squares, products)
    SELECT n, CASE WHEN n <= 20 THEN 'bloeff' ELSE 'bluff' END, '{{}}', 2, 2000, 30000, '1', 1, 1,
        0, 1, 0, 0
    FROM generate_series(1, {BOTS}) n;
INSERT INTO audit (at, actor, action, subject, details)
    SELECT timestamptz '2026-01-01' + n * interval '1 second', 'owner', 'enter event',
        'cup' || mod(n, 5), jsonb_build_object('bot', 'bot' || n / 10)
    FROM generate_series(1, {ENTRIES}) n;
"""

BLUFF = LadderId.of("bluff", {}, (2,))
BLOEFF = LadderId.of("bloeff", {}, (2,))


@pytest.fixture(scope="module")
def filled(copies: Copies) -> Iterator[str]:
    with copies.of(TEMPLATE) as url:
        with psycopg.connect(plain(administrator(url)), autocommit=True) as connection:
            for statement in _FILL.split(";\n"):
                connection.execute(statement.encode())
            connection.execute("VACUUM ANALYZE")
        yield url


@pytest.fixture
def explained(filled: str) -> Iterator[Explained]:
    read = Explained(filled)
    yield read
    read.close()


GROWING = (
    *("matches", "match_seats", "rating_events", "blocks", "tournament_blocks"),
    *("bots", "versions", "owners", "tokens", "shifts", "version_losses"),
)


def require_few(plans: Plans, most: int) -> None:
    """Nothing that grows was gone through, and few rows were read of all of it together."""
    assert plans.gone_through(*GROWING) == set()
    assert 0 < plans.read(*GROWING) <= most, plans.rows


def test_what_other_referees_recorded_is_read_on(explained: Explained) -> None:
    found = explained(pairing_statements.placed_elsewhere(2, MATCHES - NEW, MATCHES))
    assert len(found) == NEW
    require_few(explained.plans, 8 * NEW)


@pytest.mark.parametrize(("ladder", "new"), [(BLUFF, NEW), (BLOEFF, 0)], ids=["busy", "quiet"])
def test_a_board_reads_on_from_its_checkpoint(
    explained: Explained, ladder: LadderId, new: int
) -> None:
    assert len(read_log(explained, ladder, MATCHES - NEW)) == new
    require_few(explained.plans, 8 * NEW)


def test_whether_a_block_goes_on_is_asked_of_the_new_matches(explained: Explained) -> None:
    assert not block_goes_on(explained, MATCHES - NEW)
    assert block_goes_on(explained, MATCHES - NEW - 1)
    require_few(explained.plans, 16 * NEW)


def test_the_ladders_with_new_results_are_found_among_these(explained: Explained) -> None:
    found = explained(ladder_statements.ladders_with_results(MATCHES - NEW, MATCHES))
    assert [row.game for row in found] == ["bluff"]
    require_few(explained.plans, 4 * NEW)


def test_a_takeover_ends_the_blocks_that_are_not_over_and_looks_at_no_others(
    explained: Explained,
) -> None:
    assert len(explained.undone(unfinished.cut_off_blocks())) == UNFINISHED - 10
    require_few(explained.plans, 4 * UNFINISHED)
    explained.plans = Plans()
    explained.undone(unfinished.void_blocks_of_ended_tournaments().returning(blocks.c.id))
    require_few(explained.plans, 4 * UNFINISHED)


@pytest.mark.parametrize("after", [None, 5, 9_000])
def test_a_page_of_all_versions_is_led_to_by_the_last_of_the_one_before(
    explained: Explained, after: int | None
) -> None:
    assert len(explained(bot_statements.bot_list(after=after, limit=50))) == 50
    require_few(explained.plans, 8 * 50)


def test_bots_are_looked_up_by_their_names(explained: Explained) -> None:
    assert len(explained(bot_statements.bot_list(named=["bot7", "BOT8", "nobody"]))) == 2
    require_few(explained.plans, 10)


def test_who_plays_in_blocks_is_looked_up(explained: Explained) -> None:
    assert len(registered(explained, [VersionId(one) for one in range(1, 11)])) == 10
    require_few(explained.plans, 4 * 10)


def test_the_tokens_of_the_newest_versions_alone_are_read(explained: Explained) -> None:
    assert len(explained.undone(bot_statements.token_hashes(100))) == 100
    require_few(explained.plans, 100)


def test_the_shifts_of_a_version_lead_to_their_own_matches(explained: Explained) -> None:
    assert len(explained.undone(shift_statements.shifts_of(VersionId(7)))) == 10
    require_few(explained.plans, 200)


def test_the_blocks_of_one_tournament_are_counted_alone(explained: Explained) -> None:
    found = explained(tournament_statements.block_counts([3]))
    assert [row.blocks for row in found] == [40]
    require_few(explained.plans, 2 * 40)


def test_losses_are_read_of_the_versions_of_a_ladder(explained: Explained) -> None:
    found = explained(analyses.losses("1", LadderId.of("bloeff", {}, [2])))
    assert len(found) == 20
    require_few(explained.plans, 20)


def test_whether_a_bot_was_in_an_event_before_is_looked_up_in_the_audit(
    explained: Explained,
) -> None:
    for bot, moment, found in (
        ("bot100", datetime(2027, 1, 1, tzinfo=UTC), 1),
        ("bot100", datetime(2026, 1, 1, 0, 16, 42, tzinfo=UTC), 0),
        ("nobody", datetime(2027, 1, 1, tzinfo=UTC), 0),
    ):
        entered = event_statements.entered_before("cup3", bot, moment)
        assert len(explained.undone(entered)) == found
    assert explained.plans.gone_through("audit") == set()
    assert explained.plans.read("audit") == 1


@pytest.mark.parametrize("place", [{}, {"before": 100}, {"after": 100}], ids=str)
def test_a_page_of_tournaments_is_led_to_by_a_number(
    explained: Explained, place: dict[str, int]
) -> None:
    assert len(explained(tournament_statements.newest_tournaments(20, **place))) == 20
    assert explained.plans.gone_through("tournaments") == set()
    assert explained.plans.read("tournaments") <= 3 * 20, explained.plans.rows


@pytest.mark.parametrize("place", [{}, {"after": "bot3"}, {"before": "bot3"}], ids=str)
def test_a_page_of_all_bots_is_led_to_by_a_name(
    explained: Explained, place: dict[str, str]
) -> None:
    assert len(explained(bot_statements.bot_page(**place, limit=50))) == 50
    require_few(explained.plans, 6 * 50)
    assert explained.plans.read("versions") <= 2 * 50


@pytest.mark.parametrize(
    ("search", "place", "found"),
    [
        ("bot", {}, 50),
        ("bot", {"after": "bot3"}, 50),
        ("bot", {"before": "bot3"}, 50),
        ("bot1999", {}, 11),
        ("owner7", {}, 10),
        ("nobody", {}, 0),
    ],
    ids=str,
)
def test_a_search_for_bots_reads_those_that_it_finds(
    explained: Explained, search: str, place: dict[str, str], found: int
) -> None:
    assert len(explained(bot_statements.bot_page(search=search, **place, limit=50))) == found
    listed = explained(bot_statements.found_versions(search, 50))
    assert len(listed) == found
    assert explained.plans.gone_through(*GROWING) == set()
    assert explained.plans.read(*GROWING) <= 16 * 50, explained.plans.rows


def test_a_search_for_owners_reads_those_that_it_finds(explained: Explained) -> None:
    assert len(explained.undone(owner_statements.owner_list(search="owner19", limit=50))) == 50
    require_few(explained.plans, 16 * 50)


@pytest.mark.parametrize("wanted", [OwnBots(limit=50), OwnBots(prefix="own1", limit=50)], ids=str)
def test_a_page_of_an_owners_bots_is_led_to_by_the_last_of_the_one_before(
    explained: Explained, wanted: OwnBots
) -> None:
    first = explained.undone(owner_statements.owned_versions(RICH, wanted))
    assert len(first) == 50
    require_few(explained.plans, 6 * 50)
    explained.plans = Plans()
    following = replace(wanted, after=VersionId(first[-1].id))
    second = explained.undone(owner_statements.owned_versions(RICH, following))
    assert len(second) == 50 and not {row.id for row in first} & {row.id for row in second}
    require_few(explained.plans, 6 * 50)
