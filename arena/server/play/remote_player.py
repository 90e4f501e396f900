"""`RemotePlayer`: one seat of one match, played by a connected bot over its stream."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from google.protobuf.message import Message

from arena.codec import turns
from arena.codec.malformed import MalformedError
from arena.codec.notes import read_note
from arena.match.flow import OpenTurn, Refused
from arena.server.play.outbox import Outbox
from arena.server.play.ports import Host
from arena.v1 import referee_pb2

if TYPE_CHECKING:
    from arena.server.play.session import Session


class RemotePlayer:
    """A Player (see play.ports) over a connection that may be lost and restored."""

    host: Host
    match_id: str

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._entropy: bytes | None = None
        """The entropy with which the bot joined."""
        self._open_turn: OpenTurn | None = None
        self._seen = 0
        """How many of the match's events were sent to the bot."""
        self._all_anew = False
        """Whether the next turn repeats all events: the bot reconnected and may have lost them."""

    # From the match.

    def offer(self, host: Host, seat: int, commitment: bytes, join_ms: int) -> None:
        self.host, self._seat, self.match_id = host, seat, host.setup.match_id
        self._commitment, self._join_ms = commitment, join_ms
        self._session.seated(self)
        self._send("offers", self._offer())

    def resume(
        self, host: Host, seat: int, commitment: bytes, join_ms: int, entropy: bytes
    ) -> bool:
        self.host, self._seat, self.match_id = host, seat, host.setup.match_id
        self._commitment, self._join_ms, self._entropy = commitment, join_ms, entropy
        self._session.seated(self)
        self._send_resume(entropy)
        return self._session.outbox is not None

    def stream(self) -> tuple[int, Outbox] | None:
        outbox = self._session.outbox
        return None if outbox is None else (self._session.number, outbox)

    def was_sent(self, seen: int, open_turn: OpenTurn | None = None) -> None:
        self._seen, self._open_turn, self._all_anew = seen, open_turn, False

    def begin(self) -> None:
        self._send("begins", turns.begin(self.host.setup))

    def ask(self, turn: OpenTurn, turn_ms: int, bank_ms: int) -> None:
        self._open_turn = turn
        outbox = self._session.outbox
        if outbox is not None:
            if self._all_anew:
                turn, self._all_anew = turn._replace(unseen=0), False
            self._seen = len(turn.events)
            events = self.host.written_events
            outbox.add(turns.turn_part(self.host.setup, turn, turn_ms, bank_ms, events))

    def refuse(self, refused: Refused, faults: int) -> None:
        if self._open_turn is not None and self._open_turn.number == refused.turn_number:
            self._open_turn = None
        self._send("refusals", turns.refusal(self.host.setup, refused, faults))

    def end(self, written: bytes, events: Sequence[Any]) -> None:
        if self._session.outbox is not None:
            news = self.host.written_events.after(events, 0 if self._all_anew else self._seen)
            part = turns.end_part(self.host.setup, written, news)
            self._session.outbox.add_end(self.match_id, part)
        else:
            self._session.missed(self.match_id)
        self._session.unseated(self)

    def withdraw(self, reason: str) -> None:
        self._send("withdrawals", referee_pb2.Withdrawal(match_id=self.match_id, reason=reason))
        self._session.unseated(self)

    # From the bot.

    def join(self, entropy: bytes) -> bool:
        """Accept the offer for the bot. False if it was accepted before."""
        if self._entropy is not None:
            return False
        self._entropy = entropy
        self.host.join(self._seat, entropy)
        return True

    def decline(self) -> bool:
        """Decline the offer for the bot. False if it is too late for that."""
        return self.host.decline(self._seat)

    def answer(self, answer: referee_pb2.Answer) -> bool:
        """Take the bot's answer. False if it belongs to no open turn."""
        if self._open_turn is None:
            self.host.take_over()
        turn = self._open_turn
        if turn is None or answer.turn_number != turn.number:
            return False
        self._open_turn = None
        if answer.HasField("note"):  # first, as the answer may end the match
            self.host.note(read_note(self._seat, turn.number, answer.note))
        try:
            action = turns.action(self.host.setup.game, answer.action)
        except MalformedError as error:
            return self.host.malformed(self._seat, turn.number, str(error))
        return self.host.answer(self._seat, turn.number, action)

    def cut(self) -> None:
        """Report that the connection was lost."""
        self.host.left(self._seat)

    def restored(self) -> None:
        """Report that the connection is restored, and send the bot what it needs to continue."""
        self.host.returned(self._seat)
        if self._entropy is None:
            self._send("offers", self._offer())
            return
        self._send_resume(self._entropy)
        if self._open_turn is not None:
            self.ask(self._open_turn, *self.host.time_left_ms(self._seat))

    def _send_resume(self, entropy: bytes) -> None:
        self._send("resumes", referee_pb2.Resume(offer=self._offer(), entropy=entropy))
        self._all_anew = True

    def _offer(self) -> referee_pb2.Offer:
        return turns.offer(
            self.host.setup, self._seat, self._commitment, self._join_ms, named=self.host.begun
        )

    def _send(self, name: str, message: Message) -> None:
        if self._session.outbox is not None:
            self._session.outbox.add(turns.part(name, message.SerializeToString()))
