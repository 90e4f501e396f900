"""sample_bots/vectors/ is what the games, the codec and the honest bots do."""

import json
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from arena.codec import transcript as transcript_codec
from arena.codec.bot_side import read_action, read_view
from arena.codec.game_codec import CODECS
from arena.games import make_game
from arena.match.replay import TranscriptError
from arena.match.transcript_json import from_json
from arena.match.verify import verify
from arena.signatures import check_signature
from arena.v1 import game_pb2, transcript_pb2
from tests.independent_referee import WrongError, check
from tools.bot_vectors.turns import turn_vectors
from tools.bot_vectors.write import DIRECTORY, files

TURNS = ("turns_bluff", "turns_bluff_you", "turns_bloeff")


def lines(name: str) -> list[Any]:
    text = (DIRECTORY / f"{name}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.slow
def test_the_files_are_what_the_tool_writes() -> None:
    written = {file.name: file.read_text() for file in DIRECTORY.glob("*.json*")}
    fresh = files()
    assert set(written) == set(fresh)
    old = [name for name, text in fresh.items() if written[name] != text]
    assert not old, f"run python -m tools.bot_vectors.write: {old}"


@pytest.mark.slow
@pytest.mark.parametrize("name", TURNS)
def test_the_first_turns_of_a_file_are_what_the_tool_writes(name: str) -> None:
    first = next(turn_vectors(name.removeprefix("turns_")))
    assert json.loads(json.dumps(first)) == lines(name)[0], "run python -m tools.bot_vectors.write"


@pytest.mark.parametrize("vector", lines("matches"))
def test_document_and_message_of_a_match_are_the_same_valid_match(vector: Any) -> None:
    message = ParseDict(vector["message"], transcript_pb2.Transcript())
    transcript = transcript_codec.from_message(message)
    assert from_json(vector["document"]) == transcript
    verify(transcript)
    check_signature(transcript)
    check(vector["document"])


def test_every_kind_of_draw_occurs() -> None:
    kinds = {
        (vector["document"]["game"], step["action"]["type"])
        for vector in lines("matches")
        for step in vector["document"]["steps"]
        if step["actor"] == "dealer"
    }
    assert kinds == {
        *(("bluff", kind) for kind in ("starting_roll", "opener_draw", "roll", "reroll")),
        ("bluff_you", "roll"),
        *(("bloeff", kind) for kind in ("deal", "reshuffle", "doubter")),
    }


@pytest.mark.parametrize("vector", lines("tampered"), ids=lambda vector: vector["changed"])
def test_a_tampered_match_does_not_verify(vector: Any) -> None:
    message = ParseDict(vector["message"], transcript_pb2.Transcript())
    with pytest.raises((TranscriptError, WrongError)):
        verify(transcript_codec.from_message(message))


@pytest.mark.parametrize("name", TURNS)
def test_the_answers_are_legal(name: str) -> None:
    game = name.removeprefix("turns_")
    for vector in lines(name):
        options = ParseDict(vector["options"], game_pb2.Options())
        rules = make_game(game, options_of(game, options))
        for turn in vector["turns"]:
            view = read_view(game, ParseDict(turn["view"], game_pb2.View()), turn["seat"])
            assert turn["answers"]
            legal = list(rules.choices(view))
            for answer in turn["answers"]:
                assert read_action(game, ParseDict(answer, game_pb2.Action())) in legal


@pytest.mark.slow
def test_there_are_two_thousand_turns() -> None:
    assert sum(len(vector["turns"]) for name in TURNS for vector in lines(name)) >= 2000


def options_of(game: str, message: game_pb2.Options) -> dict[str, Any]:
    """The options of a vector, by name."""
    return CODECS[game].read_options(getattr(message, game)).model_dump()
