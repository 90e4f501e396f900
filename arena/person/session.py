"""`PersonSession`: a person's stream to the referee, in a thread of its own.

The person's bot plays only matches that its own token asked for (CHALLENGE_POLICY_OWN_ONLY), one at
a time. Each session is an instance of the same version. A person who leaves during a match forfeits
it: turns are answered without an action until the fault limit is reached, so that the others need
not wait.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Any, Final

import grpc

from arena.bot.address import Address
from arena.bot.challenging import (
    ChallengeAccepted,
    ChallengeError,
    ChallengeNews,
    ChallengeOver,
    Challenger,
    Wanted,
)
from arena.codec.bot_side import read_begin, read_offer
from arena.codec.notes import write_note
from arena.match.transcript import PROTOCOL_VERSION
from arena.person.seat import AnswerError, PersonSeat
from arena.person.watching import watch
from arena.randomness import ENTROPY_BYTES
from arena.v1 import referee_pb2
from arena.v1.referee_pb2_grpc import RefereeServiceStub

CONNECT_SECONDS: Final = 10.0
"""The time within which the referee must welcome the session."""
LEAVE_SECONDS: Final = 20.0
"""The longest time that a leaving session waits for its blocks to end."""
PAUSE_SECONDS: Final = 1.0
"""The pause before a lost stream is opened again; it is short, as a seat's absence is limited."""
RESUME_SECONDS: Final = 15.0
"""The longest time that another referee takes to resume a match after the stream is open again."""

_LOST: Final = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}
"""The statuses after which the stream is not opened again."""

_log = logging.getLogger("arena.person")


