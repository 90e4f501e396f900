"""What the rungs of Bluff at two seats win against strangers: bots that none was tuned on.

python -m benchmarks.strangers [--rungs honest,bayes,cfr,search,exploiter] [--dice 1,2,5]
                               [--half seen|unseen|both] [--matches 400] [--seed strangers]
                               [--json FILE]

Prints the share of matches that a rung wins against each stranger, with 95 % Wilson intervals, and
for each rung the mean and the worst. benchmarks/strangers_load describes the strangers. Half of
them may be looked at while a rung is built; the other half is there to be believed. The tables of
the single round are solved at the first use, in about a minute, and kept in dist/round.tables.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import product
from os import cpu_count
from pathlib import Path
from typing import Final

from arena.bot.bot import AnyBot
from arena.games import make_game
from arena.lab.analysis.bluff.solved_play import SolvedPlay, read
from arena.lab.solver.by_dice import ByDice
from arena.lab.solver.last_bets import play_single_round
from arena.lab.solver.play_file import write_play
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.local.win_rates import WinRates
from benchmarks.strangers_load.seen import seen
from benchmarks.strangers_load.unseen import unseen

ROUND_TABLES: Final = Path(__file__).parents[1] / "dist" / "round.tables"
MOST_DICE: Final = 5
SWEEPS: Final = 40


@dataclass(frozen=True)
class Cell:
    """What a rung wins against a stranger."""

    rung: str
    stranger: str
    half: str
    dice: int
    matches: int
    share: float
    low: float
    high: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--rungs", default="honest,bayes,cfr,search,exploiter")
    parser.add_argument("--dice", default="1,2,5", help="of each seat, with commas between")
    parser.add_argument("--half", choices=("seen", "unseen", "both"), default="both")
    parser.add_argument("--matches", type=int, default=400, help="of a rung and a stranger")
    parser.add_argument("--seed", default="strangers")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    halves = ("seen", "unseen") if options.half == "both" else (options.half,)
    tables, found = _tables(), list[Cell]()
    for dice, half in product(map(int, options.dice.split(",")), halves):
        strangers = list(_half(half, tables))
        print(f"\n{dice} {'die' if dice == 1 else 'dice'} each, {half}")
        print("rung       " + "".join(f"{name:>22}" for name in strangers) + "     mean  worst")
        for rung in options.rungs.split(","):
            asked = [(rung, name, half, dice, options.matches, options.seed) for name in strangers]
            with ProcessPoolExecutor(cpu_count()) as pool:
                cells = list(pool.map(_cell, asked))
            found += cells
            shares = [cell.share for cell in cells]
            texts = "".join(
                f"{f'{cell.share:.1%} ({100 * cell.low:.0f}-{100 * cell.high:.0f})':>22}"
                for cell in cells
            )
            mean, worst = sum(shares) / len(shares), min(shares)
            print(f"{rung:11}{texts}   {mean:6.1%} {worst:6.1%}", flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(cell) for cell in found], indent=2) + "\n")


@cache
def _tables() -> SolvedPlay:
    """Return near-equilibrium play of single rounds by the last bet, solved at the first use."""
    if not ROUND_TABLES.exists():
        print("Solving the single rounds, once …", file=sys.stderr)
        states = [
            play_single_round((own, other), recall=ByDice(1), sweeps=ByDice(SWEEPS))
            for total in range(2, 2 * MOST_DICE + 1)
            for own, other in _pairs(total)
        ]
        # The file holds probabilities to win, from 0 to 1.
        ROUND_TABLES.parent.mkdir(exist_ok=True)
        write_play(ROUND_TABLES, [replace(one, value=(one.value + 1) / 2) for one in states])
    return read(ROUND_TABLES.read_bytes())


def _pairs(total: int) -> Iterator[tuple[int, int]]:
    for own in range(max(1, total - MOST_DICE), min(MOST_DICE, total - 1) + 1):
        yield own, total - own


def _half(half: str, tables: SolvedPlay) -> dict[str, type[AnyBot]]:
    return seen(tables) if half == "seen" else unseen(tables)


def _cell(asked: tuple[str, str, str, int, int, str]) -> Cell:
    rung, name, half, dice, matches, seed = asked
    kind = _half(half, _tables())[name]
    contenders = [Contender(rung, load_bot(rung)), Contender("stranger", kind)]
    rates = WinRates([rung, "stranger"])
    game = make_game("bluff", {"dice_per_player": dice})
    for played in play_series(game, contenders, matches, f"{seed} {name} {dice}"):
        rates.add(played)
    (won,) = (rate for rate in rates.table() if rate.name == rung)
    return Cell(rung, name, half, dice, matches, won.share, *won.interval)


if __name__ == "__main__":
    main()
