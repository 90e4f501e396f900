"""One match of one bot as its program sees it: the bot object, and what it was told so far."""

import logging
from collections.abc import Sequence

from arena.bot.bot import AnyAction, AnyBot
from arena.bot.checks import Own
from arena.bot.turn import Match, Turn
from arena.codec import bot_side
from arena.codec.bot_side import Offered
from arena.v1 import game_pb2, referee_pb2

_log = logging.getLogger("arena.bot")


class RunningMatch:
    """Answers the turns of one match."""

    def __init__(self, bot: AnyBot, offered: Offered, entropy: bytes | None) -> None:
        self.bot = bot
        self.offered = offered
        self.own = Own(entropy, all_told=entropy is not None)
        self._match = Match.of(offered.setup, offered.seat)
        self._seen = 0
        self._first_event: game_pb2.Event | None = None
        self._resumed = False
        bot.match_started(self._match)

    def resume(self) -> None:
        """The stream was opened again: the next turn may repeat what the bot knows."""
        self._resumed = True
        self.own.all_told = False

    def refused(self, refusal: referee_pb2.Refusal) -> None:
        """The referee told of a fault."""
        self.own.refusals[refusal.turn_number] = refusal

    def answer(self, turn: referee_pb2.Turn, answer: referee_pb2.Answer) -> None:
        """Fill in the answer to a turn.

        A bot that fails leaves the action empty. That is refused at once as malformed, which costs
        the same fault as silence, but spares the others the wait for our time to run out.
        """
        resumed, self._resumed = self._resumed, False
        answered = self.own.answers.get(turn.turn_number)
        if answered is not None:
            # Asked again because the answer was lost: the bot must not live this turn twice.
            answer.CopyFrom(answered)
            return
        answer.match_id = turn.match_id
        answer.turn_number = turn.turn_number
        try:
            action = self._act(turn, self._new_events(turn, resumed=resumed))
            bot_side.write_action(self.offered.setup.game, action, answer.action)
        except Exception:  # a bot's mistake costs it this turn, not its other matches
            _log.exception(
                "The bot failed at turn %d of match %s; the referee plays its default action.",
                turn.turn_number,
                turn.match_id,
            )
            answer.ClearField("action")
        self.own.answers[turn.turn_number] = answer

    def _new_events(self, turn: referee_pb2.Turn, *, resumed: bool) -> Sequence[game_pb2.Event]:
        """The events the bot has not seen. An open turn that is resumed repeats all of the match.

        A turn that was put after the return does not; the first event of the match tells them
        apart.
        """
        events: Sequence[game_pb2.Event] = turn.events
        if resumed and self._seen and events and events[0] == self._first_event:
            events = events[self._seen :]
        if self._first_event is None and events:
            self._first_event = events[0]
        self._seen += len(events)
        return events

    def _act(self, turn: referee_pb2.Turn, events: Sequence[game_pb2.Event]) -> AnyAction:
        game = self.offered.setup.game
        return self.bot.act(
            Turn(
                self._match,
                turn.turn_number,
                bot_side.read_view(game, turn.view, self.offered.seat),
                bot_side.read_events(game, events),
                turn.turn_ms,
                turn.bank_ms,
            )
        )
