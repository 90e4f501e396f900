"""The shares that the rungs of Bluff win against strangers, bots that none was tuned on.

Prints the percentage of matches that a rung wins against each stranger, with 95 % Wilson intervals,
and for each rung the mean and the worst. benchmarks/strangers_load describes the strangers. Half of
them, `seen`, may be looked at while a rung is built; the other half, `unseen`, is there to be
believed. `--tables` is the file of the rung `cfr`, if not the shipped one. At more than two seats a
rung sits at mixed tables: each other seat is one of the strangers that play there, or `bayes`,
drawn for each match. The tables of the single round are solved at the first use, in about a minute,
and kept in dist/round.tables.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from itertools import product
from os import cpu_count
from pathlib import Path
from random import Random
from typing import Final

from arena.bot.bot import AnyBot
from arena.games import make_game
from arena.games.game import AnyGame
from arena.lab.analysis.bluff.solved_play import CHOSEN, SolvedPlay, read
from arena.lab.solver.by_dice import ByDice
from arena.lab.solver.last_bets import play_single_round
from arena.lab.solver.play_file import write_play
from arena.local.in_process import Contender, PlayedMatch, Seed, play_match, play_series
from arena.local.loading import load_bot
from arena.local.win_rates import WinRates
from arena.match.seating import moved_on
from benchmarks.options import command
from benchmarks.strangers_load.seen import seen
from benchmarks.strangers_load.unseen import unseen
from benchmarks.tables import Estimate, Table

ROUND_TABLES: Final = Path(__file__).parents[1] / "dist" / "round.tables"
MOST_DICE: Final = 5
AT_TABLES: Final = ("cautious", "stubborn", "liar", "jumper", "gambler", "caller")
"""The strangers that play at tables of more than two; the others play by tables for two."""
MIXED: Final = "mixed tables"
SWEEPS: Final = 40


def main(
    rungs: str = "honest,bayes,cfr,search,exploiter",
    dice: str = "1,2,5",
    half: str = "both",
    strangers: str | None = None,
    seats: int = 2,
    matches: int = 400,
    tables: str = "",
    seed: str = "strangers",
    json: Path | None = None,
) -> None:
    halves = ["seen", "unseen"] if half == "both" else [half]
    known = {of: [*_half(of)] if seats == 2 else [MIXED] for of in halves}
    every = [name for names in known.values() for name in names]
    wanted = strangers.split(",") if strangers else every
    if not set(wanted) <= set(every):
        sys.exit(f"--strangers is {strangers}; the strangers are {', '.join(every)}.")
    if seats > 2:
        print(f"{seats} seats, fair {100 / seats:.1f} %")
    table = Table()
    for count, of in product(map(int, dice.split(",")), halves):
        names = [name for name in known[of] if name in wanted]
        share = partial(_share, of, count, seats, matches, seed, tables)
        cells = list(product(rungs.split(","), names))
        with ProcessPoolExecutor(cpu_count()) as pool:
            found = pool.map(share, cells)
            for rung in rungs.split(",") if names else ():
                shares = dict(zip(names, found, strict=False))
                means = [one.value for one in shares.values()]
                row = {"dice": count, "half": of, "rung": rung} | shares
                table.add(row, {"mean": sum(means) / len(means), "worst": min(means)})
    table.write(json)


def _share(
    half: str, dice: int, seats: int, matches: int, seed: str, tables: str, who: tuple[str, str]
) -> Estimate:
    """Return the percentage that a rung wins against a stranger, or at mixed tables."""
    rung, stranger = who
    game = make_game("bluff", {"dice_per_player": dice})
    if stranger == MIXED:
        played = _mixed(game, rung, half, seats, matches, seed)
    else:
        settings = ((CHOSEN, tables),) if tables and rung == "cfr" else ()
        contenders = [
            Contender(rung, load_bot(rung, settings)),
            Contender("stranger", _half(half)[stranger]),
        ]
        played = play_series(game, contenders, matches, f"{seed} {stranger} {dice}")
    rates = WinRates([rung, *(f"other {seat}" for seat in range(1, seats))])
    for match in played:
        rates.add(match)
    (won,) = (rate for rate in rates.table() if rate.name == rung)
    return Estimate(*(100 * one for one in (won.share, *won.interval)))


def _mixed(
    game: AnyGame, rung: str, half: str, seats: int, matches: int, seed: str
) -> Iterator[PlayedMatch]:
    """Play a rung among strangers of a half, and `bayes`, drawn for each match."""
    strangers = _half(half)
    kinds = [load_bot("bayes"), *(strangers[name] for name in strangers if name in AT_TABLES)]
    for number in range(matches):
        others = Random(f"{seed} {number}").choices(kinds, k=seats - 1)
        table = [Contender(rung, load_bot(rung))]
        table += [Contender(f"other {seat}", kind) for seat, kind in enumerate(others, 1)]
        order = moved_on(seats, number)
        transcript, refused = play_match(game, [table[at] for at in order], Seed(seed), number)
        yield PlayedMatch(order, transcript, refused)


@cache
def _tables() -> SolvedPlay:
    """Return near-equilibrium play of single rounds by the last bet, solved at the first use."""
    if not ROUND_TABLES.exists():
        print("Solving the single rounds, once …", file=sys.stderr)
        states = [
            play_single_round((own, total - own), recall=ByDice(1), sweeps=ByDice(SWEEPS))
            for total in range(2, 2 * MOST_DICE + 1)
            for own in range(max(1, total - MOST_DICE), min(MOST_DICE, total - 1) + 1)
        ]
        # The file holds probabilities to win, from 0 to 1.
        ROUND_TABLES.parent.mkdir(exist_ok=True)
        write_play(ROUND_TABLES, [replace(one, value=(one.value + 1) / 2) for one in states])
    return read(ROUND_TABLES.read_bytes())


def _half(half: str) -> dict[str, type[AnyBot]]:
    return seen(_tables()) if half == "seen" else unseen(_tables())


def all_strangers() -> dict[str, type[AnyBot]]:
    """Return the strangers of both halves, by name."""
    return _half("seen") | _half("unseen")


if __name__ == "__main__":
    command(main, half=("seen", "unseen", "both"))
