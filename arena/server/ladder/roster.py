"""The bots that are connected or still play, and which of them may get an offer."""

import heapq
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final

import structlog

from arena.scheduling.ladder import Candidate
from arena.server.ladder.connected_bots import ConnectedBot, Reliability
from arena.server.play.ports import Participant

REMEMBERED: Final = 10_000
"""The number of versions whose misses are remembered after they leave.

Their pauses last some minutes.
"""

log = structlog.get_logger()


class Roster:
    """The connected bots, and those that left while blocks still hold places of them."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        """Create an empty roster.

        It keeps the reliability of up to `remembered` versions that have left.
        """
        self._remembered = remembered
        self._bots: dict[Participant, ConnectedBot] = {}
        # Tuples, because most versions have one copy: a dict takes four times as much.
        self._copies: dict[int, tuple[ConnectedBot, ...]] = {}
        """The copies of each version."""
        self._changed: dict[ConnectedBot, None] = {}
        """The bots that may have become free or busy since the last call of `changes`."""
        self._paused: list[tuple[float, int, ConnectedBot]] = []
        """A heap of excluded bots, each with the time at which its exclusion ends."""
        self._numbers = count()
        self._gone: OrderedDict[int, Reliability] = OrderedDict()
        """The reliability of versions that have left, the latest last."""

    def arrive(self, participant: Participant) -> ConnectedBot:
        """Admit a bot that has connected, perhaps again."""
        bot = self._bot_of(participant)
        bot.candidate, bot.present, bot.draining = self._candidate(participant), True, False
        bot.unheard_until = 0.0
        self._changed[bot] = None
        return bot

    def expect(self, participant: Participant) -> ConnectedBot:
        """Admit a bot that is in an adopted block and may not be connected yet."""
        known = participant in self._bots
        bot = self._bot_of(participant)
        if not known:
            bot.present = False
        return bot

    def _bot_of(self, participant: Participant) -> ConnectedBot:
        bot = self._bots.get(participant)
        if bot is None:
            candidate = self._candidate(participant)
            copies = self._copies.get(candidate.bot, ())
            known = copies[0].reliability if copies else self._gone.pop(candidate.bot, None)
            bot = ConnectedBot(participant, candidate, known or Reliability())
            self._bots[participant] = bot
            self._copies[candidate.bot] = (*copies, bot)
        return bot

    def _candidate(self, participant: Participant) -> Candidate:
        """Return the candidate of a participant.

        All copies of a version that play the same games share one object, which stands for any of
        them.
        """
        registered = participant.registered
        made = Candidate(
            registered.version_id, registered.entrant.owner, registered.house, participant.games
        )
        known = (copy.candidate for copy in self._copies.get(made.bot, ()))
        return next((candidate for candidate in known if candidate == made), made)

    def depart(self, participant: Participant) -> ConnectedBot | None:
        """Handle a disconnect; return the bot, or None if it was not known."""
        bot = self._bots.get(participant)
        if bot is not None:
            bot.present = False
            self._changed[bot] = None
            self._forget_if_gone(bot)
        return bot

    def places_changed(self, participant: Participant) -> ConnectedBot | None:
        """Handle a change of a bot's number of places; its running blocks keep theirs.

        Returns the bot, or None if it is not known.
        """
        bot = self._bots.get(participant)
        if bot is not None:
            self._changed[bot] = None
        return bot

    def knows(self, participant: Participant) -> bool:
        """Return whether a bot is connected, or blocks hold places of it."""
        return participant in self._bots

    def drain(self, participant: Participant) -> ConnectedBot | None:
        """Let a bot begin no further block.

        Returns the bot, or None if it is not connected or already draining.
        """
        bot = self._bots.get(participant)
        if bot is None or not bot.present or bot.draining:
            return None
        bot.draining = True
        self._changed[bot] = None
        self._let_go_if_drained(bot)
        return bot

    @property
    def present(self) -> list[ConnectedBot]:
        """The bots that are connected and not draining."""
        return [bot for bot in self._bots.values() if bot.present and not bot.draining]

    def copies(self, version: int) -> list[ConnectedBot]:
        """Return the connected copies of one version that are not draining."""
        return [bot for bot in self._copies_of([version]) if bot.present and not bot.draining]

    def eligible(self, versions: Iterable[int], now: float) -> list[ConnectedBot]:
        """Return the copies of these versions that play rated matches and are not excluded."""
        return [bot for bot in self._copies_of(versions) if bot.rated and bot.eligible(now)]

    def free(self, versions: Iterable[int], now: float) -> list[ConnectedBot]:
        """Return the copies of these versions that could take a seat in a rated match."""
        return [bot for bot in self._copies_of(versions) if bot.rated and bot.free(now)]

    def playing(self, game: str, versions: Iterable[int]) -> set[int]:
        """Return the given versions with a connected copy that plays rated matches of a game.

        Copies that are excluded from offers for a while count as well.
        """
        return {
            bot.candidate.bot
            for bot in self._copies_of(versions)
            if bot.present and not bot.draining and bot.rated
            if bot.participant.max_matches and game in bot.candidate.games
        }

    def _copies_of(self, versions: Iterable[int]) -> Iterator[ConnectedBot]:
        return (bot for version in versions for bot in self._copies.get(version, ()))

    def changes(self, now: float) -> Iterator[tuple[int, Candidate | None]]:
        """Yield each version whose free places for the ladder may have changed since the last call.

        Each comes with its free candidate, or None if it is not free. Other versions cost nothing.
        """
        while self._paused and self._paused[0][0] <= now:
            self._changed[heapq.heappop(self._paused)[2]] = None
        changed, self._changed = self._changed, {}
        free: dict[int, Candidate | None] = {}
        for bot in changed:
            version = bot.candidate.bot
            if bot.on_ladder and bot.free(now):
                free[version] = bot.candidate
                continue
            free.setdefault(version, None)
            if (until := bot.left_out_until) > now and bot.present:
                heapq.heappush(self._paused, (until, next(self._numbers), bot))
        for version, candidate in free.items():
            if candidate is None:  # unless another copy is free as before
                found = (bot for bot in self.free([version], now) if bot.on_ladder)
                candidate = next((bot.candidate for bot in found), None)
            yield version, candidate

    def idlest(
        self, version: int, now: float, held: Counter[ConnectedBot], *, ladder: bool
    ) -> ConnectedBot | None:
        """Return the least busy free copy of a version, so that copies share its load, or None.

        Copies whose last free places are held do not count; with `ladder`, neither do copies that
        play only in tournaments.
        """
        idlest: ConnectedBot | None = None
        for bot in self._copies.get(version, ()):
            able = bot.on_ladder if ladder else bot.rated
            able = able and bot.free_places(now) > held.get(bot, 0)
            if able and (idlest is None or bot.taken < idlest.taken):
                idlest = bot
        return idlest

    def reliability_changed(self, bot: ConnectedBot) -> None:
        """Note that a bot's version was excluded or put on probation, or is so no longer."""
        self._changed.update(dict.fromkeys(self._copies.get(bot.candidate.bot, ())))

    def take_places(self, bots: Iterable[ConnectedBot]) -> None:
        """Take a place of each bot for a block that begins."""
        for bot in bots:
            bot.taken += 1
            self._changed[bot] = None

    def give_back_places(self, bots: Iterable[ConnectedBot]) -> None:
        """Give back a place of each bot of a block that has ended."""
        for bot in bots:
            bot.taken -= 1
            self._changed[bot] = None
            self._forget_if_gone(bot)
            self._let_go_if_drained(bot)

    def _let_go_if_drained(self, bot: ConnectedBot) -> None:
        if bot.draining and bot.taken == 0:
            bot.participant.drained()

    def _forget_if_gone(self, bot: ConnectedBot) -> None:
        if not bot.present and bot.taken == 0 and bot.participant in self._bots:
            del self._bots[bot.participant]
            others = tuple(one for one in self._copies[bot.candidate.bot] if one is not bot)
            if others:
                self._copies[bot.candidate.bot] = others
            else:
                del self._copies[bot.candidate.bot]
                self._gone[bot.candidate.bot] = bot.reliability
                if len(self._gone) > self._remembered:
                    self._gone.popitem(last=False)


def leave_out(bot: ConnectedBot, now: float) -> float | None:
    """Exclude a bot that did not join or forfeited; return until when.

    Returns None if it is excluded already: otherwise one restart of a bot with many matches would
    cost it minutes.
    """
    bot.on_probation = True
    if now < bot.reliability.not_before:
        return None
    pause = bot.reliability.missed(now)
    log.info("bot left out", bot=str(bot.participant.registered.entrant), seconds=pause)
    return bot.reliability.not_before
