"""The bots that are connected, or still play, and who of them may be offered a match."""

from collections.abc import Iterable, Sequence

import structlog

from arena.hosting.connected_bots import ConnectedBot, Reliability
from arena.hosting.ports import Participant
from arena.scheduling.ladder import Candidate

log = structlog.get_logger()


class Roster:
    """Connected bots, and those that left while blocks still hold places of theirs."""

    def __init__(self) -> None:
        self._bots: dict[Participant, ConnectedBot] = {}
        self._with_room: dict[ConnectedBot, None] = {}
        """Those that play rated matches and have a free place, longest first: most bots of a busy
        arena have none."""
        self._reliabilities: dict[int, Reliability] = {}

    def arrive(self, participant: Participant) -> ConnectedBot:
        """Admit a bot that is connected, perhaps again."""
        bot = self._bot_of(participant)
        bot.candidate, bot.present, bot.draining = _candidate(participant), True, False
        self._note_room(bot)
        return bot

    def expect(self, participant: Participant) -> ConnectedBot:
        """Admit a bot that is in a block and not connected yet."""
        bot = self._bot_of(participant)
        bot.present = False
        return bot

    def _bot_of(self, participant: Participant) -> ConnectedBot:
        bot = self._bots.get(participant)
        if bot is None:
            candidate = _candidate(participant)
            reliability = self._reliabilities.setdefault(candidate.bot, Reliability())
            bot = self._bots[participant] = ConnectedBot(participant, candidate, reliability)
        return bot

    def depart(self, participant: Participant) -> ConnectedBot | None:
        """Handle a disconnect. None if the bot was not there."""
        bot = self._bots.get(participant)
        if bot is not None:
            bot.present = False
            self._note_room(bot)
            self._forget_if_gone(bot)
        return bot

    def knows(self, participant: Participant) -> bool:
        """Whether a bot is connected, or blocks hold places of it."""
        return participant in self._bots

    def drain(self, participant: Participant) -> ConnectedBot | None:
        """Let a bot begin no further block. None if it is not connected, or drains already."""
        bot = self._bots.get(participant)
        if bot is None or not bot.present or bot.draining:
            return None
        bot.draining = True
        self._note_room(bot)
        self._let_go_if_drained(bot)
        return bot

    @property
    def present(self) -> list[ConnectedBot]:
        """Those that are connected and stay."""
        return [bot for bot in self._bots.values() if bot.present and not bot.draining]

    def eligible(self, now: float) -> list[ConnectedBot]:
        """Those that play rated matches and are not left out."""
        return [bot for bot in self._bots.values() if bot.rated and bot.eligible(now)]

    def free(self, now: float) -> list[ConnectedBot]:
        """Those that could sit down to a rated match."""
        return [bot for bot in self._with_room if bot.free(now)]

    def take_places(self, bots: Iterable[ConnectedBot]) -> None:
        """A block of theirs begins."""
        for bot in bots:
            bot.taken += 1
            self._note_room(bot)

    def give_back_places(self, bots: Iterable[ConnectedBot]) -> None:
        """A block of theirs is over."""
        for bot in bots:
            bot.taken -= 1
            self._note_room(bot)
            self._forget_if_gone(bot)
            self._let_go_if_drained(bot)

    def _note_room(self, bot: ConnectedBot) -> None:
        stays = bot.present and not bot.draining
        if stays and bot.rated and bot.taken < bot.participant.max_matches:
            self._with_room[bot] = None
        else:
            self._with_room.pop(bot, None)

    def _let_go_if_drained(self, bot: ConnectedBot) -> None:
        if bot.draining and bot.taken == 0:
            bot.participant.drained()

    def _forget_if_gone(self, bot: ConnectedBot) -> None:
        if not bot.present and bot.taken == 0:
            self._bots.pop(bot.participant, None)


def _candidate(participant: Participant) -> Candidate:
    registered = participant.registered
    return Candidate(
        registered.version_id, registered.entrant.owner, registered.house, participant.games
    )


def leave_out(bot: ConnectedBot, now: float) -> float | None:
    """A bot did not join, or forfeited. Returns until when it is offered nothing; None if it is
    left out already: one restart of a bot with many matches would else cost it minutes."""
    bot.on_probation = True
    if now < bot.reliability.not_before:
        return None
    pause = bot.reliability.missed(now)
    log.info("bot left out", bot=str(bot.participant.registered.entrant), seconds=pause)
    return bot.reliability.not_before


def all_take_offers(bots: Sequence[ConnectedBot], now: float) -> bool:
    """Whether each of them can be offered the next match of a block."""
    return all(bot.takes_offers(now) for bot in bots)