class PersonSession:
    """The session of one person.

    All methods may be called in any thread; `changed` is called in the session's thread whenever
    something is new.
    """

    def __init__(
        self,
        address: Address,
        token: str,
        instance: str,
        games: tuple[str, ...],
        changed: Callable[[], None],
        now: Callable[[], float] = time.monotonic,
        resume_seconds: float = RESUME_SECONDS,
        forwarded: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._address = address
        self._token = token
        self._challenger = Challenger(address, token, forwarded)
        self._instance = instance
        self._games = games
        self._changed = changed
        self._resume_seconds = resume_seconds
        self.now = now
        """The clock of the turns, in seconds."""
        self._outgoing: SimpleQueue[referee_pb2.PlayRequest | None] | None = None
        self._channel: Any = None
        self._call: Any = None
        self._welcome = threading.Event()
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._run, name=instance, daemon=True)
        self.lock = threading.RLock()
        """The lock held while `seat` changes; hold it to read several fields of it together."""
        self.seat: PersonSeat | None = None
        """The newest match."""
        self.awaited = ""
        """The names of the bots that have accepted to play, until the match is offered."""
        self.not_played = ""
        """The reason why the newest challenge failed."""
        self.leaving = False
        self.lost = ""
        """The reason why the referee does not let the session play."""

    @property
    def alive(self) -> bool:
        """Whether the stream is open, or will be again."""
        return self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` for the session to be over, and return whether it is."""
        self._thread.join(seconds)
        return not self.alive

    def open(self) -> None:
        """Connect. Raises ChallengeError if the referee does not welcome the session."""
        self._thread.start()
        if not self._welcome.wait(CONNECT_SECONDS) or self.lost:
            self.leave()
            raise ChallengeError(self.lost or "The referee does not answer.")

    def challenge(self, wanted: Wanted) -> ChallengeAccepted:
        """Ask for one match, and return the acceptance. Raises ChallengeError."""
        updates = self._challenger.challenge(wanted)
        accepted = next(updates)
        assert isinstance(accepted, ChallengeAccepted)
        with self.lock:
            self.not_played = ""
            if self.seat is None or self.seat.over:
                self.awaited = ", ".join(one.bot for one in accepted.opponents)
        self._changed()
        threading.Thread(target=self._follow, args=(updates,), daemon=True).start()
        return accepted

    def _follow(self, updates: Iterator[ChallengeNews]) -> None:
        """Record the reason if the challenge leads to no match."""
        reason = ""
        try:
            for told in updates:
                if isinstance(told, ChallengeOver):
                    reason = told.reason
        except ChallengeError as error:
            with self.lock:  # an offered match continues, and the stream reports the rest
                reason = str(error) if self.awaited else ""
        if reason:
            with self.lock:
                self.awaited, self.not_played = "", reason
            self._changed()

    def answer(self, turn_number: int, answer: object, note: str = "") -> None:
        """Answer the open turn with an action in its JSON form, and a note. Raises AnswerError."""
        with self.lock:
            if self.seat is None:
                raise AnswerError("No match is being played.")
            message = self.seat.answer(turn_number, answer)
            if note:
                write_note(note, None, message.note)
            self.seat.turn = None
            self._send(referee_pb2.PlayRequest(answers=[message]))
        self._changed()

    def leave(self) -> None:
        """Forfeit the match, if one runs, and leave."""
        with self.lock:
            if self.leaving:
                return
            self.leaving = True
            request = referee_pb2.PlayRequest(drain=referee_pb2.Drain())
            self._give_up(request)
            self._send(request)
        timer = threading.Timer(LEAVE_SECONDS, self._cut)
        timer.daemon = True
        timer.start()
        self._left.set()

    def _cut(self) -> None:
        if self._call is not None:
            self._call.cancel()

    def _give_up(self, request: referee_pb2.PlayRequest) -> None:
        empty = None if self.seat is None else self.seat.no_answer()
        if empty is not None:
            request.answers.append(empty)

    def _send(self, request: referee_pb2.PlayRequest) -> None:
        if self._outgoing is not None and request.ByteSize():
            self._outgoing.put(request)

    def _run(self) -> None:
        while not self.lost:
            try:
                self._play()
            except Exception:
                _log.exception("A person's session failed.")
                self.lost = "The session failed."
            if self.leaving:
                break
            self._changed()
            self._left.wait(PAUSE_SECONDS)
        self._welcome.set()
        self._changed()

    def _play(self) -> None:
        """Play over one stream until it ends."""
        hello = referee_pb2.Hello(
            protocol_version=PROTOCOL_VERSION,
            instance=self._instance,
            games=self._games,
            max_matches=1,
            client="arena.person",
            challenges=referee_pb2.CHALLENGE_POLICY_OWN_ONLY,
        )
        outgoing: SimpleQueue[referee_pb2.PlayRequest | None] = SimpleQueue()
        outgoing.put(referee_pb2.PlayRequest(hello=hello))
        with self._address.channel() as channel:
            call = RefereeServiceStub(channel).Play(
                iter(outgoing.get, None), metadata=(("authorization", f"Bearer {self._token}"),)
            )
            self._channel, self._call = channel, call
            try:
                for response in call:
                    with self.lock:
                        self._outgoing = outgoing
                        self._hear(response)
                    self._welcome.set()
                    self._changed()
            except grpc.RpcError:
                pass  # the status is read below
            finally:
                with self.lock:
                    self._outgoing = None
                outgoing.put(None)  # ends gRPC's writing thread
                call.cancel()
            if call.code() in _LOST:
                self.lost = f"The referee ended the session: {call.details()}."

    def _hear(self, response: referee_pb2.PlayResponse) -> None:
        request = referee_pb2.PlayRequest()
        if response.HasField("welcome") and self.leaving:  # a new stream has cancelled the drain
            request.drain.SetInParent()
        if response.HasField("welcome"):
            self._expect_resume({one.offer.match_id for one in response.resumes})
        for resume in response.resumes:
            offered = read_offer(resume.offer)
            if self.seat is None or self.seat.match_id != offered.setup.match_id:
                self.seat = PersonSeat(offered, resume.entropy)
            self.seat.resume(offered)
            self._watch(self.seat)
        for offer in response.offers:
            self.seat = PersonSeat(read_offer(offer), secrets.token_bytes(ENTROPY_BYTES))
            self.awaited = ""
            if self.leaving:
                request.declines.add(match_id=offer.match_id)
            else:
                request.joins.add(match_id=offer.match_id, entropy=self.seat.entropy)
        for begin in response.begins:
            if (seat := self._seat(begin.match_id)) is not None:
                seat.begin(read_begin(begin))
                self._watch(seat)
        for withdrawal in response.withdrawals:
            if (seat := self._seat(withdrawal.match_id)) is not None:
                seat.turn = None
                seat.called_off = withdrawal.reason
        for refusal in response.refusals:
            if (seat := self._seat(refusal.match_id)) is not None:
                seat.refused(refusal)
        for turn in response.turns:
            if (seat := self._seat(turn.match_id)) is not None:
                seat.ask(turn, self.now())
        for end in response.ends:
            if (seat := self._seat(end.match_id)) is not None:
                seat.end(end)
        if self.leaving:
            self._give_up(request)
        self._send(request)

    def _expect_resume(self, resumed: set[str]) -> None:
        """Call the match off after `resume_seconds`, unless it is resumed or its end arrives.

        A referee that is killed has not stored what happened in its last moments.
        """
        seat = self.seat
        if seat is None or seat.over or seat.match_id in resumed:
            return
        seat.turn, seat.lost = None, True
        timer = threading.Timer(self._resume_seconds, self._call_off, (seat,))
        timer.daemon = True
        timer.start()

    def _call_off(self, seat: PersonSeat) -> None:
        with self.lock:
            if seat.lost and not seat.over:
                seat.called_off = "The match was lost with its referee."
        self._changed()

    def _watch(self, seat: PersonSeat) -> None:
        # Over the same channel, because it leads to the referee that plays the match.
        if seat.match is not None and not self.leaving:
            told = self._channel, seat, self.lock, self._changed
            threading.Thread(target=watch, args=told, daemon=True).start()

    def _seat(self, match_id: str) -> PersonSeat | None:
        seat = self.seat
        return seat if seat is not None and seat.match_id == match_id else None
