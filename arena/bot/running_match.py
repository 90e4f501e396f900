"""`RunningMatch`: one match of a bot program, with the bot object and the events sent so far."""

import logging
from collections.abc import Callable, Sequence
from typing import Any, Final

from arena.bot.bot import AnyAction, AnyBot, NoAnswerError, take_note
from arena.bot.checks import Own
from arena.bot.returned import no_action
from arena.bot.turn import Match, Refusal, Turn
from arena.codec import bot_side
from arena.codec.bot_side import Offered
from arena.codec.notes import write_note
from arena.codec.transcript import FAULTS
from arena.errors import any_failure
from arena.match.faults import FaultKind
from arena.match.notes import Usage
from arena.match.transcript import Entrant
from arena.v1 import game_pb2, referee_pb2

_log = logging.getLogger("arena.bot")

NO_ANSWER: Final = "No answer to turn %d of match %s: %s"
"""The log message of a bot that has no answer; `arena play` searches a program's log for it."""
FAULT: Final = "Fault %d in match %s, turn %d: %s. %s"
"""The log message of a fault; `arena play` omits it from the last lines of a program."""


class RunningMatch:
    """One match of a bot, which answers its turns."""

    def __init__(
        self, new_bot: Callable[[], AnyBot], offered: Offered, entropy: bytes | None
    ) -> None:
        self._new_bot = new_bot
        self.offered = offered
        self.own = Own(entropy, all_told=entropy is not None)
        self.bot = new_bot()
        self._match: Match[Any] | None = None
        """The match as the bot sees it; None until the match begins."""
        self._heard: list[game_pb2.Event] = []
        """All events of the match that the referee has sent."""
        self._position = 0
        """The number of events sent up to the last turn.

        After a restart in which the referee lost replies, it is less than the number of all events.
        """
        self._untold: list[game_pb2.Event] = []
        """The events that the bot object has not received."""
        self._views: dict[int, bytes] = {}
        """The view that the bot answered, by turn number."""
        self._unanswered: dict[int, str] = {}
        """The reason why the bot had no answer, by turn number."""
        self._resumed = False
        self._outdated = False
        """Whether the bot object received events that the referee has lost."""

    def begin(self, entrants: Sequence[Entrant]) -> None:
        """Start the match, which all have joined.

        Raises MalformedError for entrants that contradict the offer.
        """
        if self._match is None:
            self.offered = self.offered.begun(entrants)
            self._started()

    def _started(self) -> Match[Any]:
        """Return the match; on the first call, tell the bot that it has started."""
        if self._match is None:
            self._match = Match.of(self.offered.setup, self.offered.seat)
            self._tell_start(self._match)
        return self._match

    def _tell_start(self, match: Match[Any]) -> None:
        try:
            self.bot.match_started(match)
        except any_failure():  # the match has begun in any case; the bot may still act
            _log.exception("The bot failed in match_started of match %s.", match.match_id)

    def _replace_outdated_bot(self) -> None:
        """Start again with a new bot object, which receives all events.

        Raises what the bot's constructor raises.
        """
        self.bot = self._new_bot()
        self._outdated = False
        if self._match is not None:
            self._tell_start(self._match)

    def resume(self) -> None:
        """Record that the stream was reopened: the next turn may repeat known events."""
        self._resumed = True
        self.own.all_told = False

    def refused(self, refusal: referee_pb2.Refusal) -> str:
        """Record a fault that the referee reported, and return its reason.

        It is the bot's own reason if it had no answer, because the referee knows only that it
        received none.
        """
        number, reason = refusal.turn_number, refusal.reason
        self.own.refusals[number] = refusal
        kind = FAULTS.get(refusal.kind)
        if kind is None:
            return reason  # from a later version of the protocol
        if kind is FaultKind.MALFORMED:
            reason = self._unanswered.get(number, reason)
        told = Refusal(number, kind, reason, refusal.legal, refusal.faults)
        try:
            self.bot.turn_refused(told)
        except any_failure():  # the fault counts even if the bot fails to handle it
            _log.exception("The bot failed in turn_refused of match %s.", refusal.match_id)
        return reason

    def called_off(self, reason: str) -> None:
        """Tell the bot that the match ends without a result, if it had started."""
        if self._match is None:
            return
        try:
            self.bot.match_called_off(reason)
        except any_failure():  # the match is over, so this error of the bot changes nothing
            _log.exception("The bot failed in match_called_off of match %s.", self._match.match_id)

    def answer(self, turn: referee_pb2.Turn, answer: referee_pb2.Answer) -> None:
        """Fill in the answer to a turn.

        If the bot fails, the action stays empty. The referee refuses that at once as malformed: the
        same fault as no answer, but the other bots need not wait for the time to run out.
        """
        self._forget_refusals(turn.turn_number)
        self._hear(turn.events)
        view = turn.view.SerializeToString(deterministic=True)
        answered = self.own.answers.get(turn.turn_number)
        if answered is not None and self._views.get(turn.turn_number) == view:
            # The answer was lost, so the turn is repeated: the bot must not see it twice.
            answer.CopyFrom(answered)
            return
        self._views[turn.turn_number] = view
        answer.match_id = turn.match_id
        answer.turn_number = turn.turn_number
        try:
            self._write(self._act(turn), answer)
        except NoAnswerError as error:
            self._unanswered[turn.turn_number] = str(error)
            _log.error(NO_ANSWER, turn.turn_number, turn.match_id, error)
            answer.ClearField("action")
        except any_failure():  # a bot's mistake costs it this turn, not its other matches
            _log.exception(
                "The bot failed at turn %d of match %s; the referee plays its default action.",
                turn.turn_number,
                turn.match_id,
            )
            answer.ClearField("action")
        if (noted := take_note(self.bot)) is not None:
            _write_note(*noted, answer)
        self.own.answers[turn.turn_number] = answer

    def _forget_refusals(self, open_turn: int) -> None:
        """Forget the faults of an open turn and of later ones: the referee has lost them."""
        for number in [one for one in self.own.refusals if one >= open_turn]:
            del self.own.refusals[number]

    def _hear(self, events: Sequence[game_pb2.Event]) -> None:
        """Add the events of a turn; some of them may be known.

        A resumed open turn repeats all events of the match, a later turn does not: whether the
        first event is the match's first distinguishes the two. If a killed referee lost the newest
        replies, the repeated events may differ from the known ones; then a new bot object receives
        all of them.
        """
        resumed, self._resumed = self._resumed, False
        anew = resumed and self._heard and events and events[0] == self._heard[0]
        start = 0 if anew else self._position
        self._position = start + len(events)
        known = self._heard[start:]
        if known[: len(events)] == list(events[: len(known)]):
            new = events[len(known) :]
            self._heard += new
            self._untold += new
        else:
            self._heard[start:] = events
            self._untold = list(self._heard)
            self._views.clear()
            self._outdated = True

    def _write(self, action: AnyAction, answer: referee_pb2.Answer) -> None:
        """Write the action that the bot returned.

        Raises NoAnswerError for a value that the referee cannot read.
        """
        game = self.offered.setup.game
        try:
            bot_side.write_action(game, action, answer.action)
            bot_side.read_action(game, answer.action)
        except any_failure() as error:  # a bot's object may raise anything when it is read
            title = self.offered.setup.make_game().title
            raise NoAnswerError(no_action(action, title)) from error

    def _act(self, turn: referee_pb2.Turn) -> AnyAction:
        if self._outdated:
            self._replace_outdated_bot()
        events, self._untold = self._untold, []
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


def _write_note(text: str, usage: Usage | None, answer: referee_pb2.Answer) -> None:
    """Add a note to an answer; leave it out if it has wrong types."""
    try:
        write_note(text, usage, answer.note)
    except any_failure():  # a bad note must not cost the bot its turn
        answer.ClearField("note")
        _log.warning(
            "The note at turn %d of match %s is left out: a note must be text, with a Usage of "
            "whole numbers.",
            answer.turn_number,
            answer.match_id,
        )
