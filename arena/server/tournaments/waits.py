"""`Waits`: how long tables wait for absent bots, and which of them become walkovers."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

import structlog

from arena.records import TournamentId
from arena.scheduling.pairings import EntryNumber
from arena.server.ladder.agenda import Engagement
from arena.server.tournaments.running import RunningTournament
from arena.server.tournaments.tournament import PairingKey, Tournament
from arena.server.tournaments.tournaments import Tournaments

OFTEN_AWAY = 3
"""A connected bot that misses its seat this many times in a row counts as absent."""
STILL_SECONDS = 60.0
"""The time without play after which waiting for a slot counts as absence."""

log = structlog.get_logger()


class Waits:
    """Records the waits of tournaments in storage.

    Only time during which a referee runs counts, so that no bot loses by a restart. The time of
    bots that wait for a slot counts only after nothing was played for STILL_SECONDS.
    """

    def __init__(
        self, store: Tournaments, present: Callable[[RunningTournament], Awaitable[set[int]]]
    ) -> None:
        """`present` returns the versions that a tournament waits for and that are connected."""
        self._store = store
        self._present = present
        self._waited_for: dict[TournamentId, set[EntryNumber]] = {}
        """The entries for which tables waited at the last record."""
        self._still: dict[TournamentId, tuple[int, float]] = {}
        """By tournament: the number of ended blocks, and the seconds without play."""

    async def lost(
        self, running: RunningTournament, playing: Sequence[Engagement], seconds: float
    ) -> Mapping[PairingKey, Collection[EntryNumber]]:
        """Record that a tournament waited `seconds` longer, and which tables become walkovers.

        Returns these tables, each with its absent entries. `playing` are the tournament's blocks
        that are played here.
        """
        tournament = running.tournament
        present = await self._present(running)
        present -= _often_away(running, present, playing)
        settled, still = self._still.get(tournament.id, (0, 0.0))
        moves = not running.resting or running.settled != settled
        still = 0.0 if moves else still + seconds
        self._still[tournament.id] = running.settled, still
        absent = running.missing(present)
        if not absent and not self._waited_for.get(tournament.id, set(present)):
            return {}
        seen = {one.number for one in tournament.entries if one.registered.version_id in present}
        going_on = still <= STILL_SECONDS
        waited = await self._store.wait(tournament, absent, seen, seconds, going_on=going_on)
        lacking = {number for number, so_far in waited.items() if so_far > 0}
        if lacking != self._waited_for.get(tournament.id, set()) and lacking:
            log.info(
                "tournament waits for bots",
                tournament=tournament.name,
                bots=_names(tournament, lacking),
            )
        self._waited_for[tournament.id] = lacking
        patience = tournament.rules.patience_seconds
        overdue = {number for number, so_far in waited.items() if so_far >= patience}
        forfeited = running.unplayed_of(overdue)
        if forfeited:
            await self._store.forfeit(tournament.id, forfeited)
            log.info(
                "tables of absent bots are walkovers",
                tournament=tournament.name,
                bots=_names(tournament, overdue),
                tables=len(forfeited),
            )
        return forfeited

    def forget(self, tournament_id: TournamentId) -> None:
        """Forget a tournament that is over."""
        self._still.pop(tournament_id, None)
        self._waited_for.pop(tournament_id, None)


def _often_away(
    running: RunningTournament, present: set[int], playing: Sequence[Engagement]
) -> set[int]:
    """Return the present versions that repeatedly miss their seats."""
    leaving = {
        bot
        for one in (*running.left, *playing)
        if present.issuperset(one.bots)
        for bot, times in one.away.items()
        if times >= OFTEN_AWAY
    }
    return leaving.difference(*(one.bots for one in playing if not one.away))


def _names(tournament: Tournament, numbers: Collection[EntryNumber]) -> list[str]:
    """Return the names of the entrants with these numbers, by number."""
    return [str(tournament.entries[one - 1].registered.entrant) for one in sorted(numbers)]
