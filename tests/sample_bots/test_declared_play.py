"""Bots that declare their play act as they declare, and others declare none."""

from collections import Counter
from functools import cache
from random import Random
from typing import Any

import pytest

from arena.bot import Match, Turn
from arena.bot.bot import AnyBot
from arena.games import make_game
from arena.lab.analysis.bluff.solved_play import chosen
from arena.local.declared_play import declared_play
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.match.replay import replay
from benchmarks.strangers_load.unseen import unseen

DECLARING = ("random", "timid", "honest", "bayes", "cfr", "crowd")


@cache
def strangers() -> dict[str, type[AnyBot]]:
    """The strangers that were not looked at, with the tables of matches in place of rounds'."""
    found = chosen()
    assert found is not None
    return unseen(found)


def turns(seats: int) -> list[Turn[Any, Any]]:
    """Every fifth turn of some matches."""
    game = make_game("bluff")
    contenders = [Contender(f"bot {seat}", load_bot("bayes")) for seat in range(seats)]
    found = []
    for played in play_series(game, contenders, 3, "declared"):
        for frame in replay(played.transcript):
            if frame.step is not None and isinstance(frame.step.actor, int):
                match = Match.of(played.transcript.setup, frame.step.actor)
                view = game.view(frame.before, frame.step.actor)
                found.append(Turn(match, 1, view, (), 2000, 30000))
    return found[::5]


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("name", DECLARING)
def test_a_bot_acts_as_often_as_it_declares(name: str, seats: int) -> None:
    check(load_bot(name), seats)


@pytest.mark.parametrize("name", sorted(strangers()))
def test_so_does_a_stranger(name: str) -> None:
    check(strangers()[name], 2)


def check(kind: type[AnyBot], seats: int) -> None:
    play = declared_play(kind, make_game("bluff"), seats)
    assert play is not None
    for turn in turns(seats)[:6]:
        shares = play(turn.view)
        assert sum(shares.values()) == pytest.approx(1)
        bot = kind(Random(str(turn.view)))
        taken = Counter(bot.act(turn) for _ in range(400))
        assert set(taken) <= {action for action, share in shares.items() if share > 0}
        for action, share in shares.items():
            # Four standard deviations, and one of 400 for the rarest.
            bound = 4 * (share * (1 - share) / 400) ** 0.5 + 1 / 400
            assert abs(taken[action] / 400 - share) <= bound


def test_a_bot_without_declared_play_has_none() -> None:
    assert declared_play(load_bot("search"), make_game("bluff"), 2) is None
    assert declared_play(load_bot("exploiter"), make_game("bluff"), 2) is None


def test_a_bot_that_replaces_how_another_acts_does_not_inherit_its_declared_play() -> None:
    honest: type[AnyBot] = load_bot("honest")

    class Bold(honest):  # type: ignore[misc, valid-type]
        def act(self, turn: Turn[Any, Any]) -> Any:
            return next(turn.choices())

    class Calm(honest):  # type: ignore[misc, valid-type]
        pass

    assert declared_play(Bold, make_game("bluff"), 2) is None
    assert declared_play(Calm, make_game("bluff"), 2) is not None
