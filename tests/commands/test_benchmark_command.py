"""`arena benchmark`: what it prints, and what it refuses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from arena.commands.home import benchmark as command
from arena.games import make_game
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.match.transcript import Entrant
from arena.match.transcript_json import to_json

app = typer.Typer()
app.command()(command.benchmark)


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.slow
def test_the_whole_protocol_tells_honest_from_near_equilibrium_play() -> None:
    code, out, _ = run("honest", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["protocol"] == found["seed"] == "bluff-benchmark/1"
    assert found["reached"] == "honest"
    rungs = {rung["bot"]: rung for rung in found["rungs"]}
    assert list(rungs) == ["random", "timid", "honest", "bayes", "cfr"]
    assert rungs["cfr"]["share"] == pytest.approx(0.365, abs=0.02)
    assert (rungs["cfr"]["share_high"] - rungs["cfr"]["share_low"]) / 2 < 0.011
    assert not found["faults"]


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        ("nobody", "There is no bot 'nobody'"),
        ("bloeff_honest", "bloeff_honest does not play Bluff"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(bot: str, why: str) -> None:
    code, out, err = run(bot)
    assert (code, out) == (2, "")
    assert why in err


def test_recorded_matches_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "matches.jsonl"
    file.write_text("no transcript")
    code, out, err = run("mine", "--recorded", str(file))
    assert (code, out) == (2, "")
    assert f"{file} is no transcript" in err
    code, _, err = run("mine", "--recorded", str(tmp_path / "missing.jsonl"))
    assert (code, "cannot be read: No such file" in err) == (2, True)
    code, _, err = run("mine", "--recorded", str(file), "--seed", "other")
    assert (code, "leave out --seed" in err) == (2, True)


def test_a_recorded_match_against_the_rules_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "matches.jsonl"
    contenders = [Contender(name, load_bot(name)) for name in ("honest", "cfr")]
    (played,) = play_series(make_game("bluff"), contenders, 1, "recorded")
    entrants = (Entrant("mine", "1", "me"), Entrant("cfr", "1", "house"))
    setup = replace(played.transcript.setup, entrants=entrants)
    steps = (*played.transcript.steps[:-1], *played.transcript.steps[:1])
    file.write_text(json.dumps(to_json(replace(played.transcript, setup=setup, steps=steps))))
    code, out, err = run("mine", "--recorded", str(file))
    assert (code, out) == (2, "")
    assert "A match cannot be replayed: step " in err
