"""The complete state of a match of Skull, including secrets. It never leaves the referee."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from arena.games.skull.values import Disc, Discs, SkullPhase


@dataclass(frozen=True, slots=True)
class SkullState:
    """The state of a match; lists are by seat."""

    phase: SkullPhase
    round: int
    opener: int
    on_turn: int
    """The seat that acts, where one alone does; the challenger from its challenge on."""
    owned: tuple[Discs, ...]
    """All discs of each seat, those on its mat among them."""
    mats: tuple[tuple[Disc, ...], ...]
    """The lowest first."""
    turned: tuple[int, ...]
    """How many discs of each mat are turned over, from the top."""
    bid: int
    bidder: int | None
    passed: tuple[bool, ...]
    points: tuple[int, ...]
    skull_of: int | None
    """Whose skull ended the challenge, until the disc is lost."""
    out_in: tuple[int, ...]
    """The round in which each seat lost its last disc; 0: it is in play."""

    @property
    def seats(self) -> range:
        """All seats, those that are out among them."""
        return range(len(self.owned))

    @property
    def on_mats(self) -> int:
        """The discs on all mats: the highest bid there can be (SK-6)."""
        return sum(map(len, self.mats))

    def plays(self, seat: int) -> bool:
        """Whether a seat owns a disc."""
        return self.owned[seat].count > 0

    def hand(self, seat: int) -> Discs:
        """Return the discs of a seat that lie on no mat."""
        return self.owned[seat].without(*self.mats[seat])

    def clockwise(self, seat: int) -> Iterator[int]:
        """Yield the other seats in play, from the next one on."""
        count = len(self.owned)
        return (
            other % count for other in range(seat + 1, seat + count) if self.plays(other % count)
        )

    def face_down(self, seat: int) -> int:
        """How many discs of a mat are not turned over."""
        return len(self.mats[seat]) - self.turned[seat]

    def cleared(self) -> "SkullState":
        """Return the state with all discs in their hands (SK-13)."""
        seats = len(self.owned)
        return replace(self, mats=((),) * seats, turned=(0,) * seats)

    def new_round(self, opener: int) -> "SkullState":
        """Return the state at the start of the next round."""
        return replace(
            self.cleared(),
            phase=SkullPhase.PLACE,
            round=self.round + 1,
            opener=opener,
            on_turn=opener,
            bid=0,
            bidder=None,
            passed=(False,) * len(self.owned),
            skull_of=None,
        )
