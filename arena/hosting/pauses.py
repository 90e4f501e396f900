"""`Pauses`: which bots are offered nothing for a while, after what they did in their blocks."""

from arena.hosting.connected_bots import ConnectedBot
from arena.hosting.looks import Looks
from arena.hosting.ports import Timer
from arena.hosting.roster import Roster, leave_out


class Pauses:
    """Of the bots of one director; when a pause ends, it looks for tables."""

    def __init__(
        self, roster: Roster, timer: Timer, looks: Looks, *, decline_seconds: float
    ) -> None:
        self._roster = roster
        self._timer = timer
        self._looks = looks
        self._decline_seconds = decline_seconds

    def declined(self, bot: ConnectedBot) -> None:
        """This copy is offered nothing for a moment."""
        now = self._timer.now()
        until = bot.reliability.declined(bot.participant.instance, now, self._decline_seconds)
        self._changed(bot, until)

    def left_block(self, bot: ConnectedBot) -> None:
        """No copy of the version begins a block for a moment."""
        until = bot.reliability.left_block(self._timer.now(), self._decline_seconds)
        self._changed(bot, until)

    def missed(self, bot: ConnectedBot) -> None:
        """The version is left out."""
        self._changed(bot, leave_out(bot, self._timer.now()))

    def proved(self, bot: ConnectedBot) -> None:
        """It played to the end: it has all of its places again."""
        bot.on_probation = False
        self._changed(bot, None)
        self._looks.soon()

    def _changed(self, bot: ConnectedBot, until: float | None) -> None:
        self._roster.reliability_changed(bot)
        if until is not None:
            self._looks.at(until)
