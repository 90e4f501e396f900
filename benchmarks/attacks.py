"""Benchmark of a referee under attack: what is left to a pair of well-behaved bots.

python -m benchmarks.attacks [--seconds 8] [--only ATTACK]… [--proxy] [--json FILE]

For each attack (see referee_load.attackers) a fresh referee is started twice: once beside the
attack, once beside a process that uses as much CPU as the attackers did and does nothing. Prints
the pair's matches a second and the 99th percentile of the time from an answer to the next turn of
a match between the two. With `--proxy` each attack runs once more, and so does the pair, by the
proxy of deploy/haproxy, beside which haproxy takes CPU of its own.
"""

import asyncio
import itertools
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from benchmarks.options import parser_of, write_json
from benchmarks.referee_load.attackers import ATTACKS
from benchmarks.referee_load.stage import Figures, client, database, referee, register
from tests.haproxy import Proxy

PLACES = 8
WARM_UP = 5.0
ATTACKERS = 8
SECRET = "of the referee and the proxy"
FEW_FILES = 1_024
"""The limit of open files where connections are exhausted."""


def main() -> None:
    """Run all attacks and print the table."""
    parser = parser_of(__doc__, json=True)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--only", action="append", choices=list(ATTACKS), help="may be repeated")
    parser.add_argument("--proxy", action="store_true", help="also behind deploy/haproxy")
    options = parser.parse_args()
    report: dict[str, Figures] = {}
    with database() as url:
        pair = asyncio.run(register(url, 2, "pair"))
        crowd = asyncio.run(register(url, ATTACKERS, "attacker", "attacker"))
        print("| attack | matches/s beside it | beside equal load | share | p99 |")
        print("| --- | --- | --- | --- | --- |", flush=True)
        ways = [("", direct), (", behind the proxy", proxied)] if options.proxy else [("", direct)]
        for attack, (where, way) in itertools.product(options.only or ATTACKS, ways):
            figures = both(url, attack, pair, crowd, options.seconds, way)
            report[attack + where] = figures
            print(
                f"| {attack}{where} | {figures['attacked']:.0f} | {figures['loaded']:.0f} "
                f"| {figures['share']:.2f} | {figures['p99_ratio']:.1f} × |",
                flush=True,
            )
    write_json(options.json, report)


Way = Callable[[int], AbstractContextManager[int]]
"""The port by which bots come to a referee's."""

direct: Way = nullcontext


@contextmanager
def proxied(port: int) -> Iterator[int]:
    proxy = Proxy()
    with (
        tempfile.TemporaryDirectory() as folder,
        proxy.running([port], Path(folder), secret=SECRET),
    ):
        yield proxy.port


def both(
    url: str, attack: str, pair: Sequence[str], crowd: Sequence[str], seconds: float, way: Way
) -> Figures:
    """The figures beside an attack and beside an equal load."""
    attacked, used = beside(url, attack, pair, crowd, seconds, way)
    loaded, _ = beside(url, "burn", pair, [f"{used:.3f}"], seconds, way)
    return {
        "attacked": attacked["matches_per_second"],
        "loaded": loaded["matches_per_second"],
        "share": attacked["matches_per_second"] / max(0.1, loaded["matches_per_second"]),
        "p99_us": attacked["p99_us"],
        "p99_ratio": attacked["p99_us"] / max(1.0, loaded["p99_us"]),
        "attackers_cores": used,
    }


def beside(
    url: str, attack: str, pair: Sequence[str], words: Sequence[str], seconds: float, way: Way
) -> tuple[Figures, float]:
    """The pair's figures beside an attack, and how many cores the attackers used."""
    lasts = WARM_UP + seconds + 2
    files = FEW_FILES if attack == "idle connections" else None
    with (
        referee(url, open_files=files, ARENA_DASHBOARD_SECRET=SECRET) as (own_port, _),
        way(own_port) as port,
        client("attackers", attack, port, lasts, tokens=words) as attackers,
        client("players", "play", port, PLACES, seconds, WARM_UP, tokens=pair) as players,
    ):
        figures: Figures = json.loads(players.communicate()[0])
        said, _ = attackers.communicate()
    return figures, json.loads(said.splitlines()[-1])["cpu_seconds"] / lasts


if __name__ == "__main__":
    main()
    sys.exit(0)
