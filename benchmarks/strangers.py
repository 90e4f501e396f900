"""The shares that the rungs of Bluff win against strangers, bots that none was tuned on.

python -m benchmarks.strangers [--rungs honest,bayes,cfr,search,exploiter] [--dice 1,2,5]
                               [--half seen|unseen|both] [--strangers NAME,…] [--seats 2]
                               [--matches 400] [--seed strangers] [--json FILE]

Prints the share of matches that a rung wins against each stranger, with 95 % Wilson intervals, and
for each rung the mean and the worst. benchmarks/strangers_load describes the strangers. Half of
them may be looked at while a rung is built; the other half is there to be believed. At more than
two seats a rung sits at mixed tables: each other seat is one of the strangers that play there, or
`bayes`, drawn for each match. The tables of the single round are solved at the first use, in about
a minute, and kept in dist/round.tables.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from os import cpu_count
from pathlib import Path
from random import Random
from typing import Final

from arena.bot.bot import AnyBot
from arena.games import make_game
from arena.lab.analysis.bluff.solved_play import CHOSEN, SolvedPlay, read
from arena.lab.solver.by_dice import ByDice
from arena.lab.solver.last_bets import play_single_round
from arena.lab.solver.play_file import write_play
from arena.local.bot_modules import BotSettings
from arena.local.in_process import Contender, PlayedMatch, Seed, play_match, play_series
from arena.local.loading import load_bot
from arena.local.win_rates import WinRates
from arena.match.seating import moved_on
from benchmarks.options import parser_of, write_json
from benchmarks.strangers_load.seen import seen
from benchmarks.strangers_load.unseen import unseen

ROUND_TABLES: Final = Path(__file__).parents[1] / "dist" / "round.tables"
MOST_DICE: Final = 5
AT_TABLES: Final = ("cautious", "stubborn", "liar", "jumper", "gambler", "caller")
"""The strangers that play at tables of more than two; the others play by tables for two."""
SWEEPS: Final = 40


@dataclass(frozen=True)
class Cell:
    """The share that a rung wins against a stranger."""

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
    parser = parser_of(__doc__, json=True)
    parser.add_argument("--rungs", default="honest,bayes,cfr,search,exploiter")
    parser.add_argument("--dice", default="1,2,5", help="of each seat, with commas between")
    parser.add_argument("--half", choices=("seen", "unseen", "both"), default="both")
    parser.add_argument("--strangers", help="of the half, at two seats (default: all)")
    parser.add_argument(
        "--seats", type=int, default=2, help="2: each stranger alone; 3 to 6: mixed"
    )
    parser.add_argument("--matches", type=int, default=400, help="of a rung and a stranger")
    parser.add_argument(
        "--tables", default="", help="the file of the rung `cfr`, at two seats (default: shipped)"
    )
    parser.add_argument("--seed", default="strangers")
    options = parser.parse_args()
    halves = ["seen", "unseen"] if options.half == "both" else [options.half]
    one_by_one = options.seats == 2
    found = _one_by_one(options, halves) if one_by_one else _mixed_tables(options, halves)
    write_json(options.json, found)


def _one_by_one(options: argparse.Namespace, halves: Sequence[str]) -> list[Cell]:
    """Measure and print the rungs against each stranger, at two seats."""
    tables, found = _tables(), list[Cell]()
    known = {half: list(_half(half, tables)) for half in halves}
    every = [name for names in known.values() for name in names]
    wanted = options.strangers.split(",") if options.strangers else every
    if not set(wanted) <= set(every):
        sys.exit(f"--strangers is {options.strangers}; the strangers are {', '.join(every)}.")
    for dice, half in product(map(int, options.dice.split(",")), halves):
        strangers = [name for name in known[half] if name in wanted]
        if not strangers:
            continue
        print(f"\n{dice} {'die' if dice == 1 else 'dice'} each, {half}")
        print("rung       " + "".join(f"{name:>22}" for name in strangers) + "     mean  worst")
        for rung in options.rungs.split(","):
            settings = ((CHOSEN, options.tables),) if options.tables and rung == "cfr" else ()
            asked = [
                (rung, settings, name, half, dice, options.matches, options.seed)
                for name in strangers
            ]
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
    return found


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


def _mixed_tables(options: argparse.Namespace, halves: Sequence[str]) -> list[Cell]:
    """Measure and print the rungs at tables of several seats."""
    rungs, found = options.rungs.split(","), list[Cell]()
    print(f"{options.seats} seats, mixed tables, fair {1 / options.seats:.1%}")
    for dice, half in product(map(int, options.dice.split(",")), halves):
        asked = [(rung, options.seats, half, dice, options.matches, options.seed) for rung in rungs]
        with ProcessPoolExecutor(cpu_count()) as pool:
            for cell in pool.map(_mixed, asked):
                found.append(cell)
                print(
                    f"{cell.rung:10} {dice} dice, {half:6} {cell.share:.1%} "
                    f"({cell.low:.1%} to {cell.high:.1%})",
                    flush=True,
                )
    return found


def _mixed(asked: tuple[str, int, str, int, int, str]) -> Cell:
    rung, seats, half, dice, matches, seed = asked
    strangers = _half(half, _tables())
    kinds = [load_bot("bayes"), *(strangers[name] for name in strangers if name in AT_TABLES)]
    game = make_game("bluff", {"dice_per_player": dice})
    rates = WinRates([rung, *(f"other {seat}" for seat in range(1, seats))])
    for number in range(matches):
        others = Random(f"{seed} {number}").choices(kinds, k=seats - 1)
        table = [Contender(rung, load_bot(rung))]
        table += [Contender(f"other {seat}", kind) for seat, kind in enumerate(others, 1)]
        order = moved_on(seats, number)
        transcript, refused = play_match(game, [table[at] for at in order], Seed(seed), number)
        rates.add(PlayedMatch(order, transcript, refused))
    (won,) = (rate for rate in rates.table() if rate.name == rung)
    return Cell(rung, "mixed tables", half, dice, matches, won.share, *won.interval)


def _pairs(total: int) -> Iterator[tuple[int, int]]:
    for own in range(max(1, total - MOST_DICE), min(MOST_DICE, total - 1) + 1):
        yield own, total - own


def all_strangers() -> dict[str, type[AnyBot]]:
    """Return the strangers of both halves, by name."""
    return _half("seen", _tables()) | _half("unseen", _tables())


def _half(half: str, tables: SolvedPlay) -> dict[str, type[AnyBot]]:
    return seen(tables) if half == "seen" else unseen(tables)


def _cell(asked: tuple[str, BotSettings, str, str, int, int, str]) -> Cell:
    rung, settings, name, half, dice, matches, seed = asked
    kind = _half(half, _tables())[name]
    contenders = [Contender(rung, load_bot(rung, settings)), Contender("stranger", kind)]
    rates = WinRates([rung, "stranger"])
    game = make_game("bluff", {"dice_per_player": dice})
    for played in play_series(game, contenders, matches, f"{seed} {name} {dice}"):
        rates.add(played)
    (won,) = (rate for rate in rates.table() if rate.name == rung)
    return Cell(rung, name, half, dice, matches, won.share, *won.interval)


if __name__ == "__main__":
    main()
