"""The bot that asks a language model, against a local server that answers well, badly or never."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from arena.bot import Usage
from arena.games import GAMES, make_game
from arena.local.in_process import Contender, PlayedMatch, UnreadyBotError, play_series
from arena.local.loading import load_bot
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena_sample_bots.language_model.llm import LLM
from tests.bots import PATIENCE
from tests.sample_bots.chat_server import (
    Behaviour,
    ChatServer,
    chat_server,
    drips,
    hangs,
    plays,
    plays_the_first,
    says,
    sends,
)

KEY = 'sk-a-secret-"of-mine'
SLOW = TimeControl(60_000, 600_000)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Plays matches against the honest sample bot, the model being a server that behaves so."""

    def play(
        *behaviours: Behaviour,
        game: str = "bluff",
        time_control: TimeControl = SLOW,
        opponent: str = "honest",
        **options: Any,
    ) -> tuple[PlayedMatch, ChatServer, list[dict[str, Any]], str]:
        with chat_server(*behaviours) as chat:
            monkeypatch.setenv("LLM_BASE_URL", chat.url)
            contenders = [Contender("llm", LLM), Contender(opponent, load_bot(opponent))]
            (played,) = play_series(make_game(game, options), contenders, 1, "s", time_control)
        (log,) = (tmp_path / "logs").glob("*.jsonl")
        text = log.read_text("utf-8")
        assert log.stem == f"{played.transcript.setup.match_id}-0"
        return played, chat, [json.loads(line) for line in text.splitlines()], text

    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LLM_MODEL", "a-model")
    monkeypatch.setenv("LLM_API_KEY", KEY)
    monkeypatch.setenv("LLM_LOG", str(tmp_path / "logs"))
    return play  # type: ignore[return-value]


def of_the_model(played: PlayedMatch) -> list[Any]:
    return [step.action for step in played.transcript.steps if step.actor == 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "opponent"),
    [
        ("bluff", "honest"),
        ("bluff_you", "bluff_you_honest"),
        ("bloeff", "bloeff_honest"),
        ("skull", "skull_honest"),
    ],
)
def test_every_game_is_played_without_a_fault(
    asked: Callable[..., Any], game: str, opponent: str
) -> None:
    played, chat, log, text = asked(plays_the_first, game=game, opponent=opponent)
    assert played.refused == ()
    assert len(chat.requests) == len(log) == len(of_the_model(played))
    assert set(chat.keys) == {f"Bearer {KEY}"}
    first = chat.requests[0]
    assert first["model"] == "a-model" and first["max_tokens"] == 1000
    system, user = (message["content"] for message in first["messages"])
    assert GAMES[game].title in system and "seat 0 of 2" in system
    for request in chat.requests:
        Draft202012Validator.check_schema(request["response_format"]["json_schema"]["schema"])
    assert '"view"' not in user and "What your seat sees now" in user
    for line, action in zip(log, of_the_model(played), strict=True):
        assert json.loads(line["answer"])["action"] == GAMES[game].notation.to_json(action)
        assert line["prompt"][0]["content"] == system and line["wrong"] == ""
    assert KEY not in text and json.dumps(KEY)[1:-1] not in text


def test_a_prompt_follows_the_rules(
    asked: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bold.md").write_text("Bluff {often}.\n")
    monkeypatch.setenv("LLM_PROMPT", str(tmp_path / "bold.md"))
    _, chat, _, _ = asked(plays_the_first)
    assert chat.requests[0]["messages"][0]["content"].endswith(
        "action that you play.\n\nBluff {often}."
    )
    monkeypatch.setenv("LLM_PROMPT", str(tmp_path / "absent.md"))
    with pytest.raises(UnreadyBotError, match=r"LLM_PROMPT is '.*absent.md', which cannot be read"):
        asked(plays_the_first)


def test_the_schema_allows_just_what_is_legal(asked: Callable[..., Any]) -> None:
    _, chat, _, _ = asked(plays_the_first, start_mode="seat")
    opening = chat.requests[0]["response_format"]["json_schema"]["schema"]
    allows = Draft202012Validator(opening).is_valid
    assert allows({"thought": "", "action": {"type": "bet", "quantity": 10, "face": "*"}})
    assert not allows({"thought": "", "action": {"type": "bet", "quantity": 11, "face": "*"}})
    assert not allows({"thought": "", "action": {"type": "doubt"}})


def test_where_too_much_is_legal_the_schema_is_the_form_of_an_action(
    asked: Callable[..., Any],
) -> None:
    bet = plays({"type": "bet", "quantity": 1, "face": 1, "show": [99]})
    played, chat, _, _ = asked(bet, show_and_reroll=True, dice_per_player=16)
    assert played.refused == ()
    schema = chat.requests[0]["response_format"]["json_schema"]["schema"]
    assert "Bet" in schema["$defs"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (plays({"type": "bet", "quantity": 99, "face": 1}), "is not legal now"),
        (plays({"type": "doubt", "now": True}), "doubt has no such member"),
        (plays("doubt"), "allowed is an object"),
        (says('{"bet": 1}'), "the answer has no member `action`"),
        (says("I doubt it."), "the answer is not a JSON object"),
        (says("[" * 100_000), "the answer is not a JSON object"),
        (says(""), "the answer holds no text"),
        (sends(200, b"<html>"), "the request failed"),
        (sends(200, b'{"choices": []}'), "the answer holds no text"),
        (sends(200, b"[1, 2"), "the request failed"),
        (sends(500, b"oops"), "the request failed"),
        (sends(401, json.dumps({"error": {"message": f"wrong key {KEY}"}}).encode()), "wrong key"),
    ],
)
def test_a_wrong_answer_is_asked_for_once_more_with_the_reason(
    asked: Callable[..., Any], wrong: Behaviour, why: str
) -> None:
    played, chat, log, text = asked(wrong, plays_the_first)
    assert played.refused == ()
    assert why in log[0]["wrong"] and log[1]["wrong"] == ""
    assert len(chat.requests) == len(of_the_model(played)) + 1
    again = chat.requests[1]["messages"]
    assert again[:2] == chat.requests[0]["messages"]
    assert why in again[3]["content"] and "did not count" in again[3]["content"]
    assert KEY not in text and json.dumps(KEY)[1:-1] not in text


