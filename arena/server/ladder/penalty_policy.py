"""`PenaltyPolicy`: the penalties of a block's bots, from their conduct in it."""

from collections.abc import Collection, Sequence

from arena.scheduling.ladder import TableType
from arena.server.ladder.block_services import BlockServices
from arena.server.ladder.challenges import ChallengeRun
from arena.server.ladder.connected_bots import ConnectedBot


class PenaltyPolicy:
    """The penalty rules of one block.

    Absent and faulty bots get no offers for a while; on the ladder, a seat that a bot did not take
    is owed to it. A challenge does not affect what the ladder knows of bots.
    """

    def __init__(
        self,
        services: BlockServices,
        table_type: TableType,
        challenge: ChallengeRun | None,
        *,
        of_ladder: bool,
        casual: bool,
        tournament_goes_on: bool,
    ) -> None:
        self._services = services
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
                self._services.declined(bots[seat])
            else:
                self._services.unanswered(bots[seat])
                if not self._casual:
                    self._services.missed(bots[seat])
            self.refused_seat(bots[seat], seat, block_began=block_began)

    def refused_seat(self, bot: ConnectedBot, seat: int, *, block_began: bool) -> None:
        """Record a seat that a bot does not take in the next match as owed to it.

        The seat is owed to the version, whatever instance it connects as next.
        """
        if self._of_ladder:
            self._services.owed.owe(bot.candidate.bot, self._table, seat)
            if block_began:
                self._services.left(bot)

    def played(
        self, bots: Sequence[ConnectedBot], forfeited: Sequence[bool], *, first: bool
    ) -> None:
        """Record the bots' conduct in a played match, which is the `first` of the block or not."""
        if not self._casual:
            for bot, out in zip(bots, forfeited, strict=True):
                if not out:
                    bot.reliability.played()
                    if bot.on_probation:
                        self._services.proved(bot)
                elif not self._tournament_goes_on:
                    self._services.missed(bot)
        if self._of_ladder and first:
            for seat, bot in enumerate(bots):
                self._services.owed.taken(bot.candidate.bot, self._table, seat)
