"""`HostedMatch`: one match among remote bots (slow, faulty, silent or gone), offer to transcript.

A hosted match never waits. Joins, answers, departures and the passing of time are calls to it; each
moves the match on as far as it goes and tells the players what is new. So a match costs no task,
and a test turns its clock by hand.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import structlog

from arena.hosting.alarm import Alarm
from arena.hosting.ports import Player, Timer
from arena.hosting.terms import Patience
from arena.match.clock import TimeBank
from arena.match.faults import Fault, FaultKind
from arena.match.flow import Ask, Flow, MatchRecord, OpenTurn, Reply, TimedAction, play
from arena.match.transcript import Opening, Setup, Transcript
from arena.randomness import KeyedRandomness, commitment, match_key

log = structlog.get_logger()


class _Phase(Enum):
    OFFERED = "offered"
    PLAYING = "playing"
    OVER = "over"


class Outcome(Enum):
    """How a hosted match ended."""

    PLAYED = "played"
    """It was played to its end and has a transcript."""
    NOT_JOINED = "not joined"
    """A bot left or did not join in time; the match did not begin."""
    DECLINED = "declined"
    """A bot declined; the match did not begin."""
    BROKEN = "broken"
    """An error or a stop on our side; the match does not count."""


class HostedMatch:
    """Drives one match. `done` is called once, with the transcript if the match was played."""

    def __init__(
        self,
        setup: Setup,
        players: Sequence[Player],
        secret: bytes,
        timer: Timer,
        done: Callable[["HostedMatch", Outcome], None],
        patience: Patience = Patience(),
    ) -> None:
        self.setup = setup
        self.transcript: Transcript | None = None
        self.absent_at_start: list[int] = []
        """Seats that kept the match from beginning, when the outcome is NOT_JOINED or DECLINED."""
        self._players = players
        self._secret = secret
        self._commitment = commitment(secret)
        self._timer = timer
        self._done = done
        self._phase = _Phase.OFFERED
        self._entropies: dict[int, bytes] = {}
        self._banks = [TimeBank(setup.time_control) for _ in players]
        self._away_since: dict[int, float] = {}
        self._faults = [0] * len(players)
        self._flow: Flow | None = None
        self._events: Sequence[Any] = ()
        self._asked: tuple[OpenTurn, ...] = ()
        self._asked_at = 0.0
        self._replies: dict[int, Reply] = {}
        self._patience = patience
        self._alarm = Alarm(timer, self._ring)

    @property
    def begun(self) -> bool:
        """Whether all have joined."""
        return self._phase is not _Phase.OFFERED

    def open(self) -> None:
        """Offer the match to all seats."""
        join_ms = int(self._patience.join_seconds * 1000)
        for seat, player in enumerate(self._players):
            player.offer(self, seat, self._commitment, join_ms)
        self._alarm.set(self._timer.now() + self._patience.join_seconds)

    def join(self, seat: int, entropy: bytes) -> None:
        """Accept the offer for a seat; the match begins when all have. Repeats do nothing."""
        if self._phase is not _Phase.OFFERED or seat in self._entropies:
            return
        self._entropies[seat] = entropy
        if len(self._entropies) == len(self._players):
            self._begin()

    def decline(self, seat: int) -> bool:
        """Reject the offer for a seat: the match does not begin. False if it has begun already."""
        if self._phase is not _Phase.OFFERED:
            return False
        self.absent_at_start = [seat]
        self._withdraw(["a bot declined"] * len(self._players), Outcome.DECLINED)
        return True

    def answer(self, seat: int, turn_number: int, action: Any) -> bool:
        """An action for an open turn. False if no such turn is open, which changes nothing."""
        return self._reply(seat, turn_number, TimedAction(action, self._elapsed()))

    def malformed(self, seat: int, turn_number: int, reason: str) -> bool:
        """Take an answer to an open turn that is not an action of the game. False as `answer`."""
        fault = Fault(FaultKind.MALFORMED, self._elapsed(), reason)
        return self._reply(seat, turn_number, fault)

    def left(self, seat: int) -> None:
        """Record that the seat's bot lost its connection; its clock keeps running."""
        if self._phase is _Phase.OFFERED:
            self.absent_at_start = [seat]
            self._call_off("a bot left")
        elif self._phase is _Phase.PLAYING and seat not in self._away_since:
            self._away_since[seat] = self._timer.now()
            self._set_deadline()

    def returned(self, seat: int) -> None:
        """Record that the seat's bot is connected again."""
        if self._away_since.pop(seat, None) is not None and self._phase is _Phase.PLAYING:
            self._set_deadline()

    def break_off(self, reason: str) -> None:
        """End the match as void, for a reason of ours."""
        if self._phase is not _Phase.OVER:
            self._withdraw([reason] * len(self._players), Outcome.BROKEN)

    def announce(self, written: bytes) -> None:
        """Tell all players the end, once the match is recorded."""
        for player in self._players:
            player.end(written, self._events)
        self._let_go()

    def time_left_ms(self, seat: int) -> tuple[int, int]:
        """The milliseconds left to a seat with an open turn: for this turn, and in its bank."""
        return self._banks[seat].left_after(self._elapsed())

    def discard(self) -> None:
        """Tell all players that the match, though played, could not be recorded."""
        for player in self._players:
            player.withdraw("the match could not be recorded; it does not count")
        self._let_go()

    def _let_go(self) -> None:
        """Players know their match: nothing of a match stays for the garbage collector to find."""
        self._players = ()

    def _begin(self) -> None:
        self._phase = _Phase.PLAYING
        for player in self._players:
            player.begin()
        self._advance(None)

    def _start_flow(self) -> Flow:
        entropies = tuple(self._entropies[seat] for seat in range(len(self._players)))
        key = match_key(self._secret, self.setup.match_id, entropies)
        return play(
            self.setup.make_game(),
            len(self._players),
            KeyedRandomness(key),
            self.setup.fault_limit,
        )

    def _elapsed(self) -> int:
        return int((self._timer.now() - self._asked_at) * 1000)

    def _reply(self, seat: int, turn_number: int, reply: Reply) -> bool:
        if self._phase is not _Phase.PLAYING or seat in self._replies:
            return False
        asked = self._asked
        for turn in asked:
            if turn.seat == seat and turn.number == turn_number:
                break
        else:
            return False
        self._banks[seat].spend(reply.milliseconds)
        self._replies[seat] = reply
        if len(self._replies) == len(asked):
            self._advance([self._replies[turn.seat] for turn in asked])
        return True

    def _advance(self, replies: Sequence[Reply] | None) -> None:
        try:
            if self._flow is None:
                self._flow = self._start_flow()
            while True:
                ask = next(self._flow) if replies is None else self._flow.send(replies)
                self._put(ask)
                if len(self._replies) < len(self._asked):
                    self._set_deadline()
                    return
                replies = [self._replies[turn.seat] for turn in self._asked]
        except StopIteration as stop:
            self._finish(stop.value)
        except Exception:
            # A bug of ours. Bots are told that it happened, but not the text of the exception,
            # which could reveal secrets.
            log.exception("match broken", match=self.setup.match_id)
            self.break_off("the referee made a mistake; the match does not count")

    def _put(self, ask: Ask) -> None:
        if ask.refused:
            self._tell_refused(ask.refused)
        self._asked, self._asked_at, self._replies = ask.turns, self._timer.now(), {}
        for turn in ask.turns:
            self._events = turn.events
            if self._away_since and self._gone_for_good(turn.seat):
                self._replies[turn.seat] = _ABSENT
            else:
                self._players[turn.seat].ask(turn)

    def _tell_refused(self, all_refused: Sequence[Any]) -> None:
        for refused in all_refused:
            self._faults[refused.seat] += 1
            self._players[refused.seat].refuse(refused, self._faults[refused.seat])

    def _gone_for_good(self, seat: int) -> bool:
        away = self._away_since.get(seat)
        return away is not None and self._timer.now() >= away + self._patience.grace_seconds

    def _finish(self, record: MatchRecord) -> None:
        self._close()
        self._tell_refused(record.refused)
        self._events = record.events
        entropies = tuple(self._entropies[seat] for seat in range(len(self._players)))
        self.transcript = Transcript(
            self.setup,
            self._commitment,
            record.steps,
            record.result,
            Opening(self._secret, entropies),
        )
        self._tell_done(Outcome.PLAYED)

    def _call_off(self, reason: str, to_the_absent: str = "") -> None:
        own = to_the_absent or reason
        seats = range(len(self._players))
        reasons = [own if seat in self.absent_at_start else reason for seat in seats]
        self._withdraw(reasons, Outcome.NOT_JOINED)

    def _withdraw(self, reasons: Sequence[str], outcome: Outcome) -> None:
        self._close()
        for player, reason in zip(self._players, reasons, strict=True):
            player.withdraw(reason)
        self._let_go()
        self._tell_done(outcome)

    def _tell_done(self, outcome: Outcome) -> None:
        done, self._done = self._done, _done_already
        done(self, outcome)

    def _close(self) -> None:
        self._phase = _Phase.OVER
        self._flow = None
        self._alarm.cancel()

    def _set_deadline(self) -> None:
        waited_for = [turn.seat for turn in self._asked if turn.seat not in self._replies]
        self._alarm.set(min(map(self._seat_deadline, waited_for)))

    def _seat_deadline(self, seat: int) -> float:
        deadline = self._asked_at + self._banks[seat].allowed_ms / 1000
        if seat not in self._away_since:
            return deadline
        return min(deadline, self._away_since[seat] + self._patience.grace_seconds)

    def _ring(self) -> None:
        if self._phase is _Phase.OFFERED:
            self.absent_at_start = [
                seat for seat in range(len(self._players)) if seat not in self._entropies
            ]
            self._call_off(
                "not every bot joined in time",
                f"this bot did not join within {self._patience.join_seconds:g} s, and is offered "
                "nothing for a while; was it busy with another match?",
            )
        elif self._phase is _Phase.PLAYING:
            self._expire(self._timer.now())

    def _expire(self, now: float) -> None:
        for turn in self._asked:
            seat = turn.seat
            if seat in self._replies or now < self._seat_deadline(seat):
                continue
            if self._gone_for_good(seat):
                self._replies[seat] = _ABSENT
            else:
                elapsed = self._elapsed()
                reason = self._banks[seat].overrun(elapsed)
                self._replies[seat] = Fault(FaultKind.LATE, elapsed, reason)
        if len(self._replies) == len(self._asked):
            self._advance([self._replies[turn.seat] for turn in self._asked])
        else:
            self._set_deadline()


def _done_already(_match: HostedMatch, _outcome: Outcome) -> None:
    """Replaces the `done` callback after its call, which breaks a reference cycle."""


_ABSENT = Fault(FaultKind.ABSENT, 0, "the bot stayed away too long")
