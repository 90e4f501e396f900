"""What an author reads of results by command, at a running referee, without its database."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from structlog.testing import capture_logs

from arena.games import make_game
from arena.games.bluff import Bet, Face
from arena.match.fault_steps import fault_steps
from arena.match.transcript_json import from_json
from arena.match.verify import verify
from arena.showing.replay_in_words import replay_in_words
from tests.commands.running import beside
from tests.dashboard.played import anyhow, fill, silent
from tests.databases import plain
from tests.scene import Scene, opened

SENT = Bet(99, Face.STAR)


@pytest.fixture
async def scene(
    database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[Scene]:
    """A referee with a few matches, whose database the author's commands do not know."""
    played = await fill(database, blocks=3, policies=[("alpha", anyhow), ("beta", silent)])
    fault = next(fault_steps(played[-1].transcript))
    sent = make_game("bluff").notation.to_text(SENT)
    with psycopg.connect(plain(database)) as sql:
        told = played[-1].transcript.setup.match_id, fault.turn, "There is no such bet.", sent
        sql.execute("INSERT INTO match_faults VALUES (%s, %s, %s, %s)", told)
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setenv("COLUMNS", "200")
    with capture_logs():
        async with opened(database) as scene:
            monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
            yield scene


@pytest.mark.slow
@pytest.mark.usefixtures("scene")
async def test_an_author_reads_matches_transcripts_faults_and_ratings(tmp_path: Path) -> None:
    listed = json.loads((await beside("bot", "matches", "alpha", "--json")).stdout)
    assert listed and all("alpha" in [one["bot"] for one in match["seats"]] for match in listed)
    assert listed[0]["match_id"] in (await beside("bot", "matches", "alpha", "--limit", "1")).stdout

    lost = json.loads(
        (await beside("bot", "matches", "Beta", "--lost", "--rated", "--json")).stdout
    )
    won = json.loads((await beside("bot", "matches", "alpha", "--won", "--json")).stdout)
    assert lost == won and lost
    assert (
        "has no finished match that fits." in (await beside("bot", "matches", "x", "--won")).stdout
    )

    printed = (await beside("bot", "transcript", listed[0]["match_id"])).stdout
    transcript = from_json(json.loads(printed))
    assert transcript.setup.match_id == listed[0]["match_id"]
    verify(transcript)
    told = json.loads((await beside("bot", "replay", transcript.setup.match_id, "--json")).stdout)
    assert told == replay_in_words(transcript)
    said = (await beside("bot", "replay", transcript.setup.match_id)).stdout
    *steps, last = said.splitlines()
    assert steps == told["steps"] and any("Drawn: {" in one for one in steps)
    assert last == f"Faults of beta 1: {max(told['faults'])}."
    (tmp_path / "match.json").write_text(printed)
    assert (await beside("replay", str(tmp_path / "match.json"))).stdout == said
    (tmp_path / "match.json").write_text("{}")
    damaged = await beside("replay", str(tmp_path / "match.json"))
    assert damaged.exit_code == 2 and "cannot be replayed: " in damaged.stderr

    told = json.loads((await beside("bot", "ratings", "--json")).stdout)
    assert {one["bot"] for one in told} >= {"alpha", "beta"}
    assert "95 %" in (await beside("bot", "ratings")).stdout

    assert (await beside("bot", "faults", "alpha")).stdout.endswith(
        " matches: 0.\nFaults in checks are told by `arena bot builds alpha`.\n"
    )
    words = (await beside("bot", "faults", "ＢＥＴＡ")).stdout  # as the server finds it
    found = json.loads((await beside("bot", "faults", "Beta", "--json")).stdout)
    assert words.count("late") >= len(found) > 0
    assert all((one["bot"], one["kind"]) == ("beta", "late") for one in found)
    assert all(one["view"] and one["legal"] and one["played"] for one in found)
    assert "late: There is no such bet.\n" in words and "late: the reason was not kept\n" in words
    (told,) = (one for one in found if one["reason"])
    assert (told["reason"], told["sent"]["quantity"]) == ("There is no such bet.", SENT.quantity)
    assert words.count("sent:   no action") == len(found) - 1


@pytest.mark.usefixtures("scene")
async def test_what_there_is_not_is_told_in_a_sentence() -> None:
    nobody = await beside("bot", "faults", "nobody")
    assert nobody.exit_code == 2 and "nobody has finished no match there." in nobody.output
    match = await beside("bot", "transcript", "x")
    assert match.exit_code == 2 and "There is no match x." in match.output
    whose = await beside("bot", "matches", "--lost")
    assert whose.exit_code == 2 and "--won and --lost are of a bot: name it." in whose.output
    game = await beside("bot", "ratings", "--game", "chess")
    assert game.exit_code == 2 and "chess" in game.output
