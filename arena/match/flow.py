"""A match as a generator without I/O: it yields turns, receives replies, and returns the record.

    flow = play(game, seat_count, randomness)
    request = next(flow)                       # Ask: one or more turns at the same moment
    request = flow.send([Answer(action), ...]) # one reply per turn, in the same order
    ...                                        # StopIteration.value is the MatchRecord

The caller (a table with remote bots, `arena play`, a test) handles time and I/O. The values passed
are named tuples, because they are made for every decision and cost a third of a frozen dataclass.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from arena.errors import any_failure
from arena.games.game import DEALER, Actor, AnyGame, IllegalActionError
from arena.match.faults import DEFAULT_FAULT_LIMIT, Fault, FaultCount, FaultKind
from arena.match.result import Result, Termination, result_of
from arena.match.transcript import Step
from arena.named_tuples import maker
from arena.randomness import Randomness


class OpenTurn(NamedTuple):
    """A turn that one seat has to answer."""

    seat: int
    number: int
    """The number of the turn in the match, from 1; the answer repeats it."""
    view: Any
    events: list[Any]
    """The match's public events so far; a shared, growing list that callers must not change."""
    unseen: int
    """Index of the first event since this seat's last turn."""


class TimedAction(NamedTuple):
    """A seat's action and the time it used."""

    action: Any
    milliseconds: int = 0


class Refused(NamedTuple):
    """A refused reply: what was wrong, what was legal, and what was played instead."""

    seat: int
    turn_number: int
    kind: FaultKind
    reason: str
    legal: str
    played: Any
    view: Any = None
    """The view of the seat."""
    sent: Any = None
    """The action that the rules do not allow, or a text that shows what a bot returned instead of
    an action; None if there was no answer."""


class Ask(NamedTuple):
    """Turns to send to their seats at the same moment, after the earlier refusals."""

    turns: tuple[OpenTurn, ...]
    refused: tuple[Refused, ...] = ()


_turn, _ask, _step = maker(OpenTurn), maker(Ask), maker(Step)


class MatchRecord(NamedTuple):
    """The return value of a flow: all steps, the result, all public events, the last refusals."""

    steps: tuple[Step, ...]
    result: Result
    events: list[Any]
    refused: tuple[Refused, ...] = ()


class PublicMoment(NamedTuple):
    """The public part of a step: the spectator's view and public events alone."""

    step: int
    """The number of steps played, without draws that follow a sealed answer: the mere fact that
    there was a draw would reveal the answer."""
    view: Any
    """The spectator's view."""
    events: Sequence[Any]
    """The public events of the step; in a spectator's first moment, all events so far."""


Reply: TypeAlias = TimedAction | Fault
Flow: TypeAlias = Generator[Ask, Sequence[Reply], MatchRecord]


def play(
    game: AnyGame, seat_count: int, randomness: Randomness, fault_limit: int = DEFAULT_FAULT_LIMIT
) -> Flow:
    """Return the flow of one match."""
    return MatchFlow(game, seat_count, randomness, fault_limit).conduct()


