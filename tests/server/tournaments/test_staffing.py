"""Which hosted bots are asked to leave their slots."""

from collections.abc import Collection

from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.server.tournaments.staffing import make_room


def shift(version: int, *, ladder: bool = False) -> Registered:
    entrant = Entrant(f"bot{version}", "1", "me")
    return Registered(VersionId(version), entrant, house=False, ladder=ladder)


class Here:
    def __init__(self, *shifts: Registered, asked: Collection[int] = ()) -> None:
        self.shifts = [(one, one.version_id in asked) for one in shifts]
        self.left: dict[bool, set[int]] = {True: set(), False: set()}

    def ask_to_leave(self, versions: Collection[int], *, ladder: bool) -> None:
        self.left[ladder] |= set(versions)


def left(here: Here, **needs: object) -> tuple[set[int], set[int]]:
    """Who of the ladder and who of tournaments was asked."""
    made = {"called": (), "wanted": (), "needed": (), "waiting": 0} | needs
    make_room(here, **made)  # type: ignore[arg-type]
    return here.left[True], here.left[False]


def test_nobody_leaves_while_nobody_waits() -> None:
    here = Here(shift(1), shift(2, ladder=True))
    assert left(here, called=[1], wanted=[1]) == (set(), set())


def test_who_has_nothing_left_to_play_leaves_but_only_if_it_was_called_here() -> None:
    here = Here(shift(1), shift(2), shift(3, ladder=True))
    assert left(here, called=[1, 3]) == (set(), {1})


def test_as_many_leave_as_wait_the_ladder_before_tournaments() -> None:
    def here() -> Here:
        return Here(shift(1), shift(2), shift(3, ladder=True), shift(4, ladder=True))

    known = {"called": [1, 2], "wanted": [1, 2]}
    assert left(here(), **known, waiting=1) == ({3}, set())
    assert left(here(), **known, waiting=3) == ({3, 4}, {1})
    assert left(here(), **known, waiting=9, needed=[1, 4]) == ({3}, {2})


def test_those_that_are_leaving_make_room_already() -> None:
    here = Here(shift(1), shift(2), shift(3), asked=[1])
    assert left(here, called=[1, 2, 3], wanted=[1, 2, 3], waiting=1) == (set(), set())
    assert left(here, called=[1, 2, 3], wanted=[2, 3], waiting=2) == (set(), {2})
