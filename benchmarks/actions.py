"""Benchmark of sample bots: how long they take for an action, and whether they make faults.

Each bot plays some matches at two seats and at as many as its game allows, against the honest bot
of the game, in a process of its own. Printed is the processor time of the first action, which loads
what the bot reads, and of later ones; "!" marks what misses a target. `cfr` and `exploiter` play
once more by larger tables, such as those of `make solve`, if `--tables` names them.
"""

import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, Final

from arena.bot.bot import AnyBot
from arena.games import KITS, make_game
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot, sample_names
from benchmarks.options import command
from benchmarks.tables import Table

FIRST_MS: Final = 2_000.0
MEDIAN_MS: Final = 100.0
BY_TABLES: Final = ("cfr", "exploiter")


def main(
    bots: str = ",".join(sample_names()),
    matches: int = 3,
    tables: Path | None = None,
    json: Path | None = None,
) -> None:
    table = Table()
    for bot in bots.split(","):
        for chosen in [None, tables] if tables and bot in BY_TABLES else [None]:
            for seats in sorted({2, max(make_game(_game_of(load_bot(bot))).seat_counts)}):
                with ProcessPoolExecutor(1, get_context("spawn")) as alone:
                    table.add(alone.submit(_played, bot, seats, matches, chosen).result())
    print(f"targets: first {FIRST_MS:.0f} ms, median {MEDIAN_MS:.0f} ms, no fault")
    table.write(json)


def _played(bot: str, seats: int, matches: int, tables: Path | None) -> dict[str, object]:
    """Return the processor times of a bot's actions, in milliseconds, and its faults."""
    if tables is not None:  # before the bot is loaded, which reads it
        os.environ["ARENA_CFR_TABLES"] = str(tables.absolute())
    kind, taken = load_bot(bot), list[float]()
    game = _game_of(kind)

    class Timed(kind):  # type: ignore[misc, valid-type]  # any bot
        def act(self, turn: Any) -> Any:
            began = time.process_time()
            action = super().act(turn)
            taken.append(1000 * (time.process_time() - began))
            return action

    others = [Contender(f"other {at}", load_bot(KITS[game].opponent)) for at in range(1, seats)]
    faults = 0
    for played in play_series(make_game(game), [Contender(bot, Timed), *others], matches, "time"):
        seat = played.contenders.index(0)
        faults += sum(refused.seat == seat for refused in played.refused)
    first, later = taken[0], taken[1:] or taken  # a match may be over at once
    late = first > FIRST_MS or median(later) > MEDIAN_MS or faults
    return {
        "bot": bot,
        "tables": tables and str(tables),
        "seats": seats,
        "actions": len(taken),
        "first, ms": first,
        "median of later, ms": median(later),
        "slowest, ms": max(later),
        "faults": faults,
        "": "!" if late else "",
    }


def _game_of(kind: type[AnyBot]) -> str:
    """Return the game that a bot plays: the first if it plays all."""
    return next(game for game in KITS if game in kind.games)


if __name__ == "__main__":
    command(main)
