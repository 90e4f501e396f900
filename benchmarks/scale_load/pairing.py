"""What it costs to choose a table of the ladder among many bots that are free."""

import gc
import time
from random import Random

from arena.games import make_game
from arena.scheduling.free_bots import FreeBots
from arena.scheduling.ladder import Candidate, MeetingCounts, TableType
from arena.scheduling.strengths import Strengths

TABLES = 2_000


def microseconds_a_table(bots: int) -> float:
    """The mean of choosing TABLES tables of two; each counts, and its bots are free again."""
    rng = Random(7)
    table = TableType("bluff", make_game("bluff").options, 2)
    counts, strengths = MeetingCounts(), Strengths()
    games = frozenset({"bluff"})
    free = FreeBots(table, counts, strengths)
    for number in range(bots):
        counts.add_matches(table, number, rng.randrange(100))
        known = strengths.of(table, number)
        known.mean, known.matches = rng.gauss(0, 2), rng.randrange(100)
        free.put(Candidate(number, f"owner{number}", house=False, games=games))
    # A full collection that what was made until here brings about is not part of choosing: it took
    # half of the time. A referee sets its modules aside and seldom has one (`arena.event_loop`).
    gc.collect()
    began = time.process_time()
    for _ in range(TABLES):
        chosen = free.choose()
        assert chosen is not None
        free.opened(chosen)
        counts.add(table, [one.bot for one in chosen.bots])
        for one in chosen.bots:
            free.put(one)
    return 1e6 * (time.process_time() - began) / TABLES
