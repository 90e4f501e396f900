"""The complete state of a match of Skull, including secrets; it never leaves the referee."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from arena.games.skull.values import Disc, Discs, SkullPhase


@dataclass(frozen=True, slots=True)
class SkullState:
    """The state of a match; tuples have one entry per seat."""

    phase: SkullPhase
    round: int
    opener: int
    on_turn: int
    """The seat that acts if only one does; the challenger once the challenge has begun."""
    owned: tuple[Discs, ...]
    """All discs of each seat, including those on its mat."""
    mats: tuple[tuple[Disc, ...], ...]
    """The discs on each mat, lowest first."""
    turned: tuple[int, ...]
    """The number of discs of each mat that are turned over, from the top."""
    bid: int
    bidder: int | None
    passed: tuple[bool, ...]
    points: tuple[int, ...]
    skull_of: int | None
    """The owner of the skull that ended the challenge, until the disc is lost; else None."""
    out_in: tuple[int, ...]
    """The round in which each seat lost its last disc; 0 while it is in play."""

    @property
    def seats(self) -> range:
        """All seats, including those that are out."""
        return range(len(self.owned))

    @property
    def on_mats(self) -> int:
        """The number of discs on all mats, which is the highest possible bid (SK-6)."""
        return sum(map(len, self.mats))

    def plays(self, seat: int) -> bool:
        """Return whether a seat owns a disc."""
        return self.owned[seat].count > 0

    def hand(self, seat: int) -> Discs:
        """Return the discs of a seat that lie on no mat."""
        return self.owned[seat].without(*self.mats[seat])

    def clockwise(self, seat: int) -> Iterator[int]:
        """Return an iterator over the other seats in play, from the next one on."""
        count = len(self.owned)
        return (
            other % count for other in range(seat + 1, seat + count) if self.plays(other % count)
        )

    def face_down(self, seat: int) -> int:
        """Return the number of discs of a mat that are not turned over."""
        return len(self.mats[seat]) - self.turned[seat]

    def cleared(self) -> "SkullState":
        """Return the state with all discs back in the hands (SK-13)."""
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
