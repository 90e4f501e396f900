"""`Pauses`: excludes bots from offers for a while, after their conduct in blocks."""

from collections.abc import Callable
from functools import partial
from typing import Final

from arena.server.ladder.connected_bots import SILENCE_SECONDS, ConnectedBot
from arena.server.ladder.pairing_schedule import PairingSchedule
from arena.server.ladder.roster import Roster, leave_out
from arena.server.play.ports import Timer

FAILING_MISSES: Final = 5
"""The number of missed or forfeited matches from which an excluded bot counts as failing.

Each match that it plays to the end takes one off.
"""


class Pauses:
    """The pauses of the bots of one director; the end of a pause causes a look for tables."""

    def __init__(
        self,
        roster: Roster,
        timer: Timer,
        schedule: PairingSchedule,
        on_failing: Callable[[ConnectedBot], None],
        *,
        decline_seconds: float,
    ) -> None:
        """Pause the bots of a roster; `on_failing` is called for bots that keep missing matches."""
        self._roster = roster
        self._timer = timer
        self._schedule = schedule
        self._on_failing = on_failing
        self._decline_seconds = decline_seconds

    def declined(self, bot: ConnectedBot) -> None:
        """Exclude a copy that declined from offers for a moment."""
        now = self._timer.now()
        until = bot.reliability.declined(bot.participant.instance, now, self._decline_seconds)
        self._changed(bot, until)

    def left_block(self, bot: ConnectedBot) -> None:
        """Let no copy of a version begin a block for a moment, because one left its block."""
        until = bot.reliability.left_block(self._timer.now(), self._decline_seconds)
        self._changed(bot, until)

    def missed(self, bot: ConnectedBot) -> None:
        """Exclude a version that missed a match."""
        until = leave_out(bot, self._timer.now())
        if until is not None and bot.reliability.misses >= FAILING_MISSES:
            self._on_failing(bot)
        self._changed(bot, until)

    def unanswered(self, bot: ConnectedBot) -> None:
        """Exclude a copy until it sends a message or has been silent for long: it may be frozen."""
        bot.unheard_until = self._timer.now() + SILENCE_SECONDS
        bot.participant.when_heard(partial(self._heard, bot))
        self._changed(bot, bot.unheard_until)

    def _heard(self, bot: ConnectedBot) -> None:
        bot.unheard_until = 0.0
        self._changed(bot, None)
        self._schedule.soon()

    def proved(self, bot: ConnectedBot) -> None:
        """End the probation of a bot that played to the end: it has all of its places again."""
        bot.on_probation = False
        self._changed(bot, None)
        self._schedule.soon()

    def _changed(self, bot: ConnectedBot, until: float | None) -> None:
        self._roster.reliability_changed(bot)
        if until is not None:
            self._schedule.at(until)
