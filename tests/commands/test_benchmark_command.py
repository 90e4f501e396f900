"""`arena benchmark`: what it prints, and what it refuses."""

import json

import pytest
import typer
from typer.testing import CliRunner

from arena.commands.home import benchmark as command

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
