"""`RunningMatch`: one match of a bot program, with the bot object and the events sent so far."""

import logging
from collections.abc import Sequence
from typing import Any

from arena.bot.bot import AnyAction, AnyBot
from arena.bot.checks import Own
from arena.bot.turn import Match, Turn
from arena.codec import bot_side
from arena.codec.bot_side import Offered
from arena.match.transcript import Entrant
from arena.v1 import game_pb2, referee_pb2

_log = logging.getLogger("arena.bot")


class RunningMatch:
    """Answers the turns of one match."""

    def __init__(self, bot: AnyBot, offered: Offered, entropy: bytes | None) -> None:
        self.bot = bot
        self.offered = offered
        self.own = Own(entropy, all_told=entropy is not None)
        self._match: Match[Any] | None = None
        """None until the match begins."""
        self._seen = 0
        self._first_event: game_pb2.Event | None = None
        self._resumed = False

    def begin(self, entrants: Sequence[Entrant]) -> None:
        """All have joined. Raises MalformedError for entrants that contradict the offer."""
        if self._match is None:
            self.offered = self.offered.begun(entrants)
            self._started()

    def _started(self) -> Match[Any]:
        """The match, of which the bot is told when it begins."""
        if self._match is None:
            self._match = Match.of(self.offered.setup, self.offered.seat)
            try:
                self.bot.match_started(self._match)
            except Exception:  # the match has begun without its bot's consent; it may still act
                _log.exception(
                    "The bot failed in match_started of match %s.", self.offered.setup.match_id
                )
        return self._match

    def resume(self) -> None:
        """Note that the stream was reopened: the next turn may repeat known events."""
        self._resumed = True
        self.own.all_told = False

    def refused(self, refusal: referee_pb2.Refusal) -> None:
        """Note a fault that the referee reported."""
        self.own.refusals[refusal.turn_number] = refusal

    def answer(self, turn: referee_pb2.Turn, answer: referee_pb2.Answer) -> None:
        """Fill in the answer to a turn.

        If the bot fails, the action stays empty. The referee refuses that at once as malformed: the
        same fault as no answer, but the other bots need not wait for the time to run out.
        """
        resumed, self._resumed = self._resumed, False
        answered = self.own.answers.get(turn.turn_number)
        if answered is not None:
            # Asked again because the answer was lost: the bot must not see this turn twice.
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
        """The events the bot has not seen. A resumed open turn repeats all events of the match.

        A turn sent after the reconnection does not repeat them; the first event of the match tells
        the two apart.
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
                self._started(),
                turn.turn_number,
                bot_side.read_view(game, turn.view, self.offered.seat),
                bot_side.read_events(game, events),
                turn.turn_ms,
                turn.bank_ms,
            )
        )
