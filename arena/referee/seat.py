"""One seat of one match, as a connected bot plays it: the rules' values in, messages out."""

from collections.abc import Sequence
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from arena.codec import turns
from arena.codec.malformed import MalformedError
from arena.codec.transcript import to_message
from arena.match.flow import Refused, Turn
from arena.match.transcript import Transcript
from arena.tournament.ports import Host
from arena.v1 import game_pb2, referee_pb2, transcript_pb2


class Line(Protocol):
    """The way to the bot."""

    def message(self) -> referee_pb2.PlayResponse | None:
        """The next message to the bot, to be added to; None while the bot is away."""
        ...

    def seated(self, seat: "Seat") -> None:
        """The seat's match was offered; messages about it belong to the seat from now on."""
        ...

    def unseated(self, seat: "Seat") -> None:
        """The seat's match is over."""
        ...


class WireRecord:
    """What is the same on the wire for all seats of a match, translated once."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._events: list[game_pb2.Event] = []
        self._transcript: transcript_pb2.Transcript | None = None

    def events(self, values: Sequence[Any], start: int) -> list[game_pb2.Event]:
        """The match's events from `start` on."""
        encoded = self._events
        for value in values[len(encoded) :]:
            encoded.append(turns.event(self._game, value))
        return encoded[start:]

    def transcript(self, value: Transcript) -> transcript_pb2.Transcript:
        """The match's transcript."""
        if self._transcript is None:
            self._transcript = to_message(value)
        return self._transcript


WireRecords = WeakKeyDictionary[Host, WireRecord]
"""The records of running matches; they go when their match goes."""


class Seat:
    """A Player (see tournament.ports) on a line that may be cut and restored."""

    host: Host
    match_id: str

    def __init__(self, line: Line, records: WireRecords) -> None:
        self._line = line
        self._records = records
        self._joined = False
        self._open_turn: Turn | None = None
        self._seen = 0
        """How many of the match's events the bot has been sent."""

    # From the match.

    def offer(self, host: Host, seat: int, commitment: bytes, join_ms: int) -> None:
        self.host, self._seat, self.match_id = host, seat, host.setup.match_id
        self._record = self._records.setdefault(host, WireRecord(host.setup.game))
        self._offer = turns.offer(host.setup, seat, commitment, join_ms)
        self._line.seated(self)
        message = self._line.message()
        if message is not None:
            message.offers.append(self._offer)

    def ask(self, turn: Turn) -> None:
        self._open_turn = turn
        message = self._line.message()
        if message is not None:
            self._write_turn(message, turn, turn.unseen)

    def refuse(self, refused: Refused, faults: int) -> None:
        if self._open_turn is not None and self._open_turn.number == refused.turn_number:
            self._open_turn = None
        message = self._line.message()
        if message is not None:
            message.refusals.append(turns.refusal(self.host.setup, refused, faults))

    def end(self, transcript: Transcript, events: Sequence[Any]) -> None:
        self._line.unseated(self)
        message = self._line.message()
        if message is not None:
            end = message.ends.add(match_id=self.match_id)
            end.transcript.CopyFrom(self._record.transcript(transcript))
            end.events.extend(self._record.events(events, self._seen))

    def withdraw(self, reason: str) -> None:
        self._line.unseated(self)
        message = self._line.message()
        if message is not None:
            message.withdrawals.add(match_id=self.match_id, reason=reason)

    # From the bot.

    def join(self, entropy: bytes) -> None:
        """The bot accepts the offer."""
        self._joined = True
        self.host.join(self._seat, entropy)

    def decline(self) -> None:
        """The bot does not accept the offer."""
        self.host.decline(self._seat)

    def answer(self, answer: referee_pb2.Answer) -> bool:
        """The bot acts. False when the answer belongs to no open turn."""
        turn = self._open_turn
        if turn is None or answer.turn_number != turn.number:
            return False
        self._open_turn = None
        try:
            action = turns.action(self.host.setup.game, answer.action)
        except MalformedError as error:
            return self.host.malformed(self._seat, turn.number, str(error))
        return self.host.answer(self._seat, turn.number, action)

    def cut(self) -> None:
        """The line is down."""
        self.host.left(self._seat)

    def restored(self, message: referee_pb2.PlayResponse) -> None:
        """The line is up again: tell the bot what it needs to go on."""
        self.host.returned(self._seat)
        if not self._joined:
            message.offers.append(self._offer)
            return
        message.resumes.add().offer.CopyFrom(self._offer)
        if self._open_turn is not None:
            self._write_turn(message, self._open_turn, 0)

    def _write_turn(self, message: referee_pb2.PlayResponse, turn: Turn, start: int) -> None:
        # A turn is written when it is put and when the line is restored; in between no event
        # happens, because the match waits for this seat or for another of the same moment.
        events = self._record.events(turn.events, start)
        self._seen = start + len(events)
        turns.write_turn(
            message.turns.add(), self.host.setup, turn, events, self.host.bank_ms(self._seat)
        )
