"""`Whereabouts`: which bots of a tournament are connected, here or at another referee."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from arena.records import VersionId
from arena.server.tournaments.running import RunningTournament
from arena.server.tournaments.tournament_bots import TournamentBots


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Asks this referee first, and storage only for those that are not here."""

    bots: TournamentBots
    here: Callable[[str, Collection[int]], set[int]]
    """Returns which of these versions have places for a game at this referee."""

    async def of(self, running: RunningTournament) -> set[int]:
        """Return those of the versions that a tournament waits for which are connected."""
        game, wanted = running.tournament.rules.game, set(running.wanted)
        present = self.here(game, wanted)
        if away := [VersionId(one) for one in wanted - present]:
            for there in (await self.bots.whereabouts(game, away)).values():
                present |= set(there)
        return present
