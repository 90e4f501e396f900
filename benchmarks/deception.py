"""How often the house bots bluff, and how often an interval of that misses.

Plays `--matches` between each two of the bots and prints the table of docs/deception.md. Then it
draws 25, 50, 100 and 200 of a bot's matches, `--draws` times and with replacement, and counts how
often the interval of the draw has the share of all its matches: of bluffs, false claims, doubted
bluffs, doubts and right doubts, and of the differences from solved play where it is known. Besides
it prints the same for Wilson's interval that takes decisions for independent.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games import make_game
from arena.lab.analysis import LossSums, solved_shares_of
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
from benchmarks.options import command
from benchmarks.tables import Table

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


def main(
    game: str = "bluff",
    bots: str = "random,timid,honest,bayes,cfr",
    matches: int = 300,
    seed: str = "deception",
    draws: int = 2_000,
) -> None:
    played: dict[str, list[BotMatch]] = defaultdict(list)
    for pair in combinations(bots.split(","), 2):
        contenders = [Contender(name, load_bot(name)) for name in pair]
        for match in play_series(make_game(game), contenders, matches, seed):
            transcript = match.transcript
            solved, found = solved_shares_of(transcript), claim_decisions(transcript)
            for seat, entrant in enumerate(transcript.setup.entrants):
                its = [one for one in found if one.seat == seat]
                played[entrant.bot].append(BotMatch(transcript.setup.match_id, its, solved))
    table = Table()
    for bot in bots.split(","):
        found_of_bot = deception_of(played[bot])
        if found_of_bot is not None:
            table.add({"bot": bot}, _cells(found_of_bot))
    random = np.random.default_rng(1)
    for size in SIZES:
        hits = [_hits(played[bot], size, draws, random) for bot in bots.split(",")]
        counted, clustered, plain, measured, differences = np.sum(hits, axis=0).tolist()
        table.add(
            {
                "matches": size,
                "intervals": counted,
                "by deal": f"{clustered / counted:.1%}",
                "decisions as independent": f"{plain / counted:.1%}",
                "differences": f"{differences / measured:.1%}" if measured else None,
            }
        )


def _cells(found: Deception) -> Mapping[str, object]:
    row, cells = found.rows[0], ["–"] * 4
    if (one := row.equilibrium) is not None:
        bluffs, doubts = one.bluffs_difference, one.doubts_difference
        cells = [
            f"{one.solved_bluffs:.1%}",
            f"{bluffs.mean:+.1%} ± {bluffs.error:.1%}",
            "–" if doubts is None else f"{doubts.mean:+.1%} ± {doubts.error:.1%}",
            f"{one.distance.mean:.1%} ± {one.distance.error:.1%} ({one.by_chance:.1%})",
        ]
    texts = {
        "bluffs": _share(row.bluffs),
        "false": _share(row.false),
        "bluffs doubted": _share(row.bluffs_doubted),
        "other claims doubted": _share(row.others_doubted),
        "doubts": _share(row.doubts),
        "right": _share(row.right),
        "bluffs of solved play": cells[0],
        "bluffs, difference": cells[1],
        "doubts, difference": cells[2],
        "distance (by chance)": cells[3],
    }
    signs = str.maketrans({"-": "−", "%": " %"})
    shown = {name: text.translate(signs) for name, text in texts.items()}
    return {"matches": found.matches, **shown}


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
        known = [
            one.bluffed - match.solved[one.step].bluffs
            for one in match.decisions
            if one.could_claim and one.step in match.solved
        ]
        sums.append((len(known), sum(known)))
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
    command(main)
