"""The fixtures of tournaments: worlds with a referee and its conductor."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.server.tournaments.cups import CupWorld


@pytest.fixture
async def worlds() -> AsyncIterator[list[CupWorld]]:
    """Worlds that are stopped at the end."""
    made: list[CupWorld] = []
    yield made
    for world in made:
        await world.stop()


@pytest.fixture
def world(worlds: list[CupWorld]) -> CupWorld:
    worlds.append(CupWorld())
    return worlds[0]


@pytest.fixture
async def searching(world: CupWorld) -> AsyncIterator[CupWorld]:
    """A world whose conductor looks for bots at other referees."""
    search = asyncio.create_task(world.conductor.search())
    yield world
    search.cancel()
