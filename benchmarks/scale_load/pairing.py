"""What it costs to choose a table of the ladder among many bots that are free."""

import time
from random import Random

from arena.games import make_game
from arena.scheduling.ladder import Candidate, MeetingCounts, TableType, next_table

TABLES = 200


def microseconds_a_table(bots: int) -> float:
    """The mean of choosing TABLES tables of two, each of which counts before the next."""
    rng = Random(7)
    table = TableType("bluff", make_game("bluff").options, 2)
    counts = MeetingCounts()
    games = frozenset({"bluff"})
    free = [Candidate(n, f"owner{n}", house=False, games=games) for n in range(bots)]
    for one in free:
        counts.add_matches(table, one.bot, rng.randrange(100))
    spent = 0.0
    tables = max(5, min(TABLES, 200_000 // bots))
    for _ in range(tables):
        began = time.process_time()
        seated = next_table(table, free, counts)
        spent += time.process_time() - began
        assert seated is not None
        counts.add(table, [one.bot for one in seated])
    return 1e6 * spent / tables
