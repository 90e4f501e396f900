"""`arena ladder-climb` with the scripted agent of the examples; its bot plays in the sandbox."""

import json
import sys
from pathlib import Path

from tests.commands.running import arena

AGENT = Path(__file__).parents[2] / "examples" / "climb" / "agent.py"


def test_a_scripted_agent_climbs_and_its_run_is_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "run"
    agent = f"{sys.executable} {AGENT} honest"
    words = (agent, "--out", out, "--rounds", "1", "--matches", "40", "--json")
    done = arena("ladder-climb", *words)
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    (only,) = summary["each_round"]
    random, timid, *others = only["attempts"]
    assert random["beaten"] and timid["beaten"] and summary["rungs_beaten"] >= 2
    for one in only["attempts"]:
        assert one["beaten"] == (one["low"] > 0.5) and one["faults"] == 0
        assert one["matches"] == 40 and 0 < one["loss"] < 0.2
    # Honest meets itself: all but one in a hundred of such attempts fail.
    assert others[0]["rung"] == "honest" and others[0]["low"] < 0.55
    assert 0 < summary["loss"] < 0.1 and summary["final"]["rung"] == "cfr"
    lost = (out / "work/feedback/lost.jsonl").read_text().splitlines()
    analyses = (out / "work/feedback/lost_analysis.jsonl").read_text().splitlines()
    assert 0 < len(lost) == len(analyses) <= 20
    analysis = json.loads((out / "work/feedback/analysis.json").read_text())
    assert analysis["matches"] == 40
    assert (out / "rounds/1/honest.jsonl").read_text().count("\n") == 40
    assert (out / "figures/climb.png").stat().st_size > 1000
