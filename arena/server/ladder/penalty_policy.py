"""`PenaltyPolicy`: the penalties of a block's bots, from their conduct in it."""

from collections.abc import Collection, Sequence

from arena.scheduling.ladder import TableType
from arena.server.ladder.challenges import ChallengeRun
from arena.server.ladder.connected_bots import ConnectedBot
from arena.server.ladder.owed_seats import OwedSeats
from arena.server.ladder.pauses import Pauses


class PenaltyPolicy:
    """The penalty rules of one block.

    Absent and faulty bots get no offers for a while; on the ladder, a seat that a bot did not take
    is owed to it. A challenge does not affect what the ladder knows of bots.
    """

    def __init__(
        self,
        pauses: Pauses,
        owed: OwedSeats,
        table_type: TableType,
        challenge: ChallengeRun | None,
        *,
        of_ladder: bool,
        casual: bool,
        tournament_goes_on: bool,
    ) -> None:
        self._pauses = pauses
        self._owed = owed
        self._table = table_type.key
        self._challenge = challenge
        self._of_ladder = of_ladder
        self._casual = casual
        self._tournament_goes_on = tournament_goes_on

    def stayed_away(
        self,
        bots: Sequence[ConnectedBot],
        absent: Collection[int],
        *,
        declined: bool,
        block_began: bool,
    ) -> None:
        """Penalise the bots that declined a match or did not join; `absent` are their seats."""
        for seat in absent:
            if self._challenge is not None:
                self._challenge.absent(bots[seat], declined=declined)
            if declined:
                self._pauses.declined(bots[seat])
            else:
                self._pauses.unanswered(bots[seat])
                if not self._casual:
                    self._pauses.missed(bots[seat])
            self.refused_seat(bots[seat], seat, block_began=block_began)

    def refused_seat(self, bot: ConnectedBot, seat: int, *, block_began: bool) -> None:
        """Record a seat that a bot does not take in the next match as owed to it.

        The seat is owed to the version, whatever instance it connects as next.
        """
        if self._of_ladder:
            self._owed.owe(bot.candidate.bot, self._table, seat)
            if block_began:
                self._pauses.left_block(bot)

    def played(
        self, bots: Sequence[ConnectedBot], forfeited: Sequence[bool], *, first: bool
    ) -> None:
        """Record the bots' conduct in a played match, which is the `first` of the block or not."""
        if not self._casual:
            for bot, out in zip(bots, forfeited, strict=True):
                if not out:
                    bot.reliability.played()
                    if bot.on_probation:
                        self._pauses.proved(bot)
                elif not self._tournament_goes_on:
                    self._pauses.missed(bot)
        if self._of_ladder and first:
            for seat, bot in enumerate(bots):
                self._owed.taken(bot.candidate.bot, self._table, seat)
