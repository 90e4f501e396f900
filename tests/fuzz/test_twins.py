"""Two referees, one with compiled rules, get the same oddities: nobody can tell which is which."""

import asyncio
from dataclasses import fields
from random import Random
from typing import Any

import pytest

from arena.server.play.compiled import installed_games
from tests.fuzz.table import TABLES, WHIMS, Table
from tests.thoroughness import tries

pytest.importorskip("bluff_arena_fast", reason="not installed: make fast")

CASES_A_TABLE = 200


@pytest.mark.slow
def test_nobody_can_tell_by_any_oddity_which_rules_play() -> None:
    loop, games = asyncio.new_event_loop(), installed_games()
    tables = [one for one in TABLES if one[0] in games]
    whims, weights = zip(*WHIMS, strict=True)
    cases = 0
    for seed in range(tries(40, quick=10)):
        twins = [Table(Random(seed), loop, rules, tables) for rules in (games, {})]
        with twins[0].watched(), twins[1].watched():
            for whim in Random(seed).choices(whims, weights, k=CASES_A_TABLE):
                known = len(twins[0].referee.world.recorder.matches)
                for twin in twins:
                    whim(twin)
                compiled, python = (_recorded(twin, known) for twin in twins)
                assert sorted(compiled) == sorted(python), (seed, whim.__name__)
                if compiled != python:
                    # Two matches ended by one message, in another order: the next that begin have
                    # each other's ids and secrets.
                    break
                compiled, python = map(_heard, twins)
                assert compiled == python, (seed, whim.__name__)
                cases += 1
    assert cases > CASES_A_TABLE
    assert not any(len(game.matches) for game in games.values())


def _recorded(table: Table, known: int) -> list[str]:
    """Return the matches that were recorded after the `known` ones."""
    return [f"{match}" for match in table.referee.world.recorder.matches[known:]]


def _heard(table: Table) -> Any:
    """Return what was told since the last call, and kept; in whatever order matches go on."""
    referee = table.referee
    heard, referee.heard = referee.heard, []
    kept = [
        [sorted(map(repr, getattr(unkept, field.name))) for field in fields(unkept)]
        for unkept in referee.world.recorder.kept[-1:]
    ]
    return sorted(heard), referee.statuses, referee.faults, kept
