"""How often the house bots bluff, and how often an interval of that misses.

python -m benchmarks.deception [--game bluff] [--bots random,timid,honest,bayes,cfr]
                               [--matches 300] [--seed deception] [--draws 2000]

Plays so many matches between each two of the bots and prints the table of docs/deception.md. Then
it draws 25, 50, 100 and 200 of a bot's matches, many times and with replacement, and counts how
often the interval of the draw has the share of all its matches: of bluffs, false claims, doubted
bluffs, doubts and right doubts, and of the differences from solved play where it is known. Besides
it prints the same for Wilson's interval that takes decisions for independent.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games import make_game
from arena.lab.analysis import LossSums, SolvedShares, solved_shares_of
from arena.lab.deception import (
    BotMatch,
    ClaimDecision,
    Deception,
    Share,
    claim_decisions,
    deception_of,
    share_of,
)
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.rating.head_to_head import wilson
from benchmarks.options import parser_of

HEADS: Final = (
    *("bot", "matches", "bluffs", "false", "bluffs doubted", "other claims doubted", "doubts"),
    *("right", "bluffs of solved play", "bluffs, difference", "doubts, difference"),
    "distance (by chance)",
)
SIZES: Final = (25, 50, 100, 200)
Told: TypeAlias = Callable[[ClaimDecision], bool]
SHARES: Final[dict[str, tuple[Told, Told]]] = {
    "bluffs": (lambda one: one.bluffed, lambda one: one.could_claim),
    "false": (lambda one: one.off > 0, lambda one: one.claimed),
    "bluffs doubted": (lambda one: one.bluffed and one.doubted, lambda one: one.bluffed),
    "doubts": (lambda one: one.right is not None, lambda one: one.could_doubt),
    "right": (lambda one: bool(one.right), lambda one: one.right is not None),
}
"""What is counted, and of which decisions."""


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__)
    parser.add_argument("--game", default="bluff")
    parser.add_argument("--bots", default="random,timid,honest,bayes,cfr", help="with commas")
    parser.add_argument("--matches", type=int, default=300, help="between each two of them")
    parser.add_argument("--seed", default="deception")
    parser.add_argument("--draws", type=int, default=2_000)
    options = parser.parse_args()
    bots = options.bots.split(",")
    played: dict[str, list[BotMatch]] = defaultdict(list)
    game = make_game(options.game)
    for pair in combinations(bots, 2):
        contenders = [Contender(name, load_bot(name)) for name in pair]
        for match in play_series(game, contenders, options.matches, options.seed):
            transcript = match.transcript
            solved, found = solved_shares_of(transcript), claim_decisions(transcript)
            for seat, entrant in enumerate(transcript.setup.entrants):
                its = [one for one in found if one.seat == seat]
                played[entrant.bot].append(BotMatch(transcript.setup.match_id, its, solved))
    print(f"| {' | '.join(HEADS)} |")
    print("| --- |" + " ---: |" * (len(HEADS) - 1))
    for bot in bots:
        table = deception_of(played[bot])
        if table is not None:
            print(_line(bot, table))
    print("\n| matches | intervals | by deal | decisions as independent | differences |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    random = np.random.default_rng(1)
    for size in SIZES:
        hits = [_hits(played[bot], size, options.draws, random) for bot in bots]
        counted, clustered, plain, measured, differences = np.sum(hits, axis=0)
        shares = [clustered / counted, plain / counted]
        shares += [differences / measured] if measured else []
        print(f"| {size} | {counted:,.0f} | {' | '.join(f'{one:.1%}' for one in shares)} |")


def _line(bot: str, table: Deception) -> str:
    row = table.rows[0]
    cells = [bot, f"{table.matches:,}"]
    cells += map(
        _share,
        (row.bluffs, row.false, row.bluffs_doubted, row.others_doubted, row.doubts, row.right),
    )
    one = row.equilibrium
    if one is None:
        cells += ["–"] * 4
    else:
        cells.append(f"{one.solved_bluffs:.1%}")
        cells.append(f"{one.bluffs_difference.mean:+.1%} ± {one.bluffs_difference.error:.1%}")
        more = one.doubts_difference
        cells.append("–" if more is None else f"{more.mean:+.1%} ± {more.error:.1%}")
        cells.append(f"{one.distance.mean:.1%} ± {one.distance.error:.1%} ({one.by_chance:.1%})")
    return f"| {' | '.join(cells)} |".replace("-", "−").replace("%", " %")


def _share(share: Share) -> str:
    if share.share is None:
        return "–"
    return f"{share.share:.1%} ({share.low:.1%} to {share.high:.1%})"


def _hits(
    matches: Sequence[BotMatch], size: int, draws: int, random: np.random.Generator
) -> tuple[int, int, int, int, int]:
    """Return the intervals counted, those that hit by both ways, and the same of differences."""
    counted = clustered = plain = 0
    drawn = random.integers(len(matches), size=(draws, size))
    for did, could in SHARES.values():
        counts = np.array([sum(map(did, one.decisions)) for one in matches])
        of = np.array([sum(map(could, one.decisions)) for one in matches])
        if not 0 < counts.sum() < of.sum():
            continue  # without variation there is nothing to miss
        truth = counts.sum() / of.sum()
        for chosen in drawn:
            if not of[chosen].sum():
                continue
            found = share_of(counts[chosen], of[chosen])
            counted += 1
            clustered += found.low <= truth <= found.high
            total = counts[chosen].sum().astype(float)[None], of[chosen].sum().astype(float)[None]
            low, high = wilson(*total)
            plain += bool(low[0] <= truth <= high[0])
    measured, hits = _differences(matches, drawn)
    return counted, clustered, plain, measured, hits


def _differences(matches: Sequence[BotMatch], drawn: NDArray[np.int64]) -> tuple[int, int]:
    """Return the intervals of the difference in bluffs from solved play, and how many hit."""
    sums = []
    for match in matches:
        known: list[tuple[ClaimDecision, SolvedShares]] = [
            (one, match.solved[one.step])
            for one in match.decisions
            if one.could_claim and one.step in match.solved
        ]
        sums.append((len(known), sum(one.bluffed - solved.bluffs for one, solved in known)))
    total = LossSums.of(sums)
    if not total.matches:
        return 0, 0
    truth, measured, hits = total.by_decision.mean, 0, 0
    for chosen in drawn:
        found = LossSums.of([sums[at] for at in chosen])
        if found.matches > 1:
            measured += 1
            hits += abs(found.by_decision.mean - truth) <= found.by_decision.error
    return measured, hits


if __name__ == "__main__":
    main()
