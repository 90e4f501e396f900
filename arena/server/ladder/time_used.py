"""`TimeUsed`: how much time each bot of a block used while the block held its bots' places."""

from collections.abc import Sequence

from arena.match.transcript import Transcript, thinking_seconds
from arena.scheduling.ladder import TableType
from arena.scheduling.shares import BlockTime
from arena.server.ladder.connected_bots import ConnectedBot
from arena.server.play.hosted_match import HostedMatch


class TimeUsed:
    """The time used by each bot of one block, since this referee began to hold their places."""

    def __init__(self, since: float) -> None:
        self._since = since
        self._played = self._unplayed = 0
        self._used: dict[int, float] = {}

    def played(
        self, bots: Sequence[ConnectedBot], hosted: HostedMatch, transcript: Transcript
    ) -> None:
        """Add the time of a played match; `bots` are by seat."""
        self._played += 1
        for seat, thinking in enumerate(thinking_seconds(transcript)):
            self._use(bots[seat], thinking + hosted.joined_after.get(seat, 0.0))

    def lose(self) -> None:
        """Uncount a match that was played, but is void; its time still counts as used."""
        self._played -= 1

    def offered_in_vain(
        self, bots: Sequence[ConnectedBot], hosted: HostedMatch, waited: float
    ) -> None:
        """Add the time of a match that did not begin, after `waited` seconds.

        A bot that was absent used the whole wait; the others used the time that they took to join.
        """
        self._unplayed += 1
        for seat, bot in enumerate(bots):
            absent = seat in hosted.absent_at_start
            self._use(bot, waited if absent else hosted.joined_after.get(seat, waited))

    def until(self, now: float, table_type: TableType, bots: Sequence[ConnectedBot]) -> BlockTime:
        """Return the time used so far."""
        return BlockTime(
            table_type.key,
            [bot.candidate for bot in bots],
            now - self._since,
            self._played,
            self._unplayed,
            self._used,
        )

    def _use(self, bot: ConnectedBot, seconds: float) -> None:
        version = bot.candidate.bot
        self._used[version] = self._used.get(version, 0.0) + seconds
