"""Beside every attack a well-behaved pair plays on, without a fault.

Each test prints the pair's matches a second before and beside the attack (pytest -s). How much an
attack may cost is measured by benchmarks/attacks.py; here the bound is low, because other programs
run beside the tests too: before there were limits most attacks left less.
"""

import asyncio

import pytest

from benchmarks.referee_load.attackers import ATTACKS
from benchmarks.referee_load.stage import client
from tests.referee.scene import Company, Scene, good_pair, opened

SECONDS = 4.0
LEAST_SHARE = 0.2

pytestmark = pytest.mark.slow


async def pace(pair: Company, seconds: float) -> float:
    """Matches that end in a second."""
    before = len(pair.peers[0].ended)
    await asyncio.sleep(seconds)
    return (len(pair.peers[0].ended) - before) / seconds


async def attackers(scene: Scene) -> list[str]:
    return [await scene.token(f"attacker{number}", "attacker") for number in range(8)]


@pytest.mark.parametrize("attack", ATTACKS)
async def test_a_pair_plays_on_beside(attack: str, database: str) -> None:
    async with opened(database) as scene:
        tokens = await attackers(scene)
        async with good_pair(scene) as pair:
            alone = await pace(pair, SECONDS)
            lasts = SECONDS + 3
            with client("attackers", attack, scene.port, lasts, tokens=tokens) as process:
                await asyncio.sleep(2)
                beside = await pace(pair, SECONDS)
                await asyncio.to_thread(process.wait)
        print(f"{attack}: {alone:.0f} matches/s before it, {beside:.0f} beside it")
        assert beside >= LEAST_SHARE * alone
