"""The table of a bot's deception: how often it bluffs and doubts, in all and by situation."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from arena.games.claims import KINDS, ClaimSituation
from arena.lab.analysis import SolvedShares
from arena.lab.deception.decisions import ClaimDecision
from arena.lab.deception.distance import Equilibrium, SolvedChoice, equilibrium_of
from arena.lab.deception.shares import Counts, Share, share_of

EVERYWHERE: Final = ClaimSituation("all", 0, "everywhere")
_ORDER: Final = ("all", "truth", "answer", *KINDS, "seats")
"""The kinds of situations in the order of display."""
_CELL: Final = ("answer", "standing")
"""The kinds of situations that define the cells of the comparison with solved play."""


class BotMatch(NamedTuple):
    """A match of a bot."""

    deal: str
    """The deal or match: matches of one deal are not independent."""
    decisions: Sequence[ClaimDecision]
    """The decisions of the bot's seats; default actions played for it are ignored."""
    solved: Mapping[int, SolvedShares]
    """Solved play in the places of its steps, where it is known."""


@dataclass(frozen=True, slots=True)
class DeceptionRow:
    """A bot's claims and doubts in one situation; shares have 95 % intervals by deal."""

    situation: ClaimSituation
    bluffs: Share
    """Bluffs, of the decisions in which it could claim."""
    lies: Share
    """Claims that it knew to be false, of its claims."""
    false: Share
    """Claims that were false in fact, of its claims."""
    bluffs_doubted: Share
    """Bluffs that were doubted, of its bluffs."""
    others_doubted: Share
    """Claims that were doubted, of its claims that were no bluffs."""
    doubts: Share
    """Doubts, of the decisions in which it could doubt."""
    right: Share
    """Doubts that were right, of its doubts."""
    equilibrium: Equilibrium | None
    """The comparison with solved play; None where no equilibrium is known."""


@dataclass(frozen=True, slots=True)
class Deception:
    """The table of one bot in one game."""

    matches: int
    deals: int
    """The number of clusters for intervals: matches of one deal are one."""
    rows: tuple[DeceptionRow, ...]
    """All its decisions first, then the situations by kind."""


def deception_of(matches: Iterable[BotMatch]) -> Deception | None:
    """Return the table of a bot's matches of one game; None if it never could claim or doubt."""
    deals: dict[str, int] = {}
    played = 0
    by_situation: dict[ClaimSituation, list[tuple[int, ClaimDecision, SolvedShares | None]]]
    by_situation = defaultdict(list)
    for match in matches:
        played += 1
        deal = deals.setdefault(match.deal, len(deals))
        for one in match.decisions:
            if one.own:
                for situation in (EVERYWHERE, *one.situations):
                    by_situation[situation].append((deal, one, match.solved.get(one.step)))
    if not by_situation:
        return None
    # A kind whose only situation always holds is left out.
    kinds = Counter(one.kind for one in by_situation)
    total = len(by_situation[EVERYWHERE])
    ordered = sorted(
        (
            one
            for one, found in by_situation.items()
            if one == EVERYWHERE or kinds[one.kind] > 1 or len(found) < total
        ),
        key=lambda one: (_ORDER.index(one.kind), one.rank),
    )
    rows = tuple(_row(one, by_situation[one], len(deals)) for one in ordered)
    return Deception(played, len(deals), rows)


def _row(
    situation: ClaimSituation,
    found: Sequence[tuple[int, ClaimDecision, SolvedShares | None]],
    deals: int,
) -> DeceptionRow:
    def count(chosen: Iterable[int]) -> Counts:
        return np.bincount(np.fromiter(chosen, dtype=np.int64), minlength=deals)

    claims = [(deal, one) for deal, one, _ in found if one.claimed]
    bluffs = count(deal for deal, one in claims if one.bluffed)
    doubts = count(deal for deal, one, _ in found if one.right is not None)
    made = count(deal for deal, _ in claims)
    could = count(deal for deal, one, _ in found if one.could_claim)
    called = count(deal for deal, one in claims if one.bluffed and one.doubted)
    return DeceptionRow(
        situation,
        share_of(bluffs, could),
        share_of(count(deal for deal, one in claims if one.chance == 0), made),
        share_of(count(deal for deal, one in claims if one.off), made),
        share_of(called, bluffs),
        share_of(count(deal for deal, one in claims if one.doubted) - called, made - bluffs),
        share_of(doubts, count(deal for deal, one, _ in found if one.could_doubt)),
        share_of(count(deal for deal, one, _ in found if one.right), doubts),
        equilibrium_of(
            [
                _choice(deal, one, solved)
                for deal, one, solved in found
                if solved is not None and one.could_claim
            ]
        ),
    )


def _choice(deal: int, one: ClaimDecision, solved: SolvedShares) -> SolvedChoice:
    cell = tuple(each for each in one.situations if each.kind in _CELL)
    return SolvedChoice(
        deal, cell, one.bluffed, one.right is not None, solved.bluffs, solved.doubts
    )
