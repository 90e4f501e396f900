"""Tournaments played out in no time: a format's pairings, and results from anywhere."""

from collections.abc import Callable
from fractions import Fraction

from hypothesis import strategies as st

from arena.scheduling.pairings import EntryNumber, Format, Pairing, PlayedPairing

Points = tuple[Fraction, ...]
Results = Callable[[Pairing], Points]


def play_out(plan: Format, field: int, result: Results) -> list[PlayedPairing]:
    """The record of a whole tournament."""
    played: list[PlayedPairing] = []
    for _ in range(1_000):
        added = plan.next_pairings(field, played)
        if added is None:
            return played
        played += [PlayedPairing(pairing) for pairing in added]
        for at, one in enumerate(played):
            while len(one.blocks) < plan.blocks_wanted(one):
                one = PlayedPairing(one.pairing, (*one.blocks, result(one.pairing)))
            played[at] = one
    raise AssertionError("the tournament does not end")


def stronger_wins(pairing: Pairing) -> Points:
    """Points by seeding: the best of the table gets 1, the worst 0."""
    others = len(pairing.entries) - 1
    return tuple(
        Fraction(sum(other > entry for other in pairing.entries), others)
        for entry in pairing.entries
    )


def drawn(pairing: Pairing) -> Points:
    """Everybody level."""
    return (Fraction(1, 2),) * len(pairing.entries)


def chance(data: st.DataObject) -> Results:
    """Any result; at a table of two what one has the other lacks."""

    def result(pairing: Pairing) -> Points:
        if len(pairing.entries) > 2:
            return tuple(Fraction(data.draw(st.integers(0, 4)), 4) for _ in pairing.entries)
        halves = data.draw(st.integers(0, 4))
        return Fraction(halves, 4), Fraction(4 - halves, 4)

    return result


def entries(plan: Format, field: int, played: list[PlayedPairing]) -> list[EntryNumber]:
    """The standings as entries, best first."""
    return [line.entry for line in plan.standings(field, played)]
