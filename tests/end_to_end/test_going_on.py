"""What ran when a program of the arena ended goes on when it is started again."""

from pathlib import Path

import psycopg
import pytest

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from tests.databases import plain
from tests.end_to_end.programs import program
from tests.free_port import free_port
from tests.waiting import until

UP = ("up", "--no-dashboard", "--table", "bluff:2", "--pace", "max")


def ids(database: psycopg.Connection, statement: str) -> set[str]:
    return {str(row[0]) for row in database.execute(statement.encode())}


@pytest.mark.slow
def test_up_killed_and_started_again_goes_on_with_its_matches(home: Path) -> None:
    arguments = (*UP, "--port", str(free_port()))
    running: set[str] = set()
    while not running:
        with program(home, *arguments) as up:
            up.wait_for("Ctrl-C stops everything")
            with EmbeddedPostgres(home / "postgres") as url, connected(url) as database:
                until(lambda: ids(database, "SELECT match_id FROM running_replies"))
            up.kill()
        with EmbeddedPostgres(home / "postgres") as url, connected(url) as database:
            running = ids(database, "SELECT id FROM running_matches")
    with (
        program(home, *arguments) as up,
        EmbeddedPostgres(home / "postgres") as url,
        connected(url) as database,
    ):
        until(lambda: running <= ids(database, "SELECT id FROM matches"))
        assert up.stop() == 0
        assert "Traceback" not in up.complained
        assert ids(database, "SELECT id FROM blocks WHERE voided_at IS NOT NULL") == set()
        assert ids(database, "SELECT reason FROM match_faults") == set()
        assert ids(database, "SELECT match_id FROM match_seats WHERE faults > 0") == set()


def test_a_referee_whose_lease_is_taken_says_so_once_and_ends_with_code_3(home: Path) -> None:
    with EmbeddedPostgres(home / "postgres") as url, connected(url) as database:
        migrate(url)
        with program(
            home.parent / "referee", "serve", "--port", "0", ARENA_DATABASE_URL=url
        ) as referee:
            referee.port()
            database.execute("DELETE FROM leases")
            assert referee.ended() == 3
            said = referee.complained + referee.said
            assert said.count("another referee has taken over; this one stops") == 1
            assert "arena: Another referee has taken over this one's matches" in said
            assert "Traceback" not in said


def connected(url: str) -> psycopg.Connection:
    return psycopg.connect(plain(url), autocommit=True)
