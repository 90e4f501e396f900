"""`arena serve` and `arena up` as programs: they start, play, stop, and leave nothing behind."""

import urllib.request
from functools import partial
from pathlib import Path

from tests.certificates import NAME, Authority
from tests.end_to_end.programs import FEW_BOTS, Program, program
from tests.free_port import free_port
from tests.waiting import until


def test_up_plays_until_enough_is_recorded_and_prints_the_leaderboard(home: Path) -> None:
    arguments = ("up", "--stop-after", "40", "--no-dashboard", "--port", str(free_port()))
    with program(home, *arguments) as up:
        assert up.ended() == 0, up.complained
        assert up.left_behind() == []
        assert "Bluff, 2 seats" in up.said
        assert "(house)" in up.said
        assert "Traceback" not in up.complained
    with program(home, "matches", "--limit", "1") as matches:  # what was played is still there
        assert matches.ended() == 0
        assert "bluff" in matches.said


def test_with_tls_the_sample_bots_trust_the_certificate_whoever_issued_it(
    home: Path, tmp_path: Path
) -> None:
    served = Authority(tmp_path).issue(NAME)
    arguments = ("up", "--stop-after", "4", "--no-dashboard", "--port", str(free_port()))
    tls = {"ARENA_TLS_CERT": str(served.cert), "ARENA_TLS_KEY": str(served.key)}
    with program(home, *arguments, **tls) as up:
        assert up.ended() == 0, up.complained
        assert "https://127.0.0.1" in up.said
        assert "certificate read" in up.complained


def test_up_asked_to_stop_ends_cleanly_and_takes_all_it_started_with_it(home: Path) -> None:
    with program(home, "up", *FEW_BOTS, "--port", "0", "--dashboard-port", "0") as up:
        _, _, at = up.wait_for("Dashboard: ").partition(": ")
        assert at.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(at) as page:  # it is there
            assert page.status == 200
        assert up.stop() == 0
        assert up.left_behind() == []
        assert "Traceback" not in up.complained


def test_up_with_two_referees_runs_them_on_one_database_and_ends_both(home: Path) -> None:
    two = ("up", "--no-dashboard", *FEW_BOTS, "--port", "0", "--referees", "2")
    with program(home, *two) as up:
        up.wait_for("Ctrl-C stops everything")

        def healthy() -> list[str]:
            asked = Program(home, "health", "--all", "--ready")
            asked.ended()
            return [line for line in asked.said.splitlines() if line.endswith(": SERVING")]

        until(lambda: len(healthy()) == 2)
        assert up.stop() == 0
        assert up.left_behind() == []
        assert "Traceback" not in up.complained


def test_up_killed_takes_bots_database_and_dashboard_with_it(home: Path) -> None:
    ports = (str(free_port()), str(free_port()))
    up_here = ("up", *FEW_BOTS, "--port", ports[0], "--dashboard-port", ports[1])
    with program(home, *up_here) as up:
        up.wait_for("Ctrl-C stops everything")
        for part in ("/postgres ", "/random_bot.py ", " arena_dashboard "):
            until(partial(_runs, up, part))
        up.kill()
        assert up.left_behind() == []


def _runs(up: Program, part: str) -> bool:
    return any(part in line for line in up.running())


def test_serve_asked_to_stop_ends_with_0_and_leaves_nothing(home: Path) -> None:
    with program(home, "serve", "--port", "0") as serve:
        serve.port()
        assert serve.stop() == 0
        assert serve.left_behind() == []
        assert "Traceback" not in serve.complained
