"""Old versions leave the ranking by the operator's rule; ratings do not notice."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from arena.database.reading import Reader, open_reader
from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.app.store import Store
from arena.server.boards.live_board import Leaderboard, LiveBoard
from tests.recorded_results import finished

LADDER = LadderId.of("bluff", {}, (2,))


@pytest.fixture
def read(database: str) -> Iterator[Reader]:
    with open_reader(database) as reader:
        yield reader


async def played(store: Store) -> dict[str, VersionId]:
    """Versions by name: of fox three, of owl one, which played last 40, 20, 0 and 40 days ago."""
    house = (await store.register("honest", "arena", house=True))[0].version_id
    found = {}
    for name, days in (("fox 1", 40), ("fox 2", 20), ("fox 3", 0), ("owl 1", 40)):
        bot, label = name.split()
        version = (await store.register(bot, f"owner of {bot}", label))[0].version_id
        found[name] = version
        ended = datetime.now(UTC) - timedelta(days)
        await store.record(
            [
                replace(finished(seats), started_at=ended, finished_at=ended)
                for seats in ([version, house], [house, version], [version, house])
            ]
        )
    return found


def names(board: Leaderboard) -> tuple[set[str], set[str]]:
    """The ranked versions, but that of the house, and the old ones."""
    ranked = {f"{line.bot} {line.version}" for line in board.ranked if not line.house}
    return ranked, {f"{line.bot} {line.version}" for line in board.old}


@pytest.mark.parametrize(
    ("rule", "old"),
    [
        ({}, set()),
        ({"ranked_versions": 2}, {"fox 1"}),
        ({"ranked_versions": 1}, {"fox 1", "fox 2"}),
        ({"ranked_days": 30}, {"fox 1", "owl 1"}),
        ({"ranked_versions": 1, "ranked_days": 30}, {"fox 1", "fox 2", "owl 1"}),
    ],
)
async def test_a_rule_takes_versions_out_of_the_ranking_and_leaves_all_ratings_as_they_are(
    store: Store, read: Reader, rule: Mapping[str, int], old: set[str]
) -> None:
    versions = await played(store)
    before = LiveBoard(LADDER, read).now()
    assert names(before) == (set(versions), set())
    await store.policies.change(rule or {"ranked_days": None}, "operator")
    after = LiveBoard(LADDER, read).now()
    assert names(after) == (set(versions) - old, old)
    assert [(one.version_id, one.elo, one.interval) for one in after.lines] == [
        (one.version_id, one.elo, one.interval) for one in before.lines
    ]
    assert [line.rank for line in after.ranked] == list(range(1, len(after.ranked) + 1))
    assert any(line.house for line in after.ranked), "the house stays"


async def test_a_rule_that_changes_holds_at_once_for_boards_that_are_open(
    store: Store, read: Reader
) -> None:
    versions = await played(store)
    now = 0.0
    board = LiveBoard(LADDER, read, lambda: now)
    assert names(board.now()) == (set(versions), set())
    for rule, old in (
        ({"ranked_versions": 1}, {"fox 1", "fox 2"}),
        ({"ranked_versions": None}, set()),
    ):
        await store.policies.change(rule, "operator")
        now += 1_000
        assert names(board.now())[1] == old
    (newest, *_) = await store.owners.audit()
    assert (newest.action, newest.details) == ("set policy", {"ranked_versions": "none"})


async def test_a_version_that_becomes_idle_leaves_the_ranking_of_an_open_board(
    store: Store, read: Reader, sql: psycopg.Connection
) -> None:
    versions = await played(store)
    await store.policies.change({"ranked_days": 30}, "operator")
    now = 0.0
    board = LiveBoard(LADDER, read, lambda: now)
    assert names(board.now())[1] == {"fox 1", "owl 1"}
    before = board.latest
    now += 1_000
    assert board.now() is before
    # As if 15 days went by without a match; results are never changed, so only by force.
    sql.execute(
        "ALTER TABLE match_seats DISABLE TRIGGER USER, DROP CONSTRAINT match_seats_match_id_fk"
    )
    sql.execute("UPDATE match_seats SET finished_at = finished_at - interval '15 days'")
    now += 1_000
    assert names(board.now()) == ({"fox 3"}, {"fox 1", "fox 2", "owl 1"})
    assert [line.rank for line in board.latest.ranked] == [1, 2]
    assert len(board.latest.lines) == len(versions) + 1


async def test_a_version_stays_ranked_until_a_newer_one_has_results(
    store: Store, read: Reader
) -> None:
    await played(store)
    await store.policies.change({"ranked_versions": 1}, "operator")
    await store.register("fox", "owner of fox", "4")
    assert "fox 3" in names(LiveBoard(LADDER, read).now())[0]
