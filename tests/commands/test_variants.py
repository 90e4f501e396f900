"""`arena play --variants`: settings compared on the same deals, and bots with settings."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.local.loading import settings_and_bot
from arena.match.transcript_json import from_json
from arena_sample_bots.language_model import llm
from tests.commands.running import arena
from tests.sample_bots.chat_server import chat_server, plays_the_first

arena_play = partial(arena, "play")

STYLED = """
import os
from arena.bot import Bot

AT_THE_BEGINNING = os.environ.get("STYLE")

class Styled(Bot):
    def act(self, turn):
        assert os.environ.get("STYLE") == AT_THE_BEGINNING
        actions = list(turn.choices())
        return actions[-1] if AT_THE_BEGINNING == "bold" else actions[0]
"""
PROGRAM = f"""#!/bin/sh
echo "$STYLE $1"
exec {sys.executable} -m arena_sample_bots.$1
"""


def summary_of(*words: object) -> Any:
    result = arena_play(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    file = tmp_path / "styled.py"
    file.write_text(STYLED)
    return file


@pytest.mark.slow
def test_variants_share_seats_and_chance_and_have_their_setting_alone(bot: Path) -> None:
    """The same file sits opposite without the setting: it would fail if it saw it."""
    file = bot.with_name("transcripts")
    words = (bot, bot, bot, "-n", 30, "--seed", "s", "--transcripts", file)
    found = summary_of(*words, "--variants", "STYLE=mild,bold,plain")
    assert [one["value"] for one in found["variants"]] == ["mild", "bold", "plain"]
    assert found["faults"] == []
    assert (found["blocks"], found["matches"], found["setting"]) == ("deal", 30, "STYLE")
    bold, plain = found["differences"]
    assert (bold["value"], bold["to"], bold["blocks"]) == ("bold", "mild", 30)
    shares = [one["share"] for one in found["variants"]]
    assert bold["difference"] == pytest.approx(shares[1] - shares[0], abs=1e-5)
    assert bold["low"] < bold["difference"] < bold["high"]
    assert plain["difference"] == 0 and -0.1 < plain["low"] < 0 < plain["high"] < 0.1
    assert plain["without_luck"] is None
    transcripts = [from_json(json.loads(line)) for line in file.read_text().splitlines()]
    assert len(transcripts) == 90
    for block in range(30):
        mild, other, same = transcripts[3 * block : 3 * block + 3]
        assert mild.setup.match_id == other.setup.match_id == same.setup.match_id
        assert mild.steps == same.steps
        for transcript, name in ((mild, "styled"), (other, "styled-2")):
            names = [entrant.bot for entrant in transcript.setup.entrants]
            assert names.index(name) == -block % 3


@pytest.mark.slow
def test_against_a_house_bot_that_declares_its_play_most_luck_is_taken_out() -> None:
    words = ("{bot}", "cfr", "--variants", "bot=honest,timid", "-n", 40, "--seed", "s")
    words += ("--option", "dice_per_player=1")
    (found,) = summary_of(*words)["differences"]
    without = found["without_luck"]
    assert without["variance_factor"] < 0.5
    assert found["low"] < without["difference"] < found["high"]
    shown = " ".join(arena_play(*words).stdout.split())
    assert "bot=timid less bot=honest: -" in shown and "; without luck -" in shown


@pytest.mark.slow
def test_a_program_gets_its_setting_as_a_variable_or_as_an_argument(tmp_path: Path) -> None:
    program, logs = tmp_path / "bot.sh", tmp_path / "logs"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    words = ("honest", "-n", 2, "--logs", logs)
    found = summary_of(
        f"STYLE='very bold' {program} {{bot}}", *words, "--variants", "bot=timid,bayes"
    )
    assert (found["blocks"], found["matches"]) == ("seat", 2)
    assert (logs / "bot.log").read_text().startswith("very bold timid\n")
    assert (logs / "bot-2.log").read_text().startswith("very bold bayes\n")


@pytest.mark.slow
def test_prompts_of_the_bot_that_asks_a_model_are_compared(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("short.md", "long, long.md")]
    for file in files:
        file.write_text(f"Told by {file.stem}.")
    with chat_server(plays_the_first) as chat:
        model = f"LLM_BASE_URL={chat.url} LLM_MODEL=m LLM_LOG={tmp_path}/logs {llm.__file__}"
        variants = f'LLM_PROMPT={files[0]},"{files[1]}"'
        found = summary_of(model, "timid", "-n", 2, "--variants", variants)
    assert found["faults"] == []
    assert [one["value"] for one in found["variants"]] == [str(file) for file in files]
    told = {one["messages"][0]["content"].rpartition("Told by ")[2] for one in chat.requests}
    assert told == {"short.", "long, long."}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("honest", "timid", "--variants", "DEPTH"), "'DEPTH' has no setting before `=`"),
        (("honest", "timid", "--variants", "1=2,3"), "'1=2,3' has no setting before `=`"),
        (("honest", "timid", "--variants", "D=1"), "'D=1' has less than two values"),
        (("honest", "timid", "--variants", "D=1,1"), "--variants D=1,1 names a value twice"),
        (("honest", "timid", "--variants", 'D="1,2'), "--variants takes a setting"),
        (("honest", "timid", "--variants", "D=1,2", "--same-deals"), "leave out --same-deals"),
        (("honest", "--variants", "D=1,2"), "1 bot was named"),
        (("./{bot}", "timid", "--variants", "bot=1,2"), "There is no bot './1'"),
        (("D=1 genius", "timid"), "There is no bot 'genius'"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(words: tuple[str, ...], said: str) -> None:
    result = arena_play(*words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("word", "settings", "bot"),
    [
        ("mine.py", (), "mine.py"),
        ("a=b.py", (), "a=b.py"),
        ("D=3 mine.py", (("D", "3"),), "mine.py"),
        (
            """D=3  TEXT='a "b"' E= ./bot --x=1 y""",
            (("D", "3"), ("TEXT", 'a "b"'), ("E", "")),
            "./bot --x=1 y",
        ),
        ("""P='a'"'"'b' my bot.py""", (("P", "a'b"),), "my bot.py"),
    ],
)
def test_settings_stand_before_a_bot_as_in_a_shell(
    word: str, settings: tuple[tuple[str, str], ...], bot: str
) -> None:
    assert settings_and_bot(word) == (settings, bot)
