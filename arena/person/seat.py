"""`PersonSeat`: one match as known to a person's seat: what it learned, and the open turn."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from arena.bot.turn import Match, Refusal
from arena.codec import bot_side
from arena.codec.bot_side import Offered
from arena.codec.transcript import FAULTS, from_message
from arena.errors import UserError
from arena.games.game import AnyGame
from arena.games.notation import NotationError
from arena.match.flow import PublicMoment
from arena.match.replay import TranscriptError, replay
from arena.match.result import Result
from arena.match.transcript import Entrant, Transcript
from arena.v1 import game_pb2, referee_pb2

MOST_NAMED: Final = 12
"""The most legal actions that an error names."""


class AnswerError(UserError):
    """The error for an answer that is not sent; the message says what would be possible."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The content of one message: the events since the previous one, and the view after them."""

    events: tuple[Any, ...]
    view: Any | None
    """The seat's own view with a turn and at the end; a spectator's between turns. None at the end
    of a match that was cut off."""
    played: Any = None
    """The seat's last action before the message."""


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """An open turn, asked at the time `asked_at`."""

    number: int
    view: Any
    turn_ms: int
    bank_ms: int
    asked_at: float

    def left_ms(self, now: float) -> tuple[int, int]:
        """Return the milliseconds left: for the turn, and in the bank."""
        taken = int(1000 * (now - self.asked_at))
        over = max(0, taken - self.turn_ms)
        return max(0, self.turn_ms - taken), max(0, self.bank_ms - over)


