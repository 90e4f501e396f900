"""Any number of cases: python -m tests.fuzz --cases 1000000 [--seed 1].

Ends with what was done, or with the seed of the table at which something was wrong.
"""

import argparse
import asyncio
import time
from collections import Counter
from random import Random

from arena.codec.transcript import FAULT_KINDS
from tests.fuzz.table import WHIMS, Table

CASES_A_TABLE = 400


def main() -> None:
    """Try cases until there were enough."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    whims, weights = zip(*WHIMS, strict=True)
    faults, statuses, played = Counter[int](), Counter[str](), 0
    loop, begun = asyncio.new_event_loop(), time.monotonic()
    for table_number in range(-(-chosen.cases // CASES_A_TABLE)):
        seed = f"{chosen.seed}/{table_number}"
        random = Random(seed)
        with Table(random, loop).watched() as table:
            for case in range(CASES_A_TABLE):
                whim = random.choices(whims, weights)[0]
                try:
                    whim(table)
                except BaseException:
                    print(f"seed {seed}, case {case}: {whim.__name__}, {table.game}")
                    raise
        played += table.referee.played
        faults += table.referee.faults
        statuses += table.referee.statuses
        if table_number % 250 == 249:
            print(f"{(table_number + 1) * CASES_A_TABLE:,} cases", flush=True)
    names = {number: kind.value for kind, number in FAULT_KINDS.items()}
    told = ", ".join(f"{names[kind]} {count:,}" for kind, count in faults.most_common())
    ended = ", ".join(f"{name} {count:,}" for name, count in statuses.most_common())
    tables = -(-chosen.cases // CASES_A_TABLE)
    seconds = time.monotonic() - begun
    print(f"{tables * CASES_A_TABLE:,} cases in {seconds:,.0f} s, {played:,} matches recorded")
    print(f"faults: {told}")
    print(f"streams ended: {ended}")


if __name__ == "__main__":
    main()
