"""Skull: a bot that bids only what it believes it can turn over, and sometimes lays a trap.

The trap is its skull. It takes all discs that another seat owns to be equally likely the skull, and
it remembers nothing. It makes the highest bid that then succeeds with probability 0.3 or more.
"""

from itertools import takewhile

from arena.bot import Bot, Turn, run
from arena.games.skull import (
    Bid,
    Disc,
    Lose,
    Pass,
    Place,
    SkullChoice,
    SkullEvent,
    SkullOptions,
    SkullPhase,
    SkullView,
    TurnOver,
)

TRAP = 0.1
"""The probability that the first disc is the skull."""
ENOUGH = 0.3
"""The least chance of success at which it bids."""


class SkullHonest(Bot[SkullView, SkullChoice, SkullEvent, SkullOptions]):
    """A bot that bids only what it believes it can turn over."""

    games = ("skull",)

    def act(self, turn: Turn[SkullView, SkullChoice, SkullEvent, SkullOptions]) -> SkullChoice:
        """Return the choice for any phase of Skull."""
        view = turn.view
        match view.phase:
            case SkullPhase.PLACE:
                trap = view.hand.skulls and self.random.random() < TRAP
                return Place(Disc.SKULL if trap or not view.hand.flowers else Disc.FLOWER)
            case SkullPhase.TURN:
                return self.bid_or_add(view)
            case SkullPhase.RAISE:
                raised = view.bid + 1
                return Bid(raised) if chance(view, raised) >= ENOUGH else Pass()
            case SkullPhase.CHALLENGE:
                return TurnOver(mats_by_safety(view)[0])
            case _:
                return Lose(Disc.SKULL if view.hand.skulls else Disc.FLOWER)

    def bid_or_add(self, view: SkullView) -> SkullChoice:
        """Return the highest bid with enough chance; else a flower, if it has one."""
        able = [count for count in range(1, sum(view.mats) + 1) if chance(view, count) >= ENOUGH]
        if able:
            return Bid(able[-1])
        return Place(Disc.FLOWER) if view.hand.flowers else Bid(1)


def sure(view: SkullView) -> int:
    """Return the number of flowers on top of the own mat."""
    return len(list(takewhile(lambda disc: disc is Disc.FLOWER, reversed(view.own_mat))))


def chance(view: SkullView, count: int) -> float:
    """Return the chance of turning over `count` discs without a skull, before any is turned."""
    own = sure(view)
    if count <= own:
        return 1.0
    if own < len(view.own_mat):
        return 0.0
    others = sorted(
        chances
        for seat, discs in enumerate(view.discs)
        if seat != view.seat
        for chances in [flower_chances(discs, view.mats[seat])]
    )
    needed, likely = count - own, 1.0
    for chances in reversed(others):
        for each in chances[:needed]:
            likely *= each
        needed -= len(chances[:needed])
    return likely if needed == 0 else 0.0


def flower_chances(discs: int, mat: int) -> list[float]:
    """Return the chance that each disc of a mat is a flower, from the top, if those above are."""
    return [max(0.5, discs - 1 - above) / max(1, discs - above) for above in range(mat)]


def mats_by_safety(view: SkullView) -> list[int]:
    """Return the seats whose discs may be turned over, the likeliest flower first."""

    def flower(seat: int) -> float:
        above = len(view.turned[seat])
        return flower_chances(view.discs[seat], view.mats[seat])[above]

    left = [seat for seat, mat in enumerate(view.mats) if mat > len(view.turned[seat])]
    return sorted(left, key=flower, reverse=True)


if __name__ == "__main__":
    run(SkullHonest)
