"""What the pages show while the database does not answer."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import literal, select

from arena.database.errors import DatabaseUnreachableError
from arena.database.statement import Row
from arena_dashboard.reading.remembering import (
    MOST_BYTES,
    MOST_ROWS,
    RETRY_SECONDS,
    RememberingReader,
)
from tests.dashboard.conftest import Filler
from tests.dashboard.pages import html, ladder_bots, open_page, texts
from tests.databases import unreachable

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ONE, TWO = select(literal(1)), select(literal(2))


class Database:
    """A database that can be away, with the time turned by hand."""

    def __init__(self) -> None:
        self.away = False
        self.asked = 0
        self.seconds = 0.0
        self.rows: list[Any] = [7]

    def __call__(self, statement: Row) -> Sequence[Any]:
        self.asked += 1
        if self.away:
            raise DatabaseUnreachableError("gone")
        return list(self.rows)

    def reader(self) -> RememberingReader:
        return RememberingReader(
            self, lambda: NOON + timedelta(seconds=self.seconds), lambda: self.seconds
        )


def test_a_reader_remembers_each_statement_with_its_values() -> None:
    database = Database()
    read = database.reader()
    assert list(read(ONE)) == [7] and read.as_of is None
    database.rows = [8]
    assert list(read(TWO)) == [8]
    database.away, database.seconds = True, 60.0
    assert list(read(ONE)) == [7] and list(read(TWO)) == [8]
    assert read.as_of == NOON
    with pytest.raises(DatabaseUnreachableError):
        read(select(literal(3)))


def test_a_database_that_is_away_is_asked_again_after_a_pause() -> None:
    database = Database()
    read = database.reader()
    read(ONE)
    database.away = True
    read(ONE)
    read(ONE)
    assert database.asked == 2
    database.away, database.rows = False, [9]
    assert list(read(ONE)) == [7]
    database.seconds += RETRY_SECONDS
    assert list(read(ONE)) == [9] and read.as_of is None


@pytest.mark.parametrize(
    "rows",
    [[0] * (MOST_ROWS + 1), [(1, bytes(MOST_BYTES + 1))], [(1, memoryview(bytes(MOST_BYTES + 1)))]],
    ids=["many rows", "bytes", "bytes as a checkpoint has them"],
)
def test_large_results_are_not_remembered(rows: list[Any]) -> None:
    database = Database()
    read = database.reader()
    database.rows = rows
    read(ONE)
    database.away = True
    with pytest.raises(DatabaseUnreachableError):
        read(ONE)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["leaderboard", "matches", "bot", "head_to_head"])
def test_a_page_keeps_its_last_data_and_says_of_when_it_is(
    filled: Filler, arena: str, page: str
) -> None:
    filled(blocks=6)
    before = open_page(page)
    with unreachable(arena):
        open_page("submit" if page == "matches" else "matches")  # a board may still be at rest
        app = open_page(page)
        assert not app.exception
        assert not app.warning
        assert "The database does not answer. This page shows its data as of" in html(app)
        assert "<time" in html(app)
        if page == "leaderboard":
            assert ladder_bots(app) == ladder_bots(before)
        else:
            assert html(before) in html(app)


def test_a_page_that_was_never_read_says_so_without_a_path_of_the_machine(
    filled: Filler, arena: str
) -> None:
    filled(blocks=1)
    with unreachable(arena):
        app = open_page("matches")
    assert not app.exception
    assert texts(app).endswith("The database does not answer: check that it is running.")
    assert "socket" not in texts(app) and "/tmp" not in texts(app)
