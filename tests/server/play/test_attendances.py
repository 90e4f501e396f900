"""Whose shift is to end early: that of hosted bots alone, and of a version only what is meant."""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import cast

import pytest

from arena.database.keys import new_shift_token
from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.server.limits.limits import LimitError
from arena.server.play.attendances import MOST_OF_A_TOKEN, Attendances
from arena.server.play.session import Session


@dataclass(eq=False)
class Here:
    """A session, as far as attendances look at it."""

    registered: Registered
    idle: bool = True


def session(version: int, *, ladder: bool = True) -> Session:
    entrant = Entrant(f"bot{version}", "1", "me")
    registered = Registered(VersionId(version), entrant, house=False, ladder=ladder)
    return cast(Session, Here(registered))


def test_only_the_shifts_that_are_meant_are_asked_to_leave() -> None:
    attendances = Attendances()
    tokens = [new_shift_token() for _ in range(3)]
    attendances.came(tokens[0], session(1))
    attendances.came(tokens[1], session(1, ladder=False))
    attendances.came(tokens[2], session(2))
    attendances.came("arena_bot_token", session(1))
    with (
        attendances.watched(tokens[0], drain=False) as (on_ladder, told),
        attendances.watched(tokens[1], drain=False) as (in_tournament, not_told),
        attendances.watched("arena_bot_token", drain=False) as (own, _),
    ):
        attendances.ask_to_leave({1}, ladder=True)
        assert (on_ladder.leave, in_tournament.leave, own.leave) == (True, False, False)
        assert told.is_set() and not not_told.is_set()
    shifts = [(one.version_id, one.ladder, asked) for one, asked in attendances.shifts]
    assert shifts == [(1, True, True), (1, False, False), (2, True, False)]


def test_few_calls_watch_a_token_at_once() -> None:
    attendances = Attendances()
    with ExitStack() as calls:
        for _ in range(MOST_OF_A_TOKEN):
            calls.enter_context(attendances.watched("token", drain=False))
        with pytest.raises(LimitError), attendances.watched("token", drain=False):
            pytest.fail("one too many")
    with attendances.watched("token", drain=False):
        pass


def test_a_shift_that_is_over_is_forgotten() -> None:
    attendances = Attendances()
    token, own = new_shift_token(), session(1)
    attendances.came(token, own)
    attendances.left(token, own)
    assert attendances.shifts == []
    with attendances.watched(token, drain=False) as (again, _):
        assert not again.leave
