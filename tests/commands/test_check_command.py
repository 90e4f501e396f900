"""`arena check` for a registered bot, and what `arena bot show` then tells."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.commands.home.logs import where_printed
from arena.conformance.report import SCENARIOS
from tests.bot_programs import bot_program
from tests.commands.running import arena, beside
from tests.scene import opened

MISFIT = str(Path(__file__).parents[1] / "conformance" / "misfit.py")


@pytest.mark.slow
async def test_the_outcome_for_a_registered_bot_is_recorded_and_shown(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    monkeypatch.setenv("COLUMNS", "200")
    # As a whole check: all scenarios are met and failed in tests/conformance.
    few = [one for one in SCENARIOS if one.name in ("matches", "takeover", "refused token")]
    monkeypatch.setattr("arena.commands.home.check.SCENARIOS", few)
    async with opened(database) as scene:
        monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
        monkeypatch.setenv("ARENA_TOKEN", await scene.token("gopher"))
        insists = ["--", sys.executable, MISFIT, "Insists"]
        some = await beside("check", "--only", "takeover", "--logs", tmp_path, *insists)
        assert (some.exit_code, some.stderr) == (1, "")
        found = await beside("check", "--logs", tmp_path, *insists)
        assert found.exit_code == 1, found.output
        before, after = found.stderr.splitlines()
        assert f"will be recorded for the bot of this token at 127.0.0.1:{scene.port} " in before
        assert after == "The outcome is recorded for gopher 1 of owner-of-gopher."
        await scene.arena.store.register("gopher", "owner-of-gopher", "2")
        shown = await beside("bot", "show", "GOPHER", "--operator")
        as_json = await beside("bot", "show", "gopher", "--operator", "--json")
    assert shown.exit_code == 0, shown.output
    assert "gopher by owner-of-gopher\n" in shown.stdout
    assert "1 of 3 scenarios met; failed: takeover, refused token." in shown.stdout
    newest, first = json.loads(as_json.stdout)["versions"]
    assert (newest["version"], newest["check"]) == ("2", None)
    assert first["check"]["failed"] == ["takeover", "refused token"]
    assert first["check"]["origin"] == "author"


@pytest.mark.slow
async def test_a_check_that_cannot_be_recorded_says_why_and_ends_with_code_2(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.commands.home.check.SCENARIOS", SCENARIOS[:1])
    words = ["check", "--logs", tmp_path, "--seconds", "1", "--token", "wrong", "--address"]
    async with opened(database) as scene:
        found = await beside(*words, f"127.0.0.1:{scene.port}", "true")
    assert found.exit_code == 2
    assert "The outcome is not recorded. No bot has this token" in found.stderr


@pytest.mark.slow
def test_a_check_without_a_referee_says_so_unless_no_report_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As a whole check, though each scenario waits a second for a program that never comes.
    monkeypatch.setattr("arena.commands.home.check.SCENARIOS", SCENARIOS[:1])
    words = ["check", "--logs", tmp_path, "--seconds", "1", "--token", "t", "--address"]
    found = arena(*words, "127.0.0.1:1", "true")
    assert found.exit_code == 2
    assert "The referee at 127.0.0.1:1 cannot be reached" in found.stderr
    found = arena(*words, "127.0.0.1:1", "--no-report", "true")
    assert (found.exit_code, found.stderr) == (1, "")


def test_of_temporary_logs_those_with_something_to_read_stay_and_are_named(tmp_path: Path) -> None:
    (tmp_path / "empty.log").touch()
    (tmp_path / "options.log").write_text("late")
    assert where_printed(tmp_path) == str(tmp_path / "options.log")
    script = (
        "import sys; from arena.commands.home.logs import log_folder\n"
        "for said in sys.argv[1:]:\n"
        "    folder = log_folder(None)\n"
        "    (folder / 'a.log').write_text(said)\n"
        "    (folder / 'b.log').touch()\n"
        "    print(folder)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "", "late"],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    quiet, read = map(Path, done.stdout.split())
    assert not quiet.exists()
    assert [one.name for one in read.iterdir()] == ["a.log"]


def test_a_referee_without_a_port_is_noticed_before_anything_is_checked(tmp_path: Path) -> None:
    found = arena("check", "--logs", tmp_path, "--token", "t", "--address", "nowhere", "true")
    assert found.exit_code == 2
    assert "'nowhere' is not an address" in found.stderr
    assert not found.stdout


def test_a_bot_that_is_unknown_is_a_sentence(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    found = arena("bot", "show", "nobody", "--operator")
    assert found.exit_code == 2
    assert "there is no such bot" in found.stderr


def started(listen: str, token: str) -> "subprocess.Popen[str]":
    """The check of a running bot as a person starts it."""
    command = [sys.executable, "-m", "arena", "check", "--json", "--no-report"]
    return subprocess.Popen(
        [*command, "--token", token, "--listen", listen],
        env=os.environ | {"ARENA_TOKEN": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_a_running_bot_is_checked_on_what_needs_no_restart() -> None:
    with started("127.0.0.1:0", "secret") as checking:
        assert checking.stderr is not None
        told = checking.stderr.readline()
        address = told.partition("ARENA_ADDRESS=")[2].partition(" ")[0]
        with bot_program([sys.executable, MISFIT, "BacksOff"], address, "secret") as bot:
            report, errors = checking.communicate(timeout=60)
            assert bot.poll() is None or bot.returncode == 0
    assert checking.returncode == 0, report + errors
    summary = json.loads(report)
    assert summary["met"] == len(summary["scenarios"]) == 16
    skipped = {one["scenario"]: one["why"] for one in summary["skipped"]}
    assert list(skipped) == [
        "tampering",
        "restart of the bot",
        "takeover",
        "refused token",
        "drain",
    ]
    assert skipped["drain"] == "the check sends SIGTERM to the program"


@pytest.mark.slow
def test_a_running_bot_that_gives_up_fails_what_follows() -> None:
    with started("127.0.0.1:0", "secret") as checking:
        assert checking.stderr is not None
        address = checking.stderr.readline().partition("ARENA_ADDRESS=")[2].partition(" ")[0]
        with bot_program([sys.executable, MISFIT, "Bot"], address, "another"):
            report, _ = checking.communicate(timeout=120)
    assert checking.returncode == 1
    first = json.loads(report)["scenarios"][0]
    assert first["seen"].startswith("the metadata `authorization` is not `Bearer `")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "name the command that starts the bot, or the --token of a running one"),
        (["--token", "t", "--listen", "127.0.0.1:0", "--wait", "1"], "No bot connected to 127.0"),
        (["--token", "t", "--listen", "no.such.host.invalid:5"], "Nothing can listen on no.such"),
    ],
)
def test_what_cannot_be_checked_is_a_sentence(
    words: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    found = arena("check", *words)
    assert found.exit_code == 2
    assert sentence in found.stderr