class PersonSeat:
    """A seat from its offer to the end of its match."""

    def __init__(self, offered: Offered, entropy: bytes) -> None:
        self.offered = offered
        self.entropy = entropy
        self.match: Match[Any] | None = None
        """The match; None until it begins."""
        self.heard: list[Heard] = []
        """The messages' content, oldest first; replaced by a new list if a referee lost events."""
        self.turn: AskedTurn | None = None
        self.refusals: list[Refusal] = []
        self.result: Result | None = None
        """The result, once the match is over and recorded."""
        self.called_off = ""
        """The reason why the match did not take place, or does not count."""
        self._events: list[Any] = []
        """All public events of the match that were received."""
        self._told = 0
        """The number of events that turns have reported."""
        self.lost = False
        """Whether the stream was opened again and no referee has resumed the match."""
        self._resumed = False
        self._played: Any = None

    @property
    def match_id(self) -> str:
        """The id of the match."""
        return self.offered.setup.match_id

    @property
    def game(self) -> AnyGame:
        """The rules under the options of the match."""
        return self.offered.setup.make_game()

    @property
    def names(self) -> list[str]:
        """Distinct names by seat, once the match has begun; the person's own ends in "(you)"."""
        entrants = self.offered.setup.entrants
        bots = Counter(entrant.bot for entrant in entrants)
        names = [one.bot if bots[one.bot] == 1 else str(one) for one in entrants]
        names[self.offered.seat] += " (you)"
        return names

    @property
    def over(self) -> bool:
        """Whether the match has a result or was called off."""
        return self.result is not None or bool(self.called_off)

    def begin(self, entrants: Sequence[Entrant]) -> None:
        """Begin the match: all entrants have joined."""
        if self.match is None:
            self.offered = self.offered.begun(entrants)
            self.match = Match.of(self.offered.setup, self.offered.seat)

    def resume(self, offered: Offered) -> None:
        """Resume after the stream was opened again.

        An open turn follows with all events of the match.
        """
        self._resumed = True
        self.lost = False
        self.turn = None
        if offered.named:
            self.begin(offered.setup.entrants)

    def ask(self, turn: referee_pb2.Turn, now: float) -> None:
        """Open a turn."""
        if self.match is None:
            self.match = Match.of(self.offered.setup, self.offered.seat)
        game, seat = self.offered.setup.game, self.offered.seat
        view = bot_side.read_view(game, turn.view, seat)
        self._hear_own(turn.events, view)
        self.turn = AskedTurn(turn.turn_number, view, turn.turn_ms, turn.bank_ms, now)

    def refused(self, refusal: referee_pb2.Refusal) -> None:
        """Record that an answer did not count, or that none came in time."""
        kind = FAULTS.get(refusal.kind)
        self._played = None
        if self.turn is not None and self.turn.number == refusal.turn_number:
            self.turn = None
        if kind is not None:
            told = (refusal.reason, refusal.legal, refusal.faults)
            self.refusals.append(Refusal(refusal.turn_number, kind, *told))

    def end(self, end: referee_pb2.End) -> None:
        """Record the end of the match and its result."""
        transcript = from_message(end.transcript)
        self.begin(transcript.setup.entrants)
        self._hear_own(end.events, _last_view(transcript, self.offered.seat))
        self.turn = None
        self.result = transcript.result

    def see(self, moment: PublicMoment, first: int) -> bool:
        """Record a public moment between the seat's turns, and return whether it is new.

        `first` is the number of the moment's first event.
        """
        if self.over or first + len(moment.events) <= len(self._events):
            return False
        self._hear(list(moment.events), moment.view, first)
        return True

    def answer(self, turn_number: int, answer: object) -> referee_pb2.Answer:
        """Return the answer to the open turn, from its JSON form.

        Raises AnswerError for one that is not legal; the turn then stays open.
        """
        turn = self.turn
        if turn is None or turn.number > turn_number:
            raise AnswerError("This turn is over.")
        if turn.number < turn_number:
            raise AnswerError("This turn has not begun.")
        game = self.game
        try:
            action = game.view_notation.answer_from_json(answer)
        except NotationError as error:
            raise AnswerError(f"{error}") from error
        if action not in game.choices(turn.view):
            raise AnswerError(f"This is not possible now. {_legal(game, turn.view)}")
        self._played = action
        message = self._empty_answer(turn_number)
        bot_side.write_action(self.offered.setup.game, action, message.action)
        return message

    def no_answer(self) -> referee_pb2.Answer | None:
        """Return an answer without an action, which is a fault; None without an open turn."""
        if self.turn is None:
            return None
        message = self._empty_answer(self.turn.number)
        self.turn = None
        return message

    def _empty_answer(self, turn_number: int) -> referee_pb2.Answer:
        return referee_pb2.Answer(match_id=self.match_id, turn_number=turn_number)

    def _hear_own(self, events: Sequence[game_pb2.Event], view: Any | None) -> None:
        """Record the events since the seat's last turn or, after a resume, of the whole match."""
        told = list(bot_side.read_events(self.offered.setup.game, events))
        if self._resumed and told and self._events and told[0] == self._events[0]:
            self._told = 0
        self._resumed = False
        self._hear(told, view, self._told)
        self._told += len(told)

    def _hear(self, events: list[Any], view: Any | None, first: int) -> None:
        """Record the newest events of the match, from the one with the number `first` on."""
        known = self._events[first:]
        if known != events[: len(known)]:
            # A referee that was killed lost the later events: they count as not happened.
            events, known = self._events[:first] + events, []
            self.heard, self._events = [], []
        new = events[len(known) :]
        self._events += new
        self.heard.append(Heard(tuple(new), view, self._played))


def _legal(game: AnyGame, view: Any) -> str:
    """Return a sentence with the legal actions of a view's seat, or the first of many."""
    some = [str(action) for action in islice(game.choices(view), MOST_NAMED + 1)]
    more = some[MOST_NAMED:] and ["…"]
    return f"Legal: {', '.join(some[:MOST_NAMED] + more)}."


def _last_view(transcript: Transcript, seat: int) -> Any | None:
    """Return the seat's view of the last state, or None if the steps cannot be replayed."""
    try:
        *_, last = replay(transcript)
    except TranscriptError:
        return None
    return transcript.setup.make_game().view(last.state, seat)
