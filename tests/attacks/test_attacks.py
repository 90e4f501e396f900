"""Beside every attack a well-behaved pair plays on, without a fault.

Each test prints the pair's matches a second before and beside the attack (pytest -s). How much an
attack may cost is measured by benchmarks/attacks.py; here the bound is low, because the attackers
never wait and take a processor for themselves, and other programs run beside the tests too.
"""

import asyncio
from pathlib import Path

import pytest

from benchmarks.referee_load.attackers import ATTACKS
from benchmarks.referee_load.stage import client
from tests.scene import Company, Scene, good_pair, opened
from tests.server.limits.test_behind_proxy import behind_proxy

BEGINS_SECONDS = 0.5
"""Until all connections of an attack are open."""
SECONDS = 0.5
WINDOWS = 48
"""The best of so many counts, as other programs run beside the tests."""
LEAST_SHARE = 0.05
WORST = ["continuation flood", "undecodable metadata"]
"""Those that leave the least without the proxy."""
LEAST_SHARE_BEHIND_PROXY = 0.07
"""The pair waits for a turn of the processors beside these, so a faster referee plays faster beside
an attack by less than without one.
"""

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
        await require_share(LEAST_SHARE, attack, scene, scene.port)


@pytest.mark.parametrize("attack", WORST)
async def test_behind_the_proxy_a_pair_keeps_more(
    attack: str, database: str, tmp_path: Path
) -> None:
    async with behind_proxy(database, tmp_path) as (scene, port):
        await require_share(LEAST_SHARE_BEHIND_PROXY, attack, scene, port)


async def require_share(least: float, attack: str, scene: Scene, port: int) -> None:
    """Require that a pair and an attack by this port leave the pair so much of its pace."""
    tokens = await attackers(scene)
    async with good_pair(scene, port) as pair:
        alone = await pace(pair, SECONDS)
        beside = 0.0
        lasts = BEGINS_SECONDS + WINDOWS * SECONDS
        with client("attackers", attack, port, lasts, tokens=tokens) as process:
            assert process.stdout is not None
            assert await asyncio.to_thread(process.stdout.readline) == "attacking\n"
            await asyncio.sleep(BEGINS_SECONDS)
            for _ in range(WINDOWS):
                beside = max(beside, await pace(pair, SECONDS))
                if beside >= least * alone:
                    break
            process.terminate()
    print(f"{attack}: {alone:.0f} matches/s before it, {beside:.0f} beside it")
    assert beside >= least * alone
