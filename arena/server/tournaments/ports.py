"""The protocol of the storage that conducting tournaments needs."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from arena.records import TournamentId, VersionId
from arena.scheduling.pairings import EntryNumber, Pairing
from arena.server.tournaments.tournament import (
    BlockRecord,
    PairingKey,
    Tournament,
    TournamentRecord,
)


class TournamentStore(Protocol):
    """Stored tournaments. Every method raises StorageFailedError while storage fails."""

    async def conducted(self, ids: Collection[TournamentId] | None = None) -> list[Tournament]:
        """Return the running or paused tournaments that this referee conducts.

        With `ids`, only those of them.
        """
        ...

    async def take_up(self, *, of_the_gone: bool) -> None:
        """Conduct the tournaments without a conductor.

        With `of_the_gone`, this includes those whose conductor has stopped.
        """
        ...

    async def hand_over(self, tournament_id: TournamentId, epoch: int) -> None:
        """Let another referee conduct a tournament from now on, if that referee still runs."""
        ...

    async def whereabouts(
        self, game: str, versions: Collection[VersionId]
    ) -> Mapping[int, Collection[VersionId]]:
        """Return which of these versions have places for a game at the other referees, by lease."""
        ...

    async def record(self, tournament: Tournament) -> TournamentRecord:
        """Return what was paired and played so far."""
        ...

    async def blocks(self, tournament: Tournament, block_ids: Collection[str]) -> list[BlockRecord]:
        """Return the records of these blocks."""
        ...

    async def add_pairings(self, tournament_id: TournamentId, pairings: Sequence[Pairing]) -> None:
        """Record new pairings."""
        ...

    async def wait(
        self,
        tournament: Tournament,
        absent: Collection[EntryNumber],
        present: Collection[EntryNumber],
        seconds: float,
        *,
        going_on: bool,
    ) -> Mapping[EntryNumber, float]:
        """Record that tables waited `seconds` longer for absent entries, and reset present ones.

        While blocks were lately played (`going_on`), the time of entries that wait for a slot does
        not count. Returns how long tables have waited for each absent entry, in seconds.
        """
        ...

    async def hosted(self, versions: Collection[VersionId]) -> set[VersionId]:
        """Return which of these versions a worker can run."""
        ...

    async def gather(self, first: Collection[VersionId], then: Collection[VersionId]) -> int:
        """Queue shifts in which these versions play for tournaments, before those of the ladder.

        The versions of one table come `first`, so that they play at the same time. Returns how many
        shifts for tournaments wait for a slot.
        """
        ...

    async def forfeit(
        self,
        tournament_id: TournamentId,
        absent: Mapping[PairingKey, Collection[EntryNumber]],
    ) -> None:
        """Make the unplayed blocks of pairings walkovers against their absent entries."""
        ...

    async def finish(self, tournament_id: TournamentId) -> None:
        """Mark a tournament as finished: everything is played."""
        ...

    async def suspend(self, tournament_id: TournamentId) -> None:
        """Pause a tournament."""
        ...
