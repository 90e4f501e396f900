"""`TimeUsed`: who used the time for which a block holds its bots' places."""

from collections.abc import Sequence

from arena.match.transcript import Transcript, thinking_seconds
from arena.scheduling.ladder import TableType
from arena.scheduling.shares import BlockTime
from arena.server.ladder.connected_bots import ConnectedBot
from arena.server.play.hosted_match import HostedMatch


class TimeUsed:
    """The time used in one block, since its bots' places are held here."""

    def __init__(self, since: float) -> None:
        self._since = since
        self._played = self._unplayed = 0
        self._used: dict[int, float] = {}

    def played(
        self, bots: Sequence[ConnectedBot], hosted: HostedMatch, transcript: Transcript
    ) -> None:
        """Note a match that was played; `bots` are by seat."""
        self._played += 1
        for seat, thinking in enumerate(thinking_seconds(transcript)):
            self._use(bots[seat], thinking + hosted.joined_after.get(seat, 0.0))

    def offered_in_vain(
        self, bots: Sequence[ConnectedBot], hosted: HostedMatch, waited: float
    ) -> None:
        """Note a match that did not begin: who kept it from that used the whole wait."""
        self._unplayed += 1
        for seat, bot in enumerate(bots):
            absent = seat in hosted.absent_at_start
            self._use(bot, waited if absent else hosted.joined_after.get(seat, waited))

    def until(self, now: float, table_type: TableType, bots: Sequence[ConnectedBot]) -> BlockTime:
        """All of it so far."""
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
