"""`Staffing`: gives the slots for hosted bots to those that tables of tournaments wait for."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping

from arena.records import Registered, VersionId
from arena.server.ladder.agenda import Engagement
from arena.server.play.attendances import Attendances
from arena.server.tournaments.running import RunningTournament
from arena.server.tournaments.tournament_bots import TournamentBots


class Staffing:
    """Queues shifts for tournaments, and asks other shifts to end if those wait for a slot."""

    def __init__(
        self, bots: TournamentBots, present: Callable[[RunningTournament], Awaitable[set[int]]]
    ) -> None:
        """`present` returns the versions that a tournament waits for and that are connected."""
        self._bots = bots
        self._present = present
        self.shifts: Attendances | None = None
        """The hosted bots that are connected here; if None, no shift is asked to end."""
        self.called: set[VersionId] = set()
        """The hosted versions that were given shifts for tournaments, and may still run."""
        self.waiting = 0
        """The number of shifts for tournaments that waited for a slot at the last call."""

    async def staff(
        self,
        tournaments: Collection[RunningTournament],
        playing: Mapping[Engagement, RunningTournament],
    ) -> None:
        """Give the slots to the bots that these tournaments wait for, table by table.

        `playing` are all blocks of tournaments that are played here.
        """
        wanted: set[int] = set()
        needed = {bot for engagement in playing for bot in engagement.bots}
        first: set[VersionId] = set()
        coming: set[VersionId] = set()
        for running in tournaments:
            of_tournament = set(running.wanted)
            present = await self._present(running)
            hosted = await self._bots.hosted([VersionId(one) for one in of_tournament - present])
            table = running.next_table(present, hosted)
            wanted |= of_tournament
            needed |= running.held(present) | table
            first |= table - present
            coming |= hosted
        waiting = await self._bots.gather(first, coming - first) if coming else 0
        self.called |= coming
        if self.shifts is not None:
            # A shift queued just now may still find a free slot: it counts from the next call on.
            lacking = min(waiting, self.waiting)
            make_room(
                self.shifts, called=self.called, wanted=wanted, needed=needed, waiting=lacking
            )
            self.called &= {one.version_id for one, _ in self.shifts.shifts} | wanted
        self.waiting = waiting


def make_room(
    here: Attendances,
    *,
    called: Collection[int],
    wanted: Collection[int],
    needed: Collection[int],
    waiting: int,
) -> None:
    """Ask those shifts to end that no tournament needs.

    `called` are the versions that were given shifts for tournaments conducted here, `wanted` those
    that have blocks to play, and `needed` those that play now, could begin a block now, or belong
    to the next table. `waiting` is the number of shifts that wait for a slot.

    Shifts for tournaments end when their version has nothing left to play. If more shifts wait than
    end, more are asked: first those of the ladder, each kind in the order in which they came.
    """
    shifts = here.shifts
    staying = [one for one, asked in shifts if not asked]
    unwanted = set(called).difference(wanted)
    over = {one.version_id for one in staying if not one.ladder and one.version_id in unwanted}
    here.ask_to_leave(over, ladder=False)
    ending = len(shifts) - len(staying) + len(over)
    spare = [one for one in staying if one.version_id not in over.union(needed)]
    in_order = sorted(spare, key=lambda one: not one.ladder)
    leaving = in_order[: max(0, waiting - ending)]
    for ladder in (True, False):
        here.ask_to_leave(_versions(leaving, ladder=ladder), ladder=ladder)


def _versions(shifts: Iterable[Registered], *, ladder: bool) -> set[int]:
    return {one.version_id for one in shifts if one.ladder is ladder}
