"""`Pauses`: which bots are offered nothing for a while, after what they did in their blocks."""

from functools import partial

from arena.server.ladder.connected_bots import SILENCE_SECONDS, ConnectedBot
from arena.server.ladder.pairing_schedule import PairingSchedule
from arena.server.ladder.roster import Roster, leave_out
from arena.server.play.ports import Timer


class Pauses:
    """Pauses of the bots of one director; when a pause ends, it looks for tables."""

    def __init__(
        self, roster: Roster, timer: Timer, schedule: PairingSchedule, *, decline_seconds: float
    ) -> None:
        self._roster = roster
        self._timer = timer
        self._schedule = schedule
        self._decline_seconds = decline_seconds

    def declined(self, bot: ConnectedBot) -> None:
        """Offer this copy nothing for a moment, as it declined."""
        now = self._timer.now()
        until = bot.reliability.declined(bot.participant.instance, now, self._decline_seconds)
        self._changed(bot, until)

    def left_block(self, bot: ConnectedBot) -> None:
        """No copy of the version begins a block for a moment."""
        until = bot.reliability.left_block(self._timer.now(), self._decline_seconds)
        self._changed(bot, until)

    def missed(self, bot: ConnectedBot) -> None:
        """Leave out the version, which missed a match."""
        self._changed(bot, leave_out(bot, self._timer.now()))

    def unanswered(self, bot: ConnectedBot) -> None:
        """Offer this copy nothing until it is heard, as it did not answer.

        Or until it has been silent for long: it may be frozen.
        """
        bot.unheard_until = self._timer.now() + SILENCE_SECONDS
        bot.participant.when_heard(partial(self._heard, bot))
        self._changed(bot, bot.unheard_until)

    def _heard(self, bot: ConnectedBot) -> None:
        bot.unheard_until = 0.0
        self._changed(bot, None)
        self._schedule.soon()

    def proved(self, bot: ConnectedBot) -> None:
        """Give a bot all of its places again: it played to the end."""
        bot.on_probation = False
        self._changed(bot, None)
        self._schedule.soon()

    def _changed(self, bot: ConnectedBot, until: float | None) -> None:
        self._roster.reliability_changed(bot)
        if until is not None:
            self._schedule.at(until)