class MatchFlow:
    """One match whose public side can be followed while `conduct`, its flow, is played."""

    def __init__(
        self,
        game: AnyGame,
        seat_count: int,
        randomness: Randomness,
        fault_limit: int = DEFAULT_FAULT_LIMIT,
    ) -> None:
        self.onlooker: Callable[[PublicMoment], None] | None = None
        """Called after every step that makes something public. It must not raise."""
        self._game = game
        self._randomness = randomness
        self._state = game.start(seat_count)
        self._faults = FaultCount(seat_count, fault_limit)
        self._steps: list[Step] = []
        self._known_steps = 0
        """The number of steps that may be public; see PublicMoment.step."""
        self._sealed = False
        """Whether the last step was a seat's answer without public events."""
        self._events: list[Any] = []
        self._seen = [0] * seat_count
        self._turns = 0
        self._refused: tuple[Refused, ...] = ()
        self._shown: Any = None
        """The spectator's view in the last public moment."""

    def public(self) -> PublicMoment:
        """Return the present public moment, with all public events so far."""
        self._shown = self._game.view(self._state, None)
        return PublicMoment(self._known_steps, self._shown, tuple(self._events))

    def conduct(self) -> Flow:
        """Return the flow."""
        while True:
            to_act = self._game.to_act(self._state)
            if to_act is DEALER:
                action = self._game.draw(self._state, self._randomness)
                self._apply(DEALER, _step((DEALER, action, 0, None, False)))
            elif not to_act:
                return self._record(Termination.FINISHED)
            else:
                forfeited = self._faults.forfeited
                turns = []
                for seat in to_act:
                    if not forfeited[seat]:
                        self._turns += 1
                        unseen, self._seen[seat] = self._seen[seat], len(self._events)
                        view = self._game.view(self._state, seat)
                        turns.append(_turn((seat, self._turns, view, self._events, unseen)))
                settled: Iterator[tuple[OpenTurn, Reply]] = iter(())
                if turns:
                    refused, self._refused = self._refused, ()
                    settled = zip(turns, (yield _ask((tuple(turns), refused))), strict=True)
                for seat in to_act:
                    if forfeited[seat]:
                        action = self._game.default_action(self._state, seat)
                        self._apply(seat, Step(seat, action, stand_in=True))
                    else:
                        self._settle(*next(settled))
                if self._faults.decided and self._game.to_act(self._state) != ():
                    return self._record(Termination.FORFEIT)

    def refused(self, turn: OpenTurn, fault: Fault, sent: Any = None) -> Refused:
        """Return the refusal of an open turn because of a fault, with the action played instead.

        The next Ask contains it too, but only after all seats that are asked have replied.
        """
        seat = turn.seat
        played = self._game.default_action(self._state, seat)
        legal = self._game.legal_hint(self._state, seat)
        return Refused(seat, turn.number, fault.kind, fault.reason, legal, played, turn.view, sent)

    def _settle(self, turn: OpenTurn, reply: Reply) -> None:
        seat, sent = turn.seat, None
        if isinstance(reply, TimedAction):
            try:
                self._apply(seat, _step((seat, reply.action, reply.milliseconds, None, False)))
            except IllegalActionError as error:
                sent = self._game.notation.as_sent(reply.action)
                reply = Fault(FaultKind.ILLEGAL, reply.milliseconds, error.reason)
            except any_failure():
                if self._game.notation.understood(reply.action) is not None:
                    raise
                # The rules may fail on a value that is no action: it may raise when compared.
                sent = self._game.notation.as_sent(reply.action)
                reason = "This is no action of the game."
                reply = Fault(FaultKind.ILLEGAL, reply.milliseconds, reason)
            else:
                return
        self._faults.record(seat, reply.kind)
        refused = self.refused(turn, reply, sent)
        self._refused += (refused,)
        self._apply(seat, Step(seat, refused.played, reply.milliseconds, reply.kind))

    def _apply(self, actor: Actor, step: Step) -> None:
        before = self._state
        self._state = after = self._game.apply(before, actor, step.action)
        self._steps.append(step)
        events = self._game.events(before, actor, step.action, after)
        self._events.extend(events)
        drawn = actor is DEALER
        self._known_steps += not (drawn and self._sealed)
        self._sealed = not (drawn or events)
        if self.onlooker is not None:
            view = self._game.view(after, None)
            # A sealed answer makes nothing public, not even the fact that it was given.
            if events or view != self._shown:
                self._shown = view
                self.onlooker(PublicMoment(self._known_steps, view, events))

    def _record(self, termination: Termination) -> MatchRecord:
        result = result_of(self._game, self._state, self._faults, termination)
        return MatchRecord(tuple(self._steps), result, self._events, self._refused)
