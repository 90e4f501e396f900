"""A bot may return anything: it is a fault that is told as it is, and the series goes on."""

import asyncio
import json
import pickle
import warnings
from collections.abc import Callable
from dataclasses import fields, replace
from random import Random
from typing import Any

import pytest

from arena.bot import Bot, Turn
from arena.commands.home.faults import fault_json, fault_text
from arena.games import GAMES, make_game
from arena.local.in_process import Contender, play_series


class _Rude:
    """An object that raises whenever it is looked at."""

    def __init__(self, error: type[BaseException] = RuntimeError) -> None:
        self.error = error

    def __repr__(self) -> str:
        raise self.error("no repr")

    def __eq__(self, _: object) -> bool:
        raise self.error("no comparison")

    def __hash__(self) -> int:
        raise self.error("no hash")


def _with_member(turn: Turn, value: object) -> object:
    """A legal action with something else in its first member, if it has one."""
    for action in turn.choices():
        names = [field.name for field in fields(action)]
        if names:
            action = replace(action)  # choices may be shared
            object.__setattr__(action, names[0], value)
            return action
    return value


def _subclass(turn: Turn) -> object:
    action = next(iter(turn.choices()))
    kind = type("Mine", (type(action),), {})
    return kind(**{field.name: getattr(action, field.name) for field in fields(action)})


async def _later() -> None:
    await asyncio.sleep(0)


ODD: dict[str, Callable[[Turn], object]] = {
    "None": lambda _: None,
    "text": lambda _: "bet \x1b[31m\ud800",
    "huge": lambda _: 10**5000,
    "nan": lambda _: float("nan"),
    "rude": lambda _: _Rude(),
    "coroutine": lambda _: _later(),
    "function": lambda _: lambda: 1,
    "list": lambda _: [1],
    "member None": lambda turn: _with_member(turn, None),
    "member 17": lambda turn: _with_member(turn, 17),
    "member huge": lambda turn: _with_member(turn, 10**5000),
    "member text": lambda turn: _with_member(turn, "x"),
    "member nan": lambda turn: _with_member(turn, float("nan")),
    "member rude": lambda turn: _with_member(turn, _Rude()),
    "cancelling": lambda _: _Rude(asyncio.CancelledError),
    "member cancelling": lambda turn: _with_member(turn, _Rude(asyncio.CancelledError)),
    "member list": lambda turn: _with_member(turn, [_Rude(), None]),
    "subclass": _subclass,
}


def _bot(odd: Callable[[Turn], object]) -> type[Bot]:
    class Odd(Bot):
        def act(self, turn: Turn) -> Any:
            return odd(turn)

    return Odd


class _Random(Bot):
    def __init__(self, random: Random) -> None:
        self._random = random

    def act(self, turn: Turn) -> Any:
        return self._random.choice(list(turn.choices()))


@pytest.mark.parametrize("game_name", GAMES)
@pytest.mark.parametrize("name", ODD)
def test_what_is_no_action_is_a_fault_in_every_game(game_name: str, name: str) -> None:
    game = make_game(game_name)
    seats = [Contender("odd", _bot(ODD[name])), Contender("other", _Random)]
    while len(seats) < game.options.players_min:
        seats.append(Contender(f"other{len(seats)}", _Random))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        played = list(play_series(game, seats, 2, "seed"))
        refused = [one for match in played for one in match.refused]
        assert refused or name.startswith("member 17")  # which some games allow
        for one in refused:
            assert pickle.loads(pickle.dumps(one.sent)) == one.sent
            fault = fault_json(game, "odd", one.kind.value, one.reason, one, 1)
            json.dumps(fault, allow_nan=False)
            assert fault_text(fault)


class _OwnError(Exception):
    """An error that cannot be told."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class _OwnEnd(BaseException):
    """The same, which is no Exception."""

    def __str__(self) -> str:
        raise asyncio.CancelledError


def _raising(error: BaseException) -> Callable[[Turn], object]:
    def odd(_: Turn) -> object:
        raise error

    return odd


@pytest.mark.parametrize(
    "error",
    [
        SystemExit(0),
        SystemExit("gone"),
        GeneratorExit(),
        asyncio.CancelledError(),
        BaseExceptionGroup("both", [asyncio.CancelledError()]),
        RecursionError(),
        _OwnError(),
        _OwnEnd(),
    ],
)
def test_whatever_a_bot_raises_is_its_own_fault_and_the_series_goes_on(
    error: BaseException,
) -> None:
    seats = [Contender("odd", _bot(_raising(error))), Contender("other", _Random)]
    played = list(play_series(make_game("bluff"), seats, 4, "seed"))
    reasons = {one.reason for match in played for one in match.refused}
    assert len(played) == 4
    assert len(reasons) == 1
    assert reasons.pop().startswith(type(error).__name__)


def test_ctrl_c_in_the_middle_of_a_turn_ends_the_series() -> None:
    seats = [Contender("odd", _bot(_raising(KeyboardInterrupt()))), Contender("other", _Random)]
    with pytest.raises(KeyboardInterrupt):
        list(play_series(make_game("bluff"), seats, 1, "seed"))


def test_a_bot_that_exits_when_a_match_is_over_ends_no_series() -> None:
    class Leaving(_Random):
        def match_ended(self, transcript: Any) -> None:
            raise SystemExit(0)

    seats = [Contender("odd", Leaving), Contender("other", _Random)]
    assert len(list(play_series(make_game("bluff"), seats, 2, "seed"))) == 2
