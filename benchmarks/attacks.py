"""Benchmark of a referee under attack: what is left to a pair of well-behaved bots.

For each attack (see referee_load.attackers; `--only` names some) a fresh referee is started twice:
once beside the attack, once beside a process that uses as much CPU as the attackers did and does
nothing. Prints the pair's matches a second and, as a ratio of the two, the 99th percentile of the
time from an answer to the next turn of a match between the two. With `--proxy` each attack runs
once more, and so does the pair, by the proxy of deploy/haproxy, beside which haproxy takes CPU of
its own.
"""

import asyncio
import itertools
import json as text
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from benchmarks.options import command
from benchmarks.referee_load.attackers import ATTACKS
from benchmarks.referee_load.stage import client, database, referee, register
from benchmarks.rounds import Figures
from benchmarks.tables import Table
from tests.haproxy import Proxy

PLACES = 8
WARM_UP = 5.0
ATTACKERS = 8
SECRET = "of the referee and the proxy"
FEW_FILES = 1_024
"""The limit of open files for the attack that exhausts connections."""


def main(
    seconds: float = 8.0, only: Sequence[str] = (), proxy: bool = False, json: Path | None = None
) -> None:
    table = Table()
    with database() as url:
        pair = asyncio.run(register(url, 2, "pair"))
        crowd = asyncio.run(register(url, ATTACKERS, "attacker", "attacker"))
        ways = [("", direct), (", behind the proxy", proxied)] if proxy else [("", direct)]
        for attack, (where, way) in itertools.product(only or ATTACKS, ways):
            attacked, used = beside(url, attack, pair, crowd, seconds, way)
            loaded, _ = beside(url, "burn", pair, [f"{used:.3f}"], seconds, way)
            before, after = loaded["matches_per_second"], attacked["matches_per_second"]
            row = {"attack": attack + where, "matches/s": after, "beside equal load": before}
            row |= {"share": after / max(0.1, before)}
            table.add(row, {"p99, ×": attacked["p99_us"] / max(1.0, loaded["p99_us"])})
    table.write(json)


Way = Callable[[int], AbstractContextManager[int]]
"""A context that yields, for a referee's port, the port to which bots connect."""

direct: Way = nullcontext


@contextmanager
def proxied(port: int) -> Iterator[int]:
    proxy = Proxy()
    with (
        tempfile.TemporaryDirectory() as folder,
        proxy.running([port], Path(folder), secret=SECRET),
    ):
        yield proxy.port


def beside(
    url: str, attack: str, pair: Sequence[str], words: Sequence[str], seconds: float, way: Way
) -> tuple[Figures, float]:
    """Return the pair's figures beside an attack, and how many cores the attackers used."""
    lasts = WARM_UP + seconds + 2
    files = FEW_FILES if attack == "idle connections" else None
    with (
        referee(url, open_files=files, ARENA_DASHBOARD_SECRET=SECRET) as (own_port, _),
        way(own_port) as port,
        client("attackers", attack, port, lasts, tokens=words) as attackers,
        client("players", "play", port, PLACES, seconds, WARM_UP, tokens=pair) as players,
    ):
        figures: Figures = text.loads(players.communicate()[0])
        said, _ = attackers.communicate()
    return figures, text.loads(said.splitlines()[-1])["cpu_seconds"] / lasts


if __name__ == "__main__":
    command(main, only=ATTACKS)
