"""The starter in Python answers the turns of sample_bots/vectors/ as the other starters do."""

from random import Random
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from arena.bot import Match, Turn
from arena.codec.bot_side import read_action, read_view
from arena.games import make_game
from arena.local.loading import SAMPLE_BOTS, load_bot
from arena.match.clock import TimeControl
from arena.match.transcript import Entrant
from arena.v1 import game_pb2
from tests.starters.test_bot_vectors import TURNS, lines, options_of

STARTER = SAMPLE_BOTS / "starters" / "python" / "bot.py"


@pytest.mark.parametrize("name", TURNS)
def test_it_answers_every_turn_as_the_honest_bots_do(name: str) -> None:
    game, kind, answered = name.removeprefix("turns_"), load_bot(str(STARTER)), 0
    for vector in lines(name):
        options = ParseDict(vector["options"], game_pb2.Options())
        rules = make_game(game, options_of(game, options))
        for number, turn in enumerate(vector["turns"], start=1):
            view = read_view(game, ParseDict(turn["view"], game_pb2.View()), turn["seat"])
            entrants = tuple(Entrant(f"bot-{seat}", "1", "us") for seat in range(6))
            match: Match[Any] = Match("m1", rules, turn["seat"], entrants, TimeControl(), 3)
            bot = kind(Random(number))
            bot.match_started(match)
            action = bot.act(Turn(match, number, view, (), 2_000, 30_000))
            answers = [
                read_action(game, ParseDict(answer, game_pb2.Action()))
                for answer in turn["answers"]
            ]
            assert action in answers, turn
            answered += 1
    assert answered > 300
