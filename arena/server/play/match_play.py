"""`MatchPlay`: a hosted match from its first draw to its last step, among bots that have joined.

It asks the seats, takes their answers, counts their faults and watches their clocks.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import structlog

from arena.codec.turns import WrittenEvents
from arena.match.faults import Fault, FaultKind
from arena.match.flow import (
    Ask,
    Flow,
    MatchFlow,
    MatchRecord,
    OpenTurn,
    Refused,
    Reply,
    TimedAction,
)
from arena.match.rebuild import rebuild
from arena.match.result import Result, Termination
from arena.match.transcript import Setup
from arena.named_tuples import maker
from arena.randomness import KeyedRandomness
from arena.server.play.alarm import Alarm, nobody
from arena.server.play.compiled import CompiledMatch, CompiledRules
from arena.server.play.open_turns import KeepReply, OpenTurns
from arena.server.play.ports import Player, Timer

log = structlog.get_logger()

_timed_action = maker(TimedAction)


class MatchPlay:
    """The play of one match.

    `started` is called before the first draw, `over` with the record at the end, `broken` after a
    failure of the referee.
    """

    def __init__(
        self,
        setup: Setup,
        players: Sequence[Player],
        grace_seconds: float,
        timer: Timer,
        compiled: CompiledRules,
        started: Callable[[], None],
        over: Callable[[MatchRecord], None],
        broken: Callable[[], None],
    ) -> None:
        self.flow: MatchFlow | None = None
        """The state of play; None before the match has begun and after its end."""
        self.events: Sequence[Any] = ()
        """All events of the match so far."""
        self.refused: list[Refused] = []
        """The faults of all seats so far."""
        self._told_early: tuple[int, ...] = ()
        """The open turns whose faults their seats were told while the match waited for others."""
        self.written_events = WrittenEvents(setup.game)
        self._faults = [0] * len(players)
        self._setup = setup
        self._players = players
        self._timer = timer
        self._compiled_rules = compiled
        self._compiled: CompiledMatch | None = None
        """The match while compiled rules play it; `flow` then waits before its first turn."""
        self._started = started
        self._over = over
        self._broken = broken
        self._open = OpenTurns(
            len(players), setup.time_control, grace_seconds, timer, self._advance
        )
        self._clocks = self._open.clocks
        self._steps: Flow | None = None
        self._alarm = Alarm(timer, self._ring)

    def begin(self, randomness: KeyedRandomness) -> None:
        """Play the match from its start."""
        try:
            flow = self._start(randomness)
            # Compiled rules cannot play a match that has a spectator from the start.
            if flow.onlooker is None:
                self._compiled = self._compiled_rules.begin(
                    self._setup, randomness.key, self._players, self._open.keep, self._played
                )
        except Exception:
            self._break()
            return
        if self._compiled is None:
            self._advance(None)
        else:
            self._alarm.set(self._compiled.asked_at + self._clocks.shortest)

    def take_over(self) -> None:
        """Continue in Python a match that compiled rules have played so far."""
        if self._compiled is None:
            return
        played, self._compiled = self._compiled.leave(), None
        try:
            assert self._steps is not None
            rebuilt = rebuild(self._steps, played.replies)
            ask = rebuilt.ask
            assert ask is not None and not rebuilt.refused
        except Exception:
            self._break()
            return
        self.events = ask.turns[-1].events
        self._open.put(ask.turns)
        self._clocks.asked_at = played.asked_at
        open_turns = {turn.seat: turn for turn in ask.turns}
        for seat, (player, seen) in enumerate(zip(self._players, played.seen, strict=True)):
            player.was_sent(seen, open_turns.get(seat))
        self._alarm.set(self._open.deadline)

    def expect_all(self, replies: Iterable[tuple[int, Reply]]) -> None:
        """Wait for all bots after a restart of the referee; `replies` were given before it."""
        self._clocks.expect_all()
        for seat, reply in replies:
            self._clocks.spend(seat, reply.milliseconds)

    def resume(self, randomness: KeyedRandomness, replies: Iterable[tuple[int, Reply]]) -> None:
        """Continue the match after these replies."""
        self._start(randomness)
        assert self._steps is not None
        rebuilt = rebuild(self._steps, replies)
        for refused in rebuilt.refused:
            self._faults[refused.seat] += 1
        self.refused += rebuilt.refused
        if rebuilt.record is not None:
            self._finish(rebuilt.record)
            return
        assert rebuilt.ask is not None
        self._put(rebuilt.ask, rebuilt.given)
        self._alarm.set(self._open.deadline)

    def stop(self) -> None:
        """Send no further turns and take no further answers."""
        if self._compiled is not None:
            self._compiled.stop()
            self._compiled = None
        self.flow = self._steps = None
        self._open.close()
        self._alarm.cancel()

    def let_go(self) -> None:
        """Release the players and the host, which refer to their match."""
        self._players = ()
        self._started = self._over = self._broken = nobody

    def answer(self, seat: int, turn_number: int, action: Any) -> bool:
        """Take an action for an open turn.

        Returns False, without effect, if no such turn is open.
        """
        self.take_over()
        reply = _timed_action((action, self._clocks.elapsed_ms(seat)))
        return self._open.reply(seat, turn_number, reply)

    def malformed(self, seat: int, turn_number: int, reason: str) -> bool:
        """Take an answer to an open turn that is not an action of the game.

        Returns False, without effect, if no such turn is open.
        """
        self.take_over()
        fault = Fault(FaultKind.MALFORMED, self._clocks.elapsed_ms(seat), reason)
        return self._open.reply(seat, turn_number, fault)

    def left(self, seat: int) -> None:
        """Record that the seat's bot lost its connection; its clock keeps running."""
        self.take_over()
        if self._clocks.left(seat):
            self._alarm.set(self._open.deadline)

    def returned(self, seat: int) -> None:
        """Record that the seat's bot is connected again."""
        self.take_over()
        if self._clocks.returned(seat):
            self._alarm.set(self._open.deadline)

    def time_left_ms(self, seat: int) -> tuple[int, int]:
        """Return the milliseconds left to a seat with an open turn: for it, and in its bank."""
        return self._clocks.time_left_ms(seat)

    def keep_replies(self, keep: KeepReply) -> None:
        """Call `keep` with each accepted reply from now on."""
        self._open.keep = keep

    def _start(self, randomness: KeyedRandomness) -> MatchFlow:
        self.flow = flow = MatchFlow(
            self._setup.make_game(), len(self._players), randomness, self._setup.fault_limit
        )
        self._started()
        self._steps = flow.conduct()
        return flow

    def _advance(self, replies: Sequence[Reply] | None) -> None:
        steps = self._steps
        assert steps is not None
        try:
            while True:
                ask = next(steps) if replies is None else steps.send(replies)
                self._put(ask)
                if self._open.waited_for:
                    clocks = self._clocks
                    if clocks.away_since or clocks.asked_at + clocks.shortest < self._alarm.at:
                        self._alarm.set(self._open.deadline)
                    return
                replies = self._open.replies
        except StopIteration as stop:
            self._finish(stop.value)
        except Exception:
            self._break()

    def _break(self) -> None:
        """End the match after a failure of the referee.

        Bots are notified, but do not get the text of the exception, which could reveal secrets.
        """
        log.exception("match broken", match=self._setup.match_id)
        self._broken()

    def _put(self, ask: Ask, given: Mapping[int, Reply] = MappingProxyType({})) -> None:
        """Ask the seats, except those that have `given` their replies already."""
        if ask.refused:
            self._tell_refused(ask.refused)
        self.events = ask.turns[-1].events
        for turn in self._open.put(ask.turns, given):
            bank_ms = self._clocks.banks[turn.seat].left_ms
            self._players[turn.seat].ask(turn, self._clocks.turn_ms, bank_ms)

    def _tell_refused(self, all_refused: Sequence[Refused]) -> None:
        for refused in all_refused:
            if refused.turn_number not in self._told_early:
                self._tell(refused)
        self._told_early = ()

    def _tell_expired(self, expired: Sequence[tuple[OpenTurn, Fault]]) -> None:
        """Tell seats that their time is over while the match waits for others."""
        flow = self.flow
        assert flow is not None
        for turn, fault in expired:
            self._tell(flow.refused(turn, fault))
            self._told_early += (turn.number,)

    def _tell(self, refused: Refused) -> None:
        self.refused.append(refused)
        self._faults[refused.seat] += 1
        self._players[refused.seat].refuse(refused, self._faults[refused.seat])

    def _played(self) -> None:
        """Take the match from compiled rules that have played it to its end."""
        assert self._compiled is not None
        played, self._compiled = self._compiled.leave(), None
        assert played.placing is not None
        for player, seen in zip(self._players, played.seen, strict=True):
            player.was_sent(seen)
        self.written_events.made(played.events)
        seats = len(self._players)
        result = Result(
            played.placing,
            played.scores,
            Termination.FINISHED,
            faults=(0,) * seats,
            forfeited=(False,) * seats,
        )
        try:
            self._finish(MatchRecord(played.steps, result, played.events))
        except Exception:
            self._break()

    def _finish(self, record: MatchRecord) -> None:
        self.stop()
        self._tell_refused(record.refused)
        self.events = record.events
        self._over(record)

    def _ring(self) -> None:
        if self._compiled is not None:
            due = self._compiled.asked_at + self._clocks.shortest
            if self._timer.now() < due:
                self._alarm.set(due)
                return
            self.take_over()
            if self._steps is None:
                return  # it could not be taken over, and is void
        expired = self._open.expire(self._timer.now())
        if not self._open.waited_for:
            self._advance(self._open.replies)
            return
        try:
            self._tell_expired(expired)
        except Exception:
            self._break()
        else:
            self._alarm.set(self._open.deadline)
