"""`HostedMatch`: one match among remote bots (slow, faulty, silent or gone), offer to transcript.

A hosted match never waits. Joins, answers, disconnects and the passing of time are calls to it;
each advances the match as far as possible and sends the players what is new. So a match needs no
task, and a test advances its clock by hand.
"""

from collections.abc import Callable, Sequence
from enum import Enum

from arena.errors import INTERNAL_ERROR
from arena.match.flow import MatchRecord, PublicMoment, Refused, Reply
from arena.match.notes import Note, NotesTaken
from arena.match.transcript import Opening, Setup, Transcript
from arena.randomness import KeyedRandomness, commitment, match_key
from arena.server.play.alarm import Alarm, nobody
from arena.server.play.compiled import IN_PYTHON, CompiledRules
from arena.server.play.match_play import MatchPlay
from arena.server.play.open_turns import KeepReply
from arena.server.play.ports import Follower, Player, Timer
from arena.server.play.terms import Patience


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
    """The referee failed; the match does not count."""


class HostedMatch:
    """The course of one match, from its offer to its end.

    `done` is called once at the end, and the match has a transcript if it was played. `begun` is
    called with the entropies by seat when all bots have joined, and returns the callback that keeps
    every reply from then on; `showable` is called after it, before the first draw.
    """

    def __init__(
        self,
        setup: Setup,
        players: Sequence[Player],
        secret: bytes,
        timer: Timer,
        done: Callable[["HostedMatch", Outcome], None],
        patience: Patience = Patience(),
        begun: Callable[[tuple[bytes, ...]], KeepReply] = lambda _entropies: nobody,
        showable: Callable[["HostedMatch"], None] = lambda _match: None,
        notes: NotesTaken | None = None,
        compiled: CompiledRules = IN_PYTHON,
    ) -> None:
        self.setup = setup
        self.transcript: Transcript | None = None
        self.absent_at_start: list[int] = []
        """The seats that prevented the start, if the outcome is NOT_JOINED or DECLINED."""
        self.joined_after: dict[int, float] = {}
        """The number of seconds that each seat took to join."""
        self.notes = NotesTaken() if notes is None else notes
        """What the bots have noted so far."""
        self._offered_at = 0.0
        self._players = players
        self._secret = secret
        self._commitment = commitment(secret)
        self._timer = timer
        self._done = done
        self._phase = _Phase.OFFERED
        self._entropies: dict[int, bytes] = {}
        self._begun = begun
        self._play = MatchPlay(
            setup,
            players,
            patience.grace_seconds,
            timer,
            compiled,
            lambda: showable(self),
            self._finish,
            lambda: self.break_off(f"{INTERNAL_ERROR}; the match does not count"),
        )
        self.answer = self._play.answer
        self.malformed = self._play.malformed
        self.time_left_ms = self._play.time_left_ms
        self.take_over = self._play.take_over
        self.written_events = self._play.written_events
        self._follower: Follower | None = None
        self._join_seconds = patience.join_seconds
        self._alarm = Alarm(timer, self._time_to_join_over)

    @property
    def begun(self) -> bool:
        """Whether all bots have joined."""
        return self._phase is not _Phase.OFFERED

    @property
    def running(self) -> bool:
        """Whether the match is being played, and so can be shown."""
        return self._play.flow is not None

    @property
    def refused(self) -> Sequence[Refused]:
        """The faults of all seats so far."""
        return self._play.refused

    def show(self, follower: Follower) -> PublicMoment:
        """See ShowableMatch."""
        self.take_over()
        flow = self._play.flow
        assert flow is not None
        self._follower = follower
        flow.onlooker = follower.see
        return flow.public()

    def hide(self) -> None:
        """See ShowableMatch."""
        self._follower = None
        if self._play.flow is not None:
            self._play.flow.onlooker = None

    def open(self) -> None:
        """Offer the match to all seats, which have a limited time to join."""
        self._offered_at = self._timer.now()
        for seat, player in enumerate(self._players):
            player.offer(self, seat, self._commitment, self._join_ms)
        self._alarm.set(self._timer.now() + self._join_seconds)

    def resume(
        self, entropies: Sequence[bytes], replies: Sequence[tuple[int, Reply]], keep: KeepReply
    ) -> None:
        """Continue a match that another referee began; call this instead of `open`.

        `replies` are the replies that the other referee accepted and kept.
        """
        self._entropies = dict(enumerate(entropies))
        self._phase = _Phase.PLAYING
        self._play.keep_replies(keep)
        self._play.expect_all(replies)
        # First, so that the seats can be notified if the match cannot be rebuilt.
        there = [
            seat
            for seat, player in enumerate(self._players)
            if player.resume(self, seat, self._commitment, self._join_ms, entropies[seat])
        ]
        self._play.resume(self._randomness(), replies)
        for seat in there:
            self.returned(seat)

    def suspend(self) -> None:
        """Stop the match because the referee stops; the next one continues it.

        Offers are withdrawn. `done` is not called.
        """
        if self._phase is _Phase.OFFERED:
            for player in self._players:
                player.withdraw("the referee is stopping; come back")
        self._close()

    def join(self, seat: int, entropy: bytes) -> None:
        """Accept the offer for a seat; the match begins when all bots have. Repeats do nothing."""
        if self._phase is not _Phase.OFFERED or seat in self._entropies:
            return
        self._entropies[seat] = entropy
        self.joined_after[seat] = self._timer.now() - self._offered_at
        if len(self._entropies) == len(self._players):
            self._begin()

    def decline(self, seat: int) -> bool:
        """Decline the offer for a seat, so that the match does not begin.

        Returns False, without effect, if the match has begun already.
        """
        if self._phase is not _Phase.OFFERED:
            return False
        self.absent_at_start = [seat]
        self._withdraw(Outcome.DECLINED, "a bot declined")
        return True

    def note(self, note: Note) -> None:
        """Take what a bot notes about its open turn."""
        self.notes.take(note)

    def left(self, seat: int) -> None:
        """Record that the seat's bot lost its connection; its clock keeps running."""
        if self._phase is _Phase.OFFERED:
            self.absent_at_start = [seat]
            self._withdraw(Outcome.NOT_JOINED, "a bot left")
        elif self._phase is _Phase.PLAYING:
            self._play.left(seat)

    def returned(self, seat: int) -> None:
        """Record that the seat's bot is connected again."""
        if self._phase is _Phase.PLAYING:
            self._play.returned(seat)

    def break_off(self, reason: str) -> None:
        """End the match as void, for a reason on the referee's side."""
        if self._phase is not _Phase.OVER:
            self._withdraw(Outcome.BROKEN, reason)

    def announce(self, written: bytes) -> None:
        """Send all players the end of the match, once it is recorded."""
        for player in self._players:
            player.end(written, self._play.events)
        self._let_go(self.transcript)

    def discard(self) -> None:
        """Notify all players that the match, though played, could not be recorded."""
        for player in self._players:
            player.withdraw("the match could not be recorded; it does not count")
        self._let_go()

    def _let_go(self, transcript: Transcript | None = None) -> None:
        """Release the players and the follower, which refer to the match.

        Without these reference cycles, a match is freed without the garbage collector.
        """
        self._players = ()
        self._play.let_go()
        if self._follower is not None:
            self._follower.over(None if transcript is None else transcript.result)
            self._follower = None

    @property
    def _join_ms(self) -> int:
        return int(self._join_seconds * 1000)

    def _begin(self) -> None:
        self._phase = _Phase.PLAYING
        self._alarm.cancel()
        self._play.keep_replies(self._begun(self._entropies_by_seat()))
        for player in self._players:
            player.begin()
        self._play.begin(self._randomness())

    def _entropies_by_seat(self) -> tuple[bytes, ...]:
        return tuple(map(self._entropies.__getitem__, range(len(self._players))))

    def _randomness(self) -> KeyedRandomness:
        entropies = self._entropies_by_seat()
        return KeyedRandomness(match_key(self._secret, self.setup.keyed_by, entropies))

    def _finish(self, record: MatchRecord) -> None:
        self._close()
        self.transcript = Transcript(
            self.setup,
            self._commitment,
            record.steps,
            record.result,
            Opening(self._secret, self._entropies_by_seat()),
        )
        self._tell_done(Outcome.PLAYED)

    def _withdraw(self, outcome: Outcome, reason: str, to_the_absent: str = "") -> None:
        self._close()
        for seat, player in enumerate(self._players):
            own = to_the_absent if seat in self.absent_at_start else ""
            player.withdraw(own or reason)
        self._let_go()
        self._tell_done(outcome)

    def _tell_done(self, outcome: Outcome) -> None:
        done, self._done = self._done, nobody
        done(self, outcome)

    def _close(self) -> None:
        self._phase = _Phase.OVER
        self._play.stop()
        self._alarm.cancel()

    def _time_to_join_over(self) -> None:
        self.absent_at_start = [
            seat for seat in range(len(self._players)) if seat not in self._entropies
        ]
        self._withdraw(
            Outcome.NOT_JOINED,
            "not every bot joined in time",
            f"this bot did not join within {self._join_seconds:g} s, and is offered nothing for a "
            "while; was it busy with another match?",
        )
