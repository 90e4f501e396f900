"""The variance that AIVAT leaves of a match's result, beside the luck column.

Plays independent matches of Bluff between each bot whose play is known and each other one, which
may also be one of the strangers (python -m benchmarks.strangers), such as "flat,match net". A
factor is the variance of the estimate over that of the result: of the results regressed on the luck
column's luck, on the luck that AIVAT finds where the other bot is taken to play as the tables do,
and on all luck, by all sets of values, as `arena benchmark` does; with its own, where the other bot
declares its play as well, also on the luck of its own hands and choices. The interval is of a
bootstrap over the matches. `z` is the mean of AIVAT's plain estimates by the first of these sets
minus that of the results, in its standard errors: about 0 where nothing is biased.

At more seats the other bot sits among as many of the known one as are missing, and what is removed
is the luck of the rolls, valued by playing each round on as if it played like the known bot; with
all luck, like `bayes` and like `honest` as well.
"""

import time
from collections.abc import Callable, Sequence
from itertools import product, starmap
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.bot import AnyBot
from arena.games import make_game
from arena.games.game import AnyGame
from arena.lab.analysis.aivat import Aivat, DeclaredPlay
from arena.lab.analysis.bluff.pair_values import ValueSets
from arena.lab.analysis.bluff.round_luck import round_luck
from arena.lab.analysis.bluff.solved_play import chosen
from arena.lab.luck import luck_of
from arena.local.bot_modules import BotFileError
from arena.local.declared_play import declared_play
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.local.match_luck import ESTIMATES, MODELS, MatchLuck, SeatedMatch, aivat_of
from arena.match.transcript import Transcript
from arena.rating.elo import Z_95
from arena.rating.luck import luck_adjusted
from benchmarks.options import command
from benchmarks.strangers import all_strangers
from benchmarks.tables import Estimate, Table

RESAMPLES: Final = 500
Numbers: TypeAlias = NDArray[np.float64]
Lucks: TypeAlias = Callable[[Sequence[SeatedMatch]], tuple[Numbers, Numbers]]
"""A function from matches, with the seat of the other bot, to that bot's luck by several values.

First the luck by the play of the known bot, then that by the bot's own, if it declares it.
"""


def main(
    known: str = "cfr,bayes,honest",
    others: str = "honest,bayes,cfr,timid",
    seats: int = 2,
    matches: int = 1000,
    dice: int = 5,
    seed: str = "aivat",
    json: Path | None = None,
) -> None:
    solved = chosen()
    assert solved is not None, "the sample bots are not installed"
    values, table = ValueSets(solved), Table()
    game = make_game("bluff", {"dice_per_player": dice})
    for one, other in product(known.split(","), others.split(",")):
        two = seats == 2
        lucks = _aivat_of(one, other, values, game) if two else _rounds_of(one, game, seats)
        contenders = [Contender("other", _bot(other))]
        contenders += [Contender(f"known {seat}", load_bot(one)) for seat in range(1, seats)]
        seated = [
            (match.contenders.index(0), match.transcript)
            for match in play_series(game, contenders, matches, f"{seed} {one} {other}")
        ]
        table.add({"known": one, "other": other}, _figures(seated, lucks))
    table.write(json)


def _aivat_of(known: str, other: str, values: ValueSets, game: AnyGame) -> Lucks:
    declared = declared_play(_bot(other), game, 2)
    model = MODELS.get(other)
    own = Aivat(values.of(model), values.most_dice, declared) if declared else None
    luck = MatchLuck(values, aivat_of(known, values, game), own)

    def lucks(matches: Sequence[SeatedMatch]) -> tuple[Numbers, Numbers]:
        found = luck.of_blocks([[match] for match in matches])
        return found[:, : ESTIMATES - 1], found[:, ESTIMATES - 1 : -1]

    return lucks


def _rounds_of(known: str, game: AnyGame, seats: int) -> Lucks:
    plays = {bot: _play_of(bot, game, seats) for bot in (known, *MODELS)}
    random = np.random.default_rng(1)

    def of_match(seat: int, transcript: Transcript) -> Sequence[float]:
        found = []
        for play in plays.values():
            at_table = [plays[known]] * seats
            at_table[seat] = play
            found.append(round_luck(transcript, seat, at_table, random))
        return found

    def lucks(matches: Sequence[SeatedMatch]) -> tuple[Numbers, Numbers]:
        return np.array(list(starmap(of_match, matches))), np.empty((len(matches), 0))

    return lucks


def _play_of(bot: str, game: AnyGame, seats: int) -> DeclaredPlay:
    found = declared_play(load_bot(bot), game, seats)
    assert found is not None, f"{bot} declares no play"
    return found


def _bot(name: str) -> type[AnyBot]:
    try:
        return load_bot(name)
    except BotFileError:
        return all_strangers()[name]


def _figures(seated: Sequence[SeatedMatch], lucks: Lucks) -> dict[str, object]:
    results = np.array([float(match.result.placing[seat] == 1) for seat, match in seated])
    column = np.array([luck_of(match).seats[seat] for seat, match in seated])
    begun = time.perf_counter()
    found, own = lucks(seated)
    seconds = time.perf_counter() - begun
    luck, every = found[:, 0], np.column_stack([column, found])
    both = np.hstack([every, own])
    adjusted = luck_adjusted(results, both)
    share, reach = 100 * adjusted.adjusted, 100 * Z_95 * adjusted.adjusted_se
    error = luck.std(ddof=1) / len(seated) ** 0.5
    return {
        "matches": len(seated),
        "it won, %": float(100 * results.mean()),
        "without luck": Estimate(share, share - reach, share + reach),
        "luck column": _factor(results, column),
        "AIVAT": _factor(results, luck),
        "by all values": _factor(results, every),
        "with its own luck": _factor(results, both) if own.size else None,
        "z": float(-luck.mean() / error) if error else 0.0,
        "ms a match": 1000 * seconds / len(seated),
    }


def _factor(results: Numbers, luck: Numbers) -> Estimate:
    """Return the part of the variance that an adjustment leaves, with its 95 % interval."""
    random = np.random.default_rng(1)
    again = []
    for _ in range(RESAMPLES):
        drawn = random.integers(len(results), size=len(results))
        again.append(luck_adjusted(results[drawn], luck[drawn]).variance_factor)
    low, high = np.quantile(again, (0.025, 0.975))
    return Estimate(luck_adjusted(results, luck).variance_factor, float(low), float(high))


if __name__ == "__main__":
    command(main)
