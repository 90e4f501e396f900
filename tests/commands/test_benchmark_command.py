"""`arena benchmark`: what it prints, and what it refuses."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from arena.codec.transcript import to_bytes
from arena.database.reading import open_reader
from arena.games import make_game
from arena.local.benchmark import PROTOCOL, RUNGS
from arena.local.declared_play import declared_play
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.match.transcript import Entrant
from arena.match.transcript_json import to_json
from arena.records import Registered, VersionId
from arena.server.app.store import open_store
from arena.server.results.benchmarks import figures
from tests.commands.running import arena
from tests.recorded_results import block, finished

pytestmark = pytest.mark.slow


def run(*arguments: str) -> tuple[int, str, str]:
    result = arena("benchmark", *arguments)
    return result.exit_code, result.stdout, result.stderr


def recorded(tmp_path: Path, matches: int) -> Path:
    """A file with matches between `mine`, which plays as honest does, and cfr of the house."""
    file = tmp_path / "matches.jsonl"
    contenders = [Contender(name, load_bot(name)) for name in ("honest", "cfr")]
    entrants = (Entrant("mine", "1", "me"), Entrant("cfr", "1", "house"))
    with file.open("w") as lines:
        for played in play_series(make_game("bluff"), contenders, matches, "recorded"):
            seats = tuple(entrants[at] for at in played.contenders)
            setup = replace(played.transcript.setup, entrants=seats)
            lines.write(json.dumps(to_json(replace(played.transcript, setup=setup))) + "\n")
    return file


@pytest.mark.system  # a minute or more on a slow machine
def test_recorded_matches_are_measured_and_told_in_json_and_in_words(tmp_path: Path) -> None:
    file = recorded(tmp_path, 30)
    code, out, _ = run("mine", "--recorded", str(file), "--json")
    found = json.loads(out)
    assert (code, found["bot"], found["protocol"], found["seed"]) == (0, "mine", None, None)
    (against,) = found["rungs"]
    assert (against["bot"], against["matches"]) == ("cfr", 30)
    assert against["share_low"] < 0.365 < against["share_high"]
    assert found["loss"] > 0.01
    code, out, _ = run("mine", "--recorded", str(file))
    assert code == 0
    assert "mine: recorded matches" in out
    assert "Against cfr, which looks for no weakness:" in out


def test_the_loss_in_a_single_match_has_no_error(tmp_path: Path) -> None:
    file = recorded(tmp_path, 1)
    _, out, _ = run("mine", "--recorded", str(file))
    assert "A decision against cfr loses" in out
    assert "inf" not in out
    _, out, _ = run("mine", "--recorded", str(file), "--json")
    found = json.loads(out)
    assert found["loss"] is not None and found["loss_error"] is None


def test_the_interval_of_the_share_is_told_by_its_ends(tmp_path: Path) -> None:
    """Near 0 and 1 it is not even, so half of it says nothing of either end."""
    file = recorded(tmp_path, 1)
    _, out, _ = run("mine", "--recorded", str(file), "--json")
    (against,) = json.loads(out)["rungs"]
    share, low, high = (against[name] for name in ("share", "share_low", "share_high"))
    assert share - low != pytest.approx(high - share)
    _, out, _ = run("mine", "--recorded", str(file))
    assert f"no weakness: {share:.1%} ({low:.1%} to {high:.1%})." in out


def test_the_protocol_has_a_version_and_every_rung_declares_its_play() -> None:
    assert PROTOCOL == "bluff-benchmark/2"
    assert RUNGS == (("random", 50), ("timid", 50), ("honest", 150), ("bayes", 300), ("cfr", 900))
    for rung in RUNGS:
        assert declared_play(load_bot(rung.bot), make_game("bluff"), 2) is not None


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
    for more in (("--seed", "other"), ("--declared",)):
        code, _, err = run("mine", "--recorded", str(file), *more)
        assert (code, "leave out --seed, --logs, --declared and" in err) == (2, True)


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        ("search", "does not declare its play: its class needs `probabilities`"),
        ("python mine.py", "--declared asks the bot for its play: it must be a sample bot or a"),
    ],
)
def test_a_bot_that_cannot_be_asked_for_its_play_is_refused(bot: str, why: str) -> None:
    code, out, err = run(bot, "--declared")
    assert (code, out) == (2, "")
    assert why in " ".join(err.split())


def test_a_recorded_match_against_the_rules_is_refused(tmp_path: Path) -> None:
    file = recorded(tmp_path, 1)
    document = json.loads(file.read_text())
    document["steps"] = [*document["steps"][:-1], document["steps"][0]]
    file.write_text(json.dumps(document))
    code, out, err = run("mine", "--recorded", str(file))
    assert (code, out) == (2, "")
    assert "A match cannot be replayed: step " in err


async def rated(url: str, matches: int) -> dict[str, Registered]:
    """Record matches between `mine` 1, which plays as honest does, and cfr of the house.

    A version 2 of `mine` has played none.
    """
    async with open_store(url) as store:
        cfr, _ = await store.register("cfr", "house", house=True)
        first, _ = await store.register("mine", "me")
        second, _ = await store.register("mine", "me", "2")
        contenders = [Contender(name, load_bot(name)) for name in ("honest", "cfr")]
        found = []
        for played in play_series(make_game("bluff"), contenders, matches, "rated"):
            seated = [(first, cfr)[at] for at in played.contenders]
            base = finished([one.version_id for one in seated], block())
            setup = replace(
                played.transcript.setup,
                match_id=base.transcript.setup.match_id,
                entrants=tuple(one.entrant for one in seated),
            )
            transcript = replace(played.transcript, setup=setup)
            found.append(replace(base, transcript=transcript, written=to_bytes(transcript)))
        await store.record(found)
    return {"cfr": cfr, "first": first, "second": second}


@pytest.mark.system  # a minute or more on a slow machine
def test_a_bot_of_the_arena_is_measured_by_its_rated_matches_and_stands_on_the_board(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    bots = asyncio.run(rated(database, 40))
    first: VersionId = bots["first"].version_id
    code, out, _ = run("mine:1", "--rated", "--json")
    found = json.loads(out)
    assert (code, found["bot"], found["protocol"]) == (0, "mine 1", None)
    (against,) = found["rungs"]
    assert (against["bot"], against["matches"]) == ("cfr", 40)
    with open_reader(database) as read:
        kept = figures(read, [one.version_id for one in bots.values()], "bluff", [2])
        assert figures(read, [first], "bluff", [3, 4]) == figures(read, [first], "skull", [2]) == {}
    assert [*kept] == [first]
    assert kept[first].matches == 40
    assert kept[first].low == pytest.approx(against["share_low"], abs=1e-6)
    assert kept[first].high == pytest.approx(against["share_high"], abs=1e-6)
    shown = json.loads(arena("leaderboard", "--json").stdout)["ratings"]
    benchmarks = {one["bot"]: one["benchmark"] for one in shown}
    assert benchmarks["mine"]["share"] == pytest.approx(against["share"], abs=1e-6)
    assert benchmarks["cfr"] is None
    text = arena("leaderboard", env={"COLUMNS": "140"}).stdout
    half = (kept[first].high - kept[first].low) / 2
    assert f"{kept[first].share:.1%} ± {half:.1%}" in text
    # Measured anew, there is still one figure.
    assert run("mine:1", "--rated")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["mine", "--rated"], "None of these matches is one of Bluff between mine and a house bot"),
        (["mine:7", "--rated"], "mine has no version 7."),
        (["theirs", "--rated"], "BOT theirs: there is no such bot; the bots are cfr, mine"),
        (["mine", "--rated", "--seed", "x"], "--rated plays nothing"),
    ],
)
def test_what_has_played_nothing_on_the_arena_is_refused_and_nothing_is_kept(
    database: str, monkeypatch: pytest.MonkeyPatch, arguments: list[str], why: str
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    bots = asyncio.run(rated(database, 1))
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert why in err
    with open_reader(database) as read:
        assert figures(read, [one.version_id for one in bots.values()], "bluff", [2]) == {}
