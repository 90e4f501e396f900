"""`arena ladder-climb`: the rounds of an agent, its feedback, its rule and its folder."""

import json
import sys
from functools import partial
from pathlib import Path
from statistics import NormalDist

import pytest

from arena.commands.climb.agent import run_agent
from arena.commands.climb.climb import LADDER, Climb, ClimbFolder, next_rung
from arena.commands.climb.feedback import write_feedback
from arena.commands.climb.summary import best_round, markdown, summary_of
from tests.commands.running import arena

climb_by = partial(arena, "ladder-climb")

AGENT = """#!/bin/sh
echo "round $ARENA_ROUND, next $ARENA_RUNG"
test "$ARENA_ROUND" = 1 || grep why_not feedback/result.json
test -f TASK.md || exit 9
echo >> "$1"
if test "$ARENA_ROUND" = 1
then echo 'raise SystemExit("a mistake | here")' > bot/bot.py
else rm bot/bot.toml; exit 3
fi
"""


@pytest.mark.slow
def test_a_bot_that_cannot_play_fails_its_round_and_the_agent_is_told_why(tmp_path: Path) -> None:
    agent, count, out = tmp_path / "agent", tmp_path / "count", tmp_path / "run"
    agent.write_text(AGENT)
    words = (f"sh {agent} {count}", "--out", out, "--rounds", 2, "--matches", 40, "--unconfined")
    done = climb_by(*words, "--json")
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert (summary["beaten"], summary["rungs_beaten"], summary["rounds_played"]) == (None, 0, 2)
    first, second = summary["each_round"]
    (attempt,) = first["attempts"]
    assert attempt["rung"] == "random" and "a mistake | here" in attempt["why_not"]
    assert first["sha256"] and len(attempt["seed"]) == 32
    assert (second["attempts"], second["sha256"], second["agent"]["code"]) == ([], None, 3)
    assert "has no bot.toml" in second["refused"]
    assert "the agent ended with code 3" in done.stderr
    assert json.loads((out / "summary.json").read_text()) == summary
    assert summary["best_round"] == 1 and summary["loss"] is None

    # What it left, what it printed, and what it was told.
    assert (out / "rounds/1/bot.zip").stat().st_size > 0
    assert (out / "rounds/1/agent.log").read_text() == "round 1, next random\n"
    assert "a mistake | here" in (out / "rounds/2/agent.log").read_text()
    assert "random, timid, honest, bayes, cfr" in (out / "work/TASK.md").read_text()
    told = json.loads((out / "work/feedback/result.json").read_text())
    assert told == {"refused": second["refused"]}
    page = (out / "SUMMARY.md").read_text()
    assert "No rung is beaten" in page and "no play: bot ended with code 1" in page
    assert (out / "figures/climb.vl.json").exists()
    assert json.loads((out / "environment.json").read_text())["versions"]["bluff-arena"]

    # A round that was interrupted after the agent goes on without it.
    (out / "rounds/2/round.json").unlink()
    again = climb_by(*words, "--json")
    assert json.loads(again.stdout) == summary
    assert len(count.read_text()) == 2
    other = climb_by(*words, "--seed", "s")
    assert other.exit_code == 2
    assert "holds a run with another seed" in " ".join(other.stderr.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing-of-this-name x",), "There is no command 'nothing-of-this-name x'"),
        (("'",), "is no command: No closing quotation"),
        (("true", "--start", "absent.py"), "absent.py cannot be read"),
        (("true", "--start", "."), "has no bot.toml"),
        (("true", "--time", "turn=x"), "--time turn=x"),
        (("true", "--matches", "10"), "40"),
    ],
)
def test_mistakes_are_answered_and_make_nothing(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = climb_by(*words, "--unconfined")
    assert refused.exit_code == 2
    assert said in refused.stderr
    assert not list(tmp_path.iterdir())


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    refused = climb_by("true", "--unconfined", "--out", tmp_path)
    assert refused.exit_code == 2
    assert "holds other files" in refused.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]


def test_an_agent_that_spoils_its_folder_does_not_have_its_round_played_again(
    tmp_path: Path,
) -> None:
    folder = ClimbFolder(tmp_path / "run")
    folder.work.mkdir(parents=True)
    folder.feedback.symlink_to(tmp_path)
    write_feedback(folder, tmp_path, None, "no bot")
    assert json.loads((folder.feedback / "result.json").read_text()) == {"refused": "no bot"}
    assert not folder.feedback.is_symlink()

    agent = tmp_path / "agent"
    agent.write_text('rm -r "$PWD"; touch "$PWD"')
    out = tmp_path / "spoilt"
    words = (f"sh {agent}", "--out", out, "--rounds", 1, "--matches", 40, "--unconfined")
    done = climb_by(*words)
    assert "feedback cannot be written" in done.stderr
    assert json.loads((out / "rounds/1/round.json").read_text())["attempts"] == []


@pytest.mark.slow
def test_an_agent_is_ended_with_all_that_it_started_when_its_time_is_up(tmp_path: Path) -> None:
    program = "import subprocess, sys; print('begun', flush=True); subprocess.run(['sleep', '60'])"
    ended = run_agent([sys.executable, "-c", program], tmp_path, tmp_path / "log", 1.0, {})
    assert (ended["code"], ended["how"]) == (None, "was ended after 1 s")
    assert ended["seconds"] < 20


def test_the_errors_of_all_attempts_together_are_bounded() -> None:
    climb = Climb(("true",), 10, 400, 600.0, "", "", confined=True)
    assert climb.attempts == 14  # ten fail, or fewer, and four rungs below the last are beaten
    assert climb.attempts * (1 - NormalDist().cdf(climb.z)) == pytest.approx(0.05, rel=0.05)
    assert Climb(("true",), 10, 40, 600.0, "", "", confined=True).z > 1.05 * climb.z


def test_the_score_is_the_highest_rung_and_the_version_that_beat_it() -> None:
    def of(number: int, *attempts: tuple[str, bool]) -> dict[str, object]:
        made = [
            {
                "rung": rung,
                "beaten": beaten,
                "share": 0.6,
                "low": 0.5,
                "high": 0.7,
                "loss": 0.02,
                "faults": 0,
                "why_not": None,
            }
            for rung, beaten in attempts
        ]
        agent = {"how": "ended with code 0", "seconds": 1.5}
        return {
            "round": number,
            "sha256": f"{number:064}",
            "agent": agent,
            "refused": "",
            "attempts": made,
        }

    rounds = [
        of(1, ("random", True), ("timid", False)),
        of(2, ("timid", True), ("honest", True), ("bayes", False)),
        of(3, ("bayes", False)),
    ]
    assert LADDER[next_rung(rounds)] == "bayes"
    best = best_round(rounds)
    assert best is not None and best["round"] == 2
    climb = Climb(("true",), 3, 400, 600.0, "", "", confined=True)
    summary = summary_of(climb, rounds, {"loss": 0.03, "loss_error": 0.004})
    assert (summary["beaten"], summary["rungs_beaten"], summary["loss"]) == ("honest", 3, 0.03)
    assert summary["agent_seconds"] == 4.5
    page = markdown(climb, summary)
    assert "Beaten with confidence: honest (3 of 5 rungs)." in page
    assert "loses 3.00% ± 0.40% of a match against cfr" in page
    assert best_round([]) is None
