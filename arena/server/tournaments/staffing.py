"""Which hosted bots leave their slots, so that the tables of tournaments have theirs."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.records import Registered


class ShiftsHere(Protocol):
    """The hosted bots that are connected to this referee."""

    @property
    def shifts(self) -> Sequence[tuple[Registered, bool]]:
        """The hosted bots, each with whether it was asked to leave."""
        ...

    def ask_to_leave(self, versions: Collection[int], *, ladder: bool) -> None:
        """Ask the workers that run these versions, on the ladder or not, to end their shifts."""
        ...


@dataclass(frozen=True, slots=True)
class Needs:
    """What the tournaments of a referee need of the slots now."""

    called: Collection[int]
    """The versions that were given shifts for tournaments conducted here."""
    wanted: Collection[int]
    """Those that have blocks to play."""
    needed: Collection[int]
    """Those that play now, could begin a block now, or wait at the next table for another."""
    waiting: int
    """How many shifts wait for a slot."""


def make_room(here: ShiftsHere, needs: Needs) -> None:
    """Ask shifts to end that no tournament needs.

    Those for tournaments end when nothing is left to play for them; and as many as others wait for
    a slot, those of the ladder before those for tournaments, in the order in which they came.
    """
    shifts = here.shifts
    staying = [one for one, asked in shifts if not asked]
    unwanted = set(needs.called).difference(needs.wanted)
    over = {one.version_id for one in staying if not one.ladder and one.version_id in unwanted}
    here.ask_to_leave(over, ladder=False)
    ending = len(shifts) - len(staying) + len(over)
    spare = [one for one in staying if one.version_id not in over.union(needs.needed)]
    in_order = sorted(spare, key=lambda one: not one.ladder)
    leaving = in_order[: max(0, needs.waiting - ending)]
    for ladder in (True, False):
        here.ask_to_leave(_versions(leaving, ladder=ladder), ladder=ladder)


def _versions(shifts: Iterable[Registered], *, ladder: bool) -> set[int]:
    return {one.version_id for one in shifts if one.ladder is ladder}
