"""What came of checking bots' programs, in storage."""

import psycopg
import pytest
from psycopg.errors import CheckViolation

from arena.database.reading import open_reader
from arena.records import CheckOrigin, CheckOutcome, VersionId
from arena.server.app.store import Store
from arena.server.uploads.checks import last_checks

ALL_MET = CheckOutcome(1, 20)
SOME_FAILED = CheckOutcome(1, 13, ("drain", "another's fault"), ("tampering",))


async def test_a_later_check_of_the_author_replaces_the_earlier_one(
    store: Store, versions: tuple[VersionId, ...], database: str
) -> None:
    checked, other, _ = versions
    await store.checks.record(checked, CheckOrigin.AUTHOR, SOME_FAILED)
    await store.checks.record(other, CheckOrigin.AUTHOR, ALL_MET)
    with open_reader(database) as read:
        first = last_checks(read, [checked])[checked]
        assert first.outcome == SOME_FAILED
        await store.checks.record(checked, CheckOrigin.AUTHOR, ALL_MET)
        found = last_checks(read, versions)
    assert set(found) == {checked, other}
    assert (found[checked].outcome, found[checked].origin) == (ALL_MET, CheckOrigin.AUTHOR)
    assert found[checked].recorded_at > first.recorded_at


async def test_of_two_origins_the_newest_check_is_shown(
    store: Store, versions: tuple[VersionId, ...], database: str
) -> None:
    await store.checks.record(versions[0], CheckOrigin.AUTHOR, ALL_MET)
    await store.checks.record(versions[0], CheckOrigin.ARENA, SOME_FAILED)
    with open_reader(database) as read:
        assert last_checks(read, versions)[versions[0]].origin is CheckOrigin.ARENA
        await store.checks.record(versions[0], CheckOrigin.AUTHOR, ALL_MET)
        assert last_checks(read, versions)[versions[0]].origin is CheckOrigin.AUTHOR


def test_nothing_is_read_for_no_versions() -> None:
    assert last_checks(lambda _statement: pytest.fail("a statement was run"), []) == {}


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ("'nobody', 1, 1, '{}'", "origin_known"),
        ("'author', 0, 1, '{}'", "edition_least"),
        ("'author', 1, 0, '{}'", "something_tried"),
        ("'author', 1, -1, '{drain,entropy}'", "something_tried"),
    ],
)
def test_the_database_refuses_a_check_that_cannot_be(
    versions: tuple[VersionId, ...], sql: psycopg.Connection, values: str, constraint: str
) -> None:
    statement = (
        "INSERT INTO conformance_checks (version_id, origin, edition, met, failed, skipped) "
        f"VALUES ({versions[0]}, {values}, '{{}}')"
    )
    with pytest.raises(CheckViolation, match=f"conformance_checks_{constraint}"):
        sql.execute(statement.encode())
