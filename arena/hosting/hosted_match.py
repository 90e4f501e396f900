"""`HostedMatch`: one match among remote bots (slow, faulty, silent or gone), offer to transcript.

A hosted match never waits. Joins, answers, departures and the passing of time are calls to it; each
moves the match on as far as it goes and tells the players what is new. So a match costs no task,
and a test turns its clock by hand.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any

import structlog

from arena.hosting.alarm import Alarm
from arena.hosting.open_turns import Note, OpenTurns, note_nothing
from arena.hosting.ports import Follower, Player, Timer
from arena.hosting.terms import Patience
from arena.match.faults import Fault, FaultKind
from arena.match.flow import (
    Ask,
    Flow,
    MatchFlow,
    MatchRecord,
    PublicMoment,
    Refused,
    Reply,
    TimedAction,
)
from arena.match.rebuild import rebuild
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
    """An error on our side; the match does not count."""


class HostedMatch:
    """Drives one match. `done` is called once, with the transcript if the match was played.

    `begun` is called with the entropies by seat when all have joined, and returns what notes the
    replies from then on; `showable` then, before the first draw.
    """

    def __init__(
        self,
        setup: Setup,
        players: Sequence[Player],
        secret: bytes,
        timer: Timer,
        done: Callable[["HostedMatch", Outcome], None],
        patience: Patience = Patience(),
        begun: Callable[[tuple[bytes, ...]], Note] = lambda _entropies: note_nothing,
        showable: Callable[["HostedMatch"], None] = lambda _match: None,
    ) -> None:
        self.setup = setup
        self.transcript: Transcript | None = None
        self.absent_at_start: list[int] = []
        """Seats that kept the match from beginning, when the outcome is NOT_JOINED or DECLINED."""
        self.joined_after: dict[int, float] = {}
        """How many seconds each seat took to join."""
        self.refused: list[Refused] = []
        """The faults of all seats so far."""
        self._offered_at = 0.0
        self._players = players
        self._secret = secret
        self._commitment = commitment(secret)
        self._timer = timer
        self._done = done
        self._phase = _Phase.OFFERED
        self._entropies: dict[int, bytes] = {}
        self._begun = begun
        self._showable = showable
        self._open = OpenTurns(len(players), setup.time_control, patience.grace_seconds, timer)
        self._clocks = self._open.clocks
        self._faults = [0] * len(players)
        self._flow: Flow | None = None
        self._match: MatchFlow | None = None
        self._follower: Follower | None = None
        self._events: Sequence[Any] = ()
        self._patience = patience
        self._join_ms = int(patience.join_seconds * 1000)
        self._alarm = Alarm(timer, self._ring)

    @property
    def begun(self) -> bool:
        """Whether all have joined."""
        return self._phase is not _Phase.OFFERED

    @property
    def running(self) -> bool:
        """Whether it is being played, and can be shown."""
        return self._phase is _Phase.PLAYING and self._match is not None

    def show(self, follower: Follower) -> PublicMoment:
        """See ShowableMatch."""
        assert self._match is not None
        self._follower = follower
        self._match.onlooker = follower.see
        return self._match.public()

    def hide(self) -> None:
        """See ShowableMatch."""
        self._follower = None
        if self._match is not None:
            self._match.onlooker = None

    def open(self) -> None:
        """Offer the match to all seats."""
        self._offered_at = self._timer.now()
        for seat, player in enumerate(self._players):
            player.offer(self, seat, self._commitment, self._join_ms)
        self._alarm.set(self._timer.now() + self._patience.join_seconds)

    def resume(
        self, entropies: Sequence[bytes], replies: Sequence[tuple[int, Reply]], note: Note
    ) -> None:
        """Continue, instead of opening, a match that an earlier referee began.

        `replies` are those that it accepted, as far as they were kept. No bot is back yet.
        """
        self._entropies = dict(enumerate(entropies))
        self._open.note = note
        self._phase = _Phase.PLAYING
        self._clocks.expect_all()
        self._clocks.spend((seat, reply.milliseconds) for seat, reply in replies)
        # First, so that the seats can be told if the match cannot be rebuilt.
        for seat, player in enumerate(self._players):
            player.resume(self, seat, self._commitment, self._join_ms, entropies[seat])
        self._flow = self._start_flow()
        rebuilt = rebuild(self._flow, replies)
        for refused in rebuilt.refused:
            self._faults[refused.seat] += 1
        self.refused += rebuilt.refused
        if rebuilt.record is not None:
            self._finish(rebuilt.record)
            return
        assert rebuilt.ask is not None
        self._put(rebuilt.ask, rebuilt.given)
        self._alarm.set(self._open.deadline)

    def suspend(self) -> None:
        """Stop, because the referee stops; the next one continues the match. Offers are withdrawn.
        `done` is not called."""
        if self._phase is _Phase.OFFERED:
            for player in self._players:
                player.withdraw("the referee is stopping; come back")
        self._close()

    def join(self, seat: int, entropy: bytes) -> None:
        """Accept the offer for a seat; the match begins when all have. Repeats do nothing."""
        if self._phase is not _Phase.OFFERED or seat in self._entropies:
            return
        self._entropies[seat] = entropy
        self.joined_after[seat] = self._timer.now() - self._offered_at
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
        milliseconds = self._clocks.elapsed_ms(seat)
        return self._reply(seat, turn_number, TimedAction(action, milliseconds))

    def malformed(self, seat: int, turn_number: int, reason: str) -> bool:
        """Take an answer to an open turn that is not an action of the game. False as `answer`."""
        fault = Fault(FaultKind.MALFORMED, self._clocks.elapsed_ms(seat), reason)
        return self._reply(seat, turn_number, fault)

    def left(self, seat: int) -> None:
        """Record that the seat's bot lost its connection; its clock keeps running."""
        if self._phase is _Phase.OFFERED:
            self.absent_at_start = [seat]
            self._call_off("a bot left")
        elif self._phase is _Phase.PLAYING and self._clocks.left(seat):
            self._alarm.set(self._open.deadline)

    def returned(self, seat: int) -> None:
        """Record that the seat's bot is connected again."""
        if self._clocks.returned(seat) and self._phase is _Phase.PLAYING:
            self._alarm.set(self._open.deadline)

    def break_off(self, reason: str) -> None:
        """End the match as void, for a reason of ours."""
        if self._phase is not _Phase.OVER:
            self._withdraw([reason] * len(self._players), Outcome.BROKEN)

    def announce(self, written: bytes) -> None:
        """Tell all players the end, once the match is recorded."""
        for player in self._players:
            player.end(written, self._events)
        self._let_go(self.transcript)

    def time_left_ms(self, seat: int) -> tuple[int, int]:
        """The milliseconds left to a seat with an open turn: for this turn, and in its bank."""
        return self._clocks.time_left_ms(seat)

    def discard(self) -> None:
        """Tell all players that the match, though played, could not be recorded."""
        for player in self._players:
            player.withdraw("the match could not be recorded; it does not count")
        self._let_go()

    def _let_go(self, transcript: Transcript | None = None) -> None:
        """Players know their match: nothing of a match stays for the garbage collector to find."""
        self._players = ()
        if self._follower is not None:
            self._follower.over(None if transcript is None else transcript.result)
            self._follower = None

    def _begin(self) -> None:
        self._phase = _Phase.PLAYING
        self._open.note = self._begun(self._entropies_by_seat())
        for player in self._players:
            player.begin()
        self._advance(None)

    def _entropies_by_seat(self) -> tuple[bytes, ...]:
        return tuple(self._entropies[seat] for seat in range(len(self._players)))

    def _start_flow(self) -> Flow:
        key = match_key(self._secret, self.setup.match_id, self._entropies_by_seat())
        self._match = MatchFlow(
            self.setup.make_game(),
            len(self._players),
            KeyedRandomness(key),
            self.setup.fault_limit,
        )
        self._showable(self)
        return self._match.conduct()

    def _reply(self, seat: int, turn_number: int, reply: Reply) -> bool:
        if self._phase is not _Phase.PLAYING or not self._open.reply(seat, turn_number, reply):
            return False
        if self._open.all_replied:
            self._advance(self._open.replies)
        return True

    def _advance(self, replies: Sequence[Reply] | None) -> None:
        try:
            if self._flow is None:
                self._flow = self._start_flow()
            while True:
                ask = next(self._flow) if replies is None else self._flow.send(replies)
                self._put(ask)
                if not self._open.all_replied:
                    self._alarm.set(self._open.deadline)
                    return
                replies = self._open.replies
        except StopIteration as stop:
            self._finish(stop.value)
        except Exception:
            # A bug of ours. Bots are told that it happened, but not the text of the exception,
            # which could reveal secrets.
            log.exception("match broken", match=self.setup.match_id)
            self.break_off("the referee made a mistake; the match does not count")

    def _put(self, ask: Ask, given: Mapping[int, Reply] = MappingProxyType({})) -> None:
        """Ask the seats, except those that have `given` their replies already."""
        if ask.refused:
            self._tell_refused(ask.refused)
        for turn in self._open.put(ask.turns, given):
            self._players[turn.seat].ask(turn)
        self._events = ask.turns[-1].events

    def _tell_refused(self, all_refused: Sequence[Refused]) -> None:
        self.refused += all_refused
        for refused in all_refused:
            self._faults[refused.seat] += 1
            self._players[refused.seat].refuse(refused, self._faults[refused.seat])

    def _finish(self, record: MatchRecord) -> None:
        self._close()
        self._tell_refused(record.refused)
        self._events = record.events
        self.transcript = Transcript(
            self.setup,
            self._commitment,
            record.steps,
            record.result,
            Opening(self._secret, self._entropies_by_seat()),
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
        self._flow = self._match = None
        self._alarm.cancel()

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
            self._open.expire(self._timer.now())
            if self._open.all_replied:
                self._advance(self._open.replies)
            else:
                self._alarm.set(self._open.deadline)


def _done_already(_match: HostedMatch, _outcome: Outcome) -> None:
    """Replaces the `done` callback after its call, which breaks a reference cycle."""
