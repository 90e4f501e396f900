"""Benchmark of a referee under attack: what is left to a pair of well-behaved bots.

python -m benchmarks.attacks [--seconds 8] [--only ATTACK]… [--json FILE]

For each attack (see referee_load.attackers) a fresh referee is started twice: once beside the
attack, once beside a process that uses as much CPU as the attackers did and does nothing. Prints
the pair's matches a second and the 99th percentile of the time from an answer to the next turn of
a match between the two.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from arena.storage.embedded import EmbeddedPostgres
from arena.storage.schema import migrate
from benchmarks.referee_load.attackers import ATTACKS
from benchmarks.referee_load.stage import Figures, client, referee, register

PLACES = 8
WARM_UP = 5.0
ATTACKERS = 8
FEW_FILES = 1_024
"""The limit of open files where connections are exhausted."""


def main() -> None:
    """Run all attacks and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--only", action="append", choices=list(ATTACKS), help="may be repeated")
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args()
    report: dict[str, Figures] = {}
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedPostgres(Path(home) / "postgres") as url,
    ):
        migrate(url)
        pair = asyncio.run(register(url, 2, "pair"))
        crowd = asyncio.run(register(url, ATTACKERS, "attacker", "attacker"))
        print("| attack | matches/s beside it | beside equal load | share | p99 |")
        print("| --- | --- | --- | --- | --- |", flush=True)
        for attack in options.only or ATTACKS:
            figures = both(url, attack, pair, crowd, options.seconds)
            report[attack] = figures
            print(
                f"| {attack} | {figures['attacked']:.0f} | {figures['loaded']:.0f} "
                f"| {figures['share']:.2f} | {figures['p99_ratio']:.1f} × |",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


def both(
    url: str, attack: str, pair: Sequence[str], crowd: Sequence[str], seconds: float
) -> Figures:
    """The figures beside an attack and beside an equal load."""
    attacked, used = beside(url, attack, pair, crowd, seconds)
    loaded, _ = beside(url, "burn", pair, [f"{used:.3f}"], seconds)
    return {
        "attacked": attacked["matches_per_second"],
        "loaded": loaded["matches_per_second"],
        "share": attacked["matches_per_second"] / max(0.1, loaded["matches_per_second"]),
        "p99_us": attacked["p99_us"],
        "p99_ratio": attacked["p99_us"] / max(1.0, loaded["p99_us"]),
        "attackers_cores": used,
    }


def beside(
    url: str, attack: str, pair: Sequence[str], words: Sequence[str], seconds: float
) -> tuple[Figures, float]:
    """The pair's figures beside an attack, and how many cores the attackers used."""
    lasts = WARM_UP + seconds + 2
    files = FEW_FILES if attack == "idle connections" else None
    with (
        referee(url, open_files=files) as (port, _),
        client("attackers", attack, port, lasts, tokens=words) as attackers,
        client("players", "play", port, PLACES, seconds, WARM_UP, tokens=pair) as players,
    ):
        figures: Figures = json.loads(players.communicate()[0])
        said, _ = attackers.communicate()
    return figures, json.loads(said)["cpu_seconds"] / lasts


if __name__ == "__main__":
    main()
    sys.exit(0)