@pytest.mark.parametrize("bad", [sends(500, b""), says("no"), plays({"type": "roll"})])
def test_after_two_wrong_answers_the_stand_in_plays(
    asked: Callable[..., Any], bad: Behaviour
) -> None:
    played, chat, log, _ = asked(bad)
    assert played.refused == ()
    turns = len(of_the_model(played))
    assert len(chat.requests) == 2 * turns and len(log) == 3 * turns
    notation = GAMES["bluff"].notation
    assert [line["stand_in"] for line in log[2::3]] == [
        notation.to_json(action) for action in of_the_model(played)
    ]
    assert {line["because"] for line in log[2::3]} == {"2 answers did not count"}


def test_the_owner_is_told_the_thought_and_what_each_turn_took(
    asked: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[tuple[str, Usage]] = []
    monkeypatch.setattr(LLM, "note", lambda _bot, text, usage: noted.append((text, usage)))
    monkeypatch.setenv("LLM_INPUT_PRICE", "2.5")
    monkeypatch.setenv("LLM_OUTPUT_PRICE", "10")
    lowest = {"type": "bet", "quantity": 1, "face": 1}
    said = json.dumps({"thought": f"My key is {KEY}.", "action": lowest})
    played, _, log, _ = asked(
        says("no", tokens=110), says(said, tokens=1_010), says("no"), start_mode="seat"
    )
    assert played.refused == ()
    (text, usage), stood_in = noted[0], noted[-1]
    assert text == "My key is [the key]."
    assert usage[:3] == (100 + 1_000, 10 + 10, round(2.5 * 1_100 + 10 * 20))
    assert usage.latency_ms >= 0
    assert stood_in[0] == "The stand-in plays, because 2 answers did not count."
    assert len(noted) == len(of_the_model(played)) and len(log) > len(noted)


@pytest.mark.slow
@pytest.mark.parametrize("slow", [hangs, drips])
def test_the_clock_of_the_turn_is_kept_however_slow_the_server_is(
    asked: Callable[..., Any], slow: Behaviour
) -> None:
    began = time.monotonic()
    played, chat, log, _ = asked(slow, time_control=TimeControl(1_000, 800), dice_per_player=1)
    took = time.monotonic() - began
    # 0.9 of 1,000 ms and an eighth of the bank, and no second question in what is left.
    assert len(chat.requests) == len(of_the_model(played))
    assert took < 1.1 * len(of_the_model(played)) + PATIENCE
    assert played.refused == ()
    assert allowed_seconds(log[0]["wrong"]) <= 1.0
    assert log[1]["because"] == "no time is left"


@pytest.mark.slow
def test_the_setting_may_allow_less_time_than_the_clock(
    asked: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_SECONDS", "1.5")
    played, _, log, _ = asked(hangs, plays_the_first, dice_per_player=1)
    assert played.refused == () and allowed_seconds(log[0]["wrong"]) <= 1.5


def allowed_seconds(wrong: str) -> float:
    """How long the bot says that it has waited: what making the question took is taken off."""
    found = re.fullmatch(r"no answer within (\d\.\d) s", wrong)
    assert found is not None, wrong
    return float(found[1])


@pytest.mark.parametrize("tokens", [100, None])
def test_a_match_takes_no_more_tokens_than_it_may(
    asked: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tokens: int | None
) -> None:
    monkeypatch.setenv("LLM_MATCH_TOKENS", "150")

    def counted(call: Any) -> None:
        plays({"type": "bet", "quantity": 1, "face": 1}, tokens=tokens)(call)

    played, chat, log, _ = asked(counted)
    assert played.refused == ()
    # 100 and 100 are above 150; where the server does not count, a prompt alone is.
    assert len(chat.requests) == (2 if tokens else 1)
    assert log[-1]["because"] == "the match's tokens are used up"


def test_further_members_of_a_request_are_those_of_the_setting(
    asked: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_EXTRA", '{"max_completion_tokens": 7, "temperature": 0.5}')
    _, chat, _, _ = asked(plays_the_first, time_control=DEFAULT_TIME_CONTROL)
    assert chat.requests[0]["max_completion_tokens"] == 7
    assert chat.requests[0]["temperature"] == 0.5
    assert "max_tokens" not in chat.requests[0]


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("LLM_BASE_URL", "", "LLM_BASE_URL is not set"),
        ("LLM_MODEL", "", "LLM_MODEL is not set"),
        ("LLM_SECONDS", "soon", "LLM_SECONDS is 'soon'; allowed is a number above 0"),
        ("LLM_INPUT_PRICE", "x", "LLM_INPUT_PRICE is 'x'; allowed is a number."),
        ("LLM_MATCH_TOKENS", "0", "LLM_MATCH_TOKENS is '0'; allowed is a number above 0"),
        ("LLM_EXTRA", "[1]", "LLM_EXTRA is not a JSON object"),
    ],
)
def test_a_setting_that_is_missing_or_wrong_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("LLM_MODEL", "m")
    monkeypatch.setenv(name, value)
    with pytest.raises(UnreadyBotError, match=sentence):
        list(play_series(make_game("bluff"), [Contender("llm", LLM)] * 2, 1, "s"))
