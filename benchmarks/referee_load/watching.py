"""What spectators cost: a referee under load, without spectators and with some, in turns."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from arena.processes import processor_seconds
from benchmarks.referee_load.stage import Serving, client, database, measure, referee, register
from benchmarks.rounds import Figures, alternate, ratios
from benchmarks.tables import Table

MATCHES = 32
ARMS = {
    "nobody": (),
    "nobody again": (),
    "one match": (1,),
    "8 of one match": (1,) * 8,
    "all": (0,),
}
"""By arm, how many matches each spectator is shown at the same time; 0 for all."""
LEAST_SECONDS = 4.0
"""How much longer spectators watch than the bots are measured: both take time to start."""


def print_comparison(table: Table, bots: int, rounds: int, seconds: float) -> None:
    """Load one referee, with the spectators of each arm in turns."""
    with database() as url:
        tokens = asyncio.run(register(url, bots, "bot"))
        with referee(url) as at:
            arms = {
                arm: partial(_figures, at, tokens, seconds, spectators)
                for arm, spectators in ARMS.items()
            }
            found = alternate(arms, rounds)
    for arm, runs in found.items():
        beside = (ratios(runs[what], found["nobody"][what]) for what in runs if what != "dropped")
        relative = zip(("speed to nobody", "CPU to nobody"), beside, strict=True)
        table.add({"watching": arm}, runs, {"dropped": sum(runs["dropped"])}, dict(relative))


def _figures(at: Serving, tokens: list[str], seconds: float, spectators: Sequence[int]) -> Figures:
    port, process = at
    with ExitStack() as stack:
        lasts = seconds + LEAST_SECONDS
        watching = [
            stack.enter_context(client("spectator", port, matches, lasts)) for matches in spectators
        ]
        before = processor_seconds(process.pid)
        figures = measure("players", "play", port, MATCHES, seconds, tokens=tokens)
        spent = processor_seconds(process.pid) - before
        ended = [json.loads(one.communicate()[0]) for one in watching]
    rate = figures["per_second"]
    return {
        "decisions/s": rate,
        "CPU of a decision, µs": spent / (rate * seconds) * 1e6,
        "dropped": sum(ended),
    }
