"""What a person can mend is one sentence and exit code 2, with nothing left half-started."""

import socket
from pathlib import Path

import pytest

from tests.databases import execute
from tests.end_to_end.programs import Program, program
from tests.free_port import free_port

COMMANDS = {
    "serve": ("serve", "--port"),
    "up": ("up", "--no-dashboard", "--port"),
}
every_command = pytest.mark.parametrize("command", COMMANDS)


def assert_one_sentence(refused: Program, *words: str) -> None:
    assert refused.ended() == 2
    lines = refused.complained.strip().splitlines()
    assert len(lines) == 1, refused.complained
    assert lines[0].startswith("arena: ")
    for word in words:
        assert word in lines[0]
    assert refused.left_behind() == []


@every_command
def test_a_port_that_is_taken(home: Path, command: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        with program(home, *COMMANDS[command], port) as refused:
            assert_one_sentence(refused, port, "--port")
    assert not home.exists()


def test_several_referees_of_which_bots_cannot_be_told_where_each_is(home: Path) -> None:
    arguments = ("up", "--no-dashboard", "--port", str(free_port()), "--referees", "2")
    with program(home, *arguments, ARENA_HOST="0.0.0.0") as refused:
        assert_one_sentence(refused, "several referees", "ARENA_HOST")
    assert not home.exists()


def test_a_dashboard_port_that_is_taken(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        arguments = ("up", "--port", str(free_port()), "--dashboard-port", port)
        with program(home, *arguments) as refused:
            assert_one_sentence(refused, port, "--dashboard-port")
    assert not home.exists()


def test_a_dashboard_whose_address_cannot_be_listened_on(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, words in {
            ("--port", port): (port, "stop the program that uses it", "--port"),
            ("--port", "70000"): ("70000", "0 to 65535"),
            ("--host", "no.such.host.invalid"): ("no.such.host.invalid", "--host"),
        }.items():
            with program(home, "dashboard", *arguments) as refused:
                assert_one_sentence(refused, *words)
                assert refused.said == ""
    assert not home.exists()


def test_a_dashboard_that_would_show_authors_what_is_no_address(home: Path) -> None:
    arguments = ("dashboard", "--port", str(free_port()))
    with program(home, *arguments, ARENA_PUBLIC_ADDRESS="nowhere") as refused:
        assert_one_sentence(refused, "ARENA_PUBLIC_ADDRESS is malformed")
    assert not home.exists()


@pytest.mark.parametrize("command", ["leaderboard", "history", "matches", "export results.csv"])
def test_a_game_that_does_not_exist_is_refused_before_a_database_is_opened(
    home: Path, command: str
) -> None:
    with program(home, *command.split(), "--game", "chess") as refused:
        assert_one_sentence(refused, "chess", "bluff_you")
    assert not home.exists()


def test_a_home_that_cannot_be_written(home: Path) -> None:
    home.parent.joinpath("file").touch()  # even root makes no directory inside a file
    with program(home.parent / "file" / "home", *COMMANDS["up"], "0") as refused:
        assert_one_sentence(refused, "ARENA_HOME")


def test_a_second_up_in_a_home_does_not_start_and_leaves_the_bots_of_the_first_alone(
    home: Path,
) -> None:
    with program(home, *COMMANDS["up"], "0") as first:
        first.wait_for("Ctrl-C stops everything")
        second = Program(home, *COMMANDS["up"], "0")
        try:
            assert second.ended() == 2, second.said
        finally:
            second.kill()
        assert "another `arena up` runs in" in second.complained
        assert second.complained.count("\n") == 1
        first.kill()
        assert first.left_behind() == []
        with program(home, *COMMANDS["up"], "0") as next_one:  # the lock went with its process
            next_one.wait_for("Ctrl-C stops everything")


def test_a_database_that_does_not_answer(home: Path) -> None:
    url = f"postgresql://127.0.0.1:{free_port()}/arena"
    with program(home, *COMMANDS["up"], "0", ARENA_DATABASE_URL=url) as refused:
        assert_one_sentence(refused, "No Postgres answers", "ARENA_DATABASE_URL")


def test_a_database_of_a_newer_release(home: Path, database: str) -> None:
    execute(database, "UPDATE alembic_version SET version_num = '9999'")
    with program(home, *COMMANDS["serve"], "0", ARENA_DATABASE_URL=database) as refused:
        assert_one_sentence(refused, "9999", "newer release")


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (("--table", "chess:2"), {}, "chess"),
        (("--pace", "0"), {}, "--pace 0: write 0.001 to 10,000 matches a second"),
        ((), {"ARENA_PACE": "slow"}, "ARENA_PACE"),
        ((), {"ARENA_LOG_LEVEL": "LOUD"}, "ARENA_LOG_LEVEL"),
        ((), {"ARENA_TLS_CERT": "/cert"}, "ARENA_TLS_CERT and ARENA_TLS_KEY are set both"),
        ((), {"ARENA_TLS_CLIENT_CA": "/ca"}, "ARENA_TLS_CLIENT_CA needs ARENA_TLS_CERT"),
    ],
    ids=str,
)
def test_options_and_settings_that_make_no_sense(
    home: Path, arguments: tuple[str, ...], environment: dict[str, str], words: str
) -> None:
    with program(home, "serve", "--port", "0", *arguments, **environment) as refused:
        assert_one_sentence(refused, words)
    assert not home.exists()


def test_sample_bots_say_that_no_referee_answers_and_go_on_trying(
    home: Path, database: str
) -> None:
    place = f"127.0.0.1:{free_port()}"
    settings = {"ARENA_DATABASE_URL": database, "ARENA_ADDRESS": place}
    with program(home, "sample-bots", "--bot", "honest", **settings) as bots:
        bots.wait_for(f"Playing at {place}: honest.")
        bots.wait_for_complaint("cannot be reached: nothing listens there.")
        assert bots.complained.strip().endswith("The bots go on trying.")
        assert bots.stop() == 0
