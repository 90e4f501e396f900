"""A referee with two bots that accept challenges, for agents."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from arena.games import make_game
from arena.scheduling.ladder import TableType
from arena.server.play.terms import Patience, Terms
from arena.v1 import referee_pb2
from tests.agents.calls import TABLES, chosen
from tests.bots import Peer
from tests.scene import Scene, opened, playing


class Patient(Peer):
    """A bot that raises as little as it can in Bluff, so that a match lasts."""

    def choice(self, _game: str, actions: list[Any]) -> Any:
        return chosen(_game, actions)


@pytest.fixture
async def scene(database: str) -> AsyncIterator[Scene]:
    tables = [TableType(game, make_game(game, {}).options, seats) for game, seats in TABLES.items()]
    terms = Terms(patience=Patience(join_seconds=5, grace_seconds=20))
    async with opened(database, *tables, terms=terms) as scene:
        accept = referee_pb2.CHALLENGE_POLICY_ACCEPT
        peers = [
            Patient(scene.port, await scene.token(name), challenges=accept, games=[*TABLES])
            for name in ("a", "b")
        ]
        async with playing(peers) as company:
            await company.arrived()
            yield scene
