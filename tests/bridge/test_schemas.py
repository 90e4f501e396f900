"""What the bridge writes is as the schemas say, in many random matches under many options."""

import json
from functools import cache
from typing import Any, ClassVar

import pytest
from jsonschema import Draft202012Validator

from arena.bot import AnyAction, Bot, Match, Transcript, Turn
from arena.bridge import lines
from arena.bridge.schemas import FOLDER, text
from arena.games import GAMES, make_game
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from tests.thoroughness import tries

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "bluff": [{}, {"show_and_reroll": True}, {"start_rerolls": 0, "dice_per_player": 1}],
    "bluff_you": [{}, {"steal_takes": "any_chip", "swap_max_per_turn": 3, "swap_min_give": 1}],
    "bloeff": [{}, {"publish_ballots": "all", "below_zero": "bluff"}, {"call_mode": "auto"}],
}


class Watched(Bot):
    """Plays at random and keeps what a program would have read and written."""

    read: ClassVar[list[str]] = []
    written: ClassVar[list[dict[str, Any]]] = []

    def match_started(self, match: Match) -> None:
        self.read.append(lines.start(match))

    def act(self, turn: Turn) -> AnyAction:
        self.read.append(lines.turn(turn))
        self.player = getattr(self, "player", None) or load_bot("random")(self.random)
        action = self.player.act(turn)
        value = turn.game.notation.to_json(action)
        self.written.append({"match": turn.match_id, "turn": turn.number, "action": value})
        assert turn.game.notation.from_json(value) == action
        return action

    def match_ended(self, transcript: Transcript) -> None:
        self.read.append(lines.end(transcript))


@cache
def validator(game: str, name: str | None = None) -> Draft202012Validator:
    schema = json.loads(FOLDER.joinpath(f"{game}.json").read_text())
    Draft202012Validator.check_schema(schema)
    if name is not None:
        schema = {"$defs": schema["$defs"], "$ref": f"#/$defs/{name}"}
    return Draft202012Validator(schema)


@pytest.mark.parametrize("game", GAMES)
def test_the_files_are_those_that_the_rules_give(game: str) -> None:
    assert FOLDER.joinpath(f"{game}.json").read_text() == text(game), (
        "python -m arena.bridge.schemas"
    )


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_line_of_random_matches_is_as_the_schema_says(game: str) -> None:
    line, answer, matches = validator(game), validator(game, "answer"), tries(8, quick=1)
    for options in OPTIONS.get(game, [{}]):
        Watched.read, Watched.written = [], []
        rules = make_game(game, options)
        seats = min(3, rules.seat_counts[-1])
        contenders = [Contender(f"watched-{seat}", Watched) for seat in range(seats)]
        for _ in play_series(rules, contenders, matches, "schemas"):
            pass
        assert len(Watched.read) > 4 * matches
        for text_ in Watched.read:
            line.validate(json.loads(text_))
        for value in Watched.written:
            answer.validate(value)


@pytest.mark.parametrize("game", GAMES)
def test_a_line_with_one_member_less_or_more_is_not(game: str) -> None:
    Watched.read = []
    for _ in play_series(
        make_game(game), [Contender("a", Watched), Contender("b", Watched)], 1, "schemas"
    ):
        pass
    turn = next(json.loads(one) for one in Watched.read if '"type":"turn"' in one)
    for part in (turn, turn["view"]):
        for member in list(part):
            value = part.pop(member)
            assert not validator(game).is_valid(turn), member
            part[member] = value
        part["new"] = 1
        assert not validator(game).is_valid(turn)
        del part["new"]
    assert validator(game).is_valid(turn)
