"""`arena deception`: of matches in files, and of a bot's newest in a database."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from arena.commands.results.keep_analyses import analyse_missing
from arena.games import make_game
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.match.transcript_json import to_json
from tests.commands.running import arena
from tests.dashboard.played import fill


def run(*words: str) -> tuple[int, str]:
    done = arena("deception", *words, env={"COLUMNS": "300"})
    return done.exit_code, done.output


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with matches of two games."""
    file = tmp_path_factory.mktemp("deception") / "matches.jsonl"
    lines = []
    for game, bots in {
        "bluff": ("honest", "timid"),
        "bluff_you": ("random", "bluff_you_honest"),
        "skull": ("random", "skull_honest"),
    }.items():
        contenders = [Contender(name, load_bot(name)) for name in bots]
        for match in play_series(make_game(game), contenders, 4, "deception"):
            lines.append(json.dumps(to_json(match.transcript)))
    file.write_text("\n".join(lines))
    return str(file)


def tables(*words: str) -> dict[tuple[str, str], Any]:
    code, text = run(*words, "--json")
    assert code == 0, text
    found = [json.loads(line) for line in text.splitlines()]
    return {(one["bot"], one["game"]): one for one in found}


def test_a_file_gives_a_table_for_each_bot_and_game(matches: str) -> None:
    found = tables(matches)
    assert {("honest", "bluff"), ("timid", "bluff"), ("random", "bluff_you")} <= set(found)
    one = found["honest", "bluff"]
    assert (one["matches"], one["deals"], one["versions"]) == (4, 4, ["1"])
    assert (one["options"], one["seats"]) == ([{}], [2])
    first = one["rows"][0]
    assert (first["kind"], first["situation"]) == ("all", "everywhere")
    assert first["bluffs"]["of"] >= first["false"]["of"] > 0
    assert 0 <= first["bluffs"]["low"] <= first["bluffs"]["share"] <= first["bluffs"]["high"] <= 1
    assert first["equilibrium"]["decisions"] > 0
    # Two of three games have no solved play.
    assert {row["equilibrium"] for row in found["random", "bluff_you"]["rows"]} == {None}
    code, text = run(matches)
    assert code == 0 and "honest" in text and "bluff_you" in text


def test_one_bot_is_shown_by_situation(matches: str) -> None:
    found = tables(matches, "--bot", "Honest")
    assert set(found) == {("honest", "bluff")}
    code, text = run(matches, "--bot", "honest")
    assert code == 0
    for row in found["honest", "bluff"]["rows"]:
        assert row["situation"] in text


def test_what_cannot_be_told_is_said(matches: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("{}")
    for words, said in {
        (): "Give matches, files with matches, or --bot NAME.",
        (matches, "--bot", "nobody"): "nobody plays in none of these matches.",
        (str(tmp_path / "none"),): "is neither a match id nor a file",
        (str(broken),): "is no transcript",
    }.items():
        code, text = run(*words)
        assert code == 2
        assert said in " ".join(text.split())


@pytest.mark.slow
def test_a_bots_newest_matches_are_read_from_the_database_analysed_or_not(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    played = asyncio.run(fill(database, blocks=3, dice_per_player=1))
    its = [m for m in played if "alpha" in [e.bot for e in m.transcript.setup.entrants]]
    looked_up = tables("--bot", "ALPHA")
    assert looked_up["alpha", "bluff"]["matches"] == len(its)
    asyncio.run(analyse_missing(database, seats=None, jobs=1, follow=False))
    kept = tables("--bot", "alpha")
    # Kept probabilities are rounded to six digits.
    assert _rounded(kept) == _rounded(looked_up)
    assert tables("--bot", "alpha", "--limit", "1")["alpha", "bluff"]["matches"] == 1


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {str(name): _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list) else value
