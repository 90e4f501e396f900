"""Benchmark of sample bots: how long they take for an action, and whether they make faults.

python -m benchmarks.actions [--bots search,cfr] [--matches 3] [--tables dist/cfr.tables]
                             [--json FILE]

Each bot plays so many matches at two seats and at as many as its game allows, against the honest
bot of the game, in a process of its own. Printed is the processor time of the first action, which
loads what the bot reads, and of later ones. The targets are 2 s, and 100 ms in the median. `cfr`
and `exploiter` play once more by the larger tables of `make solve` if `--tables` names them.
"""

import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, Final

from arena.bot.bot import AnyBot
from arena.games import KITS, make_game
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot, sample_names
from benchmarks.options import parser_of, write_json

FIRST_MS: Final = 2_000.0
MEDIAN_MS: Final = 100.0
HONEST: Final = {name: kit.opponent for name, kit in KITS.items()}
BY_TABLES: Final = ("cfr", "exploiter")


@dataclass(frozen=True)
class Times:
    """The actions of a bot at so many seats, in milliseconds of processor time."""

    bot: str
    game: str
    seats: int
    first: float
    median: float
    slowest: float
    """Of the later actions, as the median."""
    actions: int
    faults: int

    @property
    def late(self) -> bool:
        return self.first > FIRST_MS or self.median > MEDIAN_MS


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, json=True)
    parser.add_argument("--bots", default=",".join(sample_names()), help="with commas between")
    parser.add_argument("--matches", type=int, default=3)
    parser.add_argument("--tables", type=Path, help="larger tables for cfr and exploiter")
    options = parser.parse_args()
    found = []
    for bot in options.bots.split(","):
        tables = [None, options.tables] if options.tables and bot in BY_TABLES else [None]
        for chosen in tables:
            for seats in sorted({2, max(make_game(_game_of(load_bot(bot))).seat_counts)}):
                times = _measured(bot, seats, options.matches, chosen)
                found.append(asdict(times) | {"tables": chosen and str(chosen)})
                print(
                    f"{times.bot}{f' with {chosen}' if chosen else ''}, {times.seats} seats: "
                    f"first {times.first:.0f} ms, then {times.median:.2f} ms in the median, "
                    f"{times.slowest:.0f} ms at most, of {times.actions:,}; "
                    f"{times.faults} faults{' !' if times.late or times.faults else ''}",
                    flush=True,
                )
    print(f"targets: first {FIRST_MS:.0f} ms, median {MEDIAN_MS:.0f} ms, no fault")
    write_json(options.json, found)


def _measured(bot: str, seats: int, matches: int, tables: Path | None) -> Times:
    with ProcessPoolExecutor(1, get_context("spawn")) as alone:
        return alone.submit(_played, bot, seats, matches, tables).result()


def _played(bot: str, seats: int, matches: int, tables: Path | None) -> Times:
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

    others = [Contender(f"other {at}", load_bot(HONEST[game])) for at in range(1, seats)]
    faults = 0
    for played in play_series(make_game(game), [Contender(bot, Timed), *others], matches, "time"):
        seat = played.contenders.index(0)
        faults += sum(refused.seat == seat for refused in played.refused)
    first, later = taken[0], taken[1:] or taken  # a match may be over at once
    return Times(bot, game, seats, first, median(later), max(later), len(taken), faults)


def _game_of(kind: type[AnyBot]) -> str:
    """The game that a bot plays: the first if it plays all."""
    return next(game for game in HONEST if game in kind.games)


if __name__ == "__main__":
    main()
