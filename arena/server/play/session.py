"""`Session`: a connected bot, its seats in running matches and its current stream, if any.

The size of a session is bounded: at most MAX_MATCHES seats being played, one open turn for each,
a transcript for each end. The outbox bounds what waits for a bot that does not read.
"""

from collections.abc import Callable
from typing import Final

import grpc

from arena.randomness import MAX_ENTROPY_BYTES, MIN_ENTROPY_BYTES
from arena.records import Registered
from arena.server.play.compiled import CompiledRules
from arena.server.play.outbox import Outbox
from arena.server.play.ports import ChallengePolicy
from arena.server.play.remote_player import RemotePlayer
from arena.server.requests.errors import ProtocolError, malformed
from arena.server.requests.parsing import parsed
from arena.v1 import referee_pb2

MAX_MATCHES: Final = 64
"""Most matches one stream plays at once: a bot gains nothing from more."""
MAX_STRAYS: Final = 1_000
"""The most strays of a stream: answers to no open turn or offer, and messages that change nothing.
Each valid answer takes one off the count. A few late or repeated messages are normal and harmless;
a thousand are no accident."""


class Session:
    """One instance of a bot version: a Participant whose seats send over its stream."""

    __slots__ = (
        *("_changed", "_compiled", "_leaving", "_missed", "_places_changed", "_places_free"),
        *("_seats", "_strays", "_wants_to_leave", "_when_heard"),
        *("challenges", "games", "instance", "max_matches", "number", "outbox", "registered"),
    )

    def __init__(
        self,
        number: int,
        registered: Registered,
        instance: str,
        compiled: CompiledRules,
        wants_to_leave: Callable[["Session"], None],
        places_changed: Callable[["Session"], None],
        missed: Callable[["Session", str], None],
        changed: Callable[["Session"], None],
    ) -> None:
        """Create the session of a bot; `number` is unique within the referee."""
        self.number = number
        self.registered = registered
        self.instance = instance
        self.games: frozenset[str] = frozenset()
        self.max_matches = 1
        self.challenges = ChallengePolicy.OWN
        self._compiled = compiled
        self._wants_to_leave = wants_to_leave
        self._places_changed = places_changed
        self._missed = missed
        self._changed = changed
        self._leaving = False
        """Whether it has asked to leave."""
        self._places_free = False
        """After a `drain`: no block holds a place of this bot any more."""
        self.outbox: Outbox | None = None
        """What is sent to the bot; None while it is not connected."""
        self._seats: dict[str, RemotePlayer] = {}
        self._strays = 0
        self._when_heard: Callable[[], None] | None = None

    @property
    def idle(self) -> bool:
        """Whether no match needs this session."""
        return not self._seats

    @property
    def seats(self) -> int:
        """The number of matches in which it has a seat, offered ones included."""
        return len(self._seats)

    @property
    def rated_places(self) -> int:
        """How many rated matches it plays at once."""
        plays = self.up and not self._leaving and self.challenges is not ChallengePolicy.OWN_ONLY
        return self.max_matches if plays else 0

    def attach(self, outbox: Outbox, games: frozenset[str], max_matches: int) -> None:
        """Use a new stream: everything goes to `outbox` from now on, running matches first."""
        if self.outbox is not None:
            self._miss_ends_of(self.outbox)
        self.outbox = outbox
        self.games = games
        self.max_matches = max_matches
        outbox.matches = self._played_at_once
        self._strays = 0
        self._places_free = self._leaving = False
        for seat in list(self._seats.values()):
            seat.restored()
        self._changed(self)

    def known_as(self, registered: Registered) -> None:
        """Replace the bot's registered data, in which its pace may have changed."""
        before, self.registered = self.registered, registered
        if registered.pace != before.pace:
            self._places_changed(self)

    def attached_to(self, outbox: Outbox) -> bool:
        """Whether this outbox is in use: False if a newer stream has taken over."""
        return self.outbox is outbox

    def detach(self, *, goodbye: bool) -> None:
        """Drop the stream, which closed; after a `goodbye`, open offers are declined."""
        if self.outbox is not None and not goodbye:
            self._miss_ends_of(self.outbox)
        self.outbox = None
        self._changed(self)
        for seat in list(self._seats.values()):
            if not (goodbye and seat.decline()):
                seat.cut()

    def drain(self) -> None:
        """Begin no further block."""
        self._leaving = True
        self._wants_to_leave(self)
        self._changed(self)

    def drained(self) -> None:
        self._places_free = True
        self._close_if_drained()

    def _close_if_drained(self) -> None:
        """Close the stream of a drained bot, once the last match end is sent."""
        if self._places_free and not self._seats and self.outbox is not None:
            self.outbox.close()

    def when_heard(self, call: Callable[[], None]) -> None:
        """Call once, when the bot sends its next message."""
        self._when_heard = call

    def missed(self, match_id: str) -> None:
        """Note that the bot did not get the end of a match, or may not have got it."""
        self._missed(self, match_id)

    def _miss_ends_of(self, lost: Outbox) -> None:
        for match_id in lost.ends_in_doubt():
            self.missed(match_id)

    def player(self) -> RemotePlayer:
        return RemotePlayer(self)

    @property
    def up(self) -> bool:
        return self.outbox is not None

    def seated(self, seat: RemotePlayer) -> None:
        """Register a seat whose match is offered; it gets all messages about that match."""
        self._seats[seat.match_id] = seat
        self._count_matches()

    def unseated(self, seat: RemotePlayer) -> None:
        """Remove a seat whose match is over."""
        self._seats.pop(seat.match_id, None)
        self._count_matches()
        self._close_if_drained()

    def _count_matches(self) -> None:
        self._changed(self)
        if self.outbox is not None:
            self.outbox.matches = self._played_at_once

    @property
    def _played_at_once(self) -> int:
        """The number of matches being played: ended ones keep their seats until recorded."""
        return min(len(self._seats), self.max_matches)

    def hear(self, message: bytes) -> None:
        """Handle a PlayRequest. Raises ProtocolError if the stream must end."""
        if self._when_heard is not None:
            heard, self._when_heard = self._when_heard, None
            heard()
        played, late, rest = self._compiled.hear(self.number, message, _request)
        if self._strays:
            self._strays = max(0, self._strays - played)
        for _ in range(late):
            self._stray()
        if rest is not None:
            self._handle(rest, answered=played + late > 0)

    def _handle(self, request: referee_pb2.PlayRequest, *, answered: bool) -> None:
        """Handle a message, or what is left of one in which compiled rules were `answered`."""
        seats = self._seats
        for answer in request.answers:
            seat = seats.get(answer.match_id)
            if seat is None or not seat.answer(answer):
                self._stray()
            else:
                self._strays -= self._strays > 0
        if request.HasField("drain"):
            if self._leaving:
                self._stray()
            else:
                self.drain()
        if request.HasField("places"):
            self._use_places(max(0, min(request.places.max_matches, MAX_MATCHES)))
        if request.joins or request.declines or request.HasField("hello"):
            self._handle_offers(request)
        elif request.HasField("drain") or request.HasField("places"):
            pass
        elif not (request.answers or answered):
            self._stray()

    def _use_places(self, places: int) -> None:
        if places == self.max_matches:
            self._stray()
            return
        self.max_matches = places
        self._places_changed(self)
        self._changed(self)

    def _handle_offers(self, request: referee_pb2.PlayRequest) -> None:
        if request.HasField("hello"):
            raise malformed("`hello` is allowed only in the first message")
        for join in request.joins:
            if not MIN_ENTROPY_BYTES <= len(join.entropy) <= MAX_ENTROPY_BYTES:
                raise malformed(
                    f"a join's entropy has {MIN_ENTROPY_BYTES} to {MAX_ENTROPY_BYTES} bytes, "
                    f"not {len(join.entropy)}"
                )
            seat = self._seats.get(join.match_id)
            if seat is None or not seat.join(join.entropy):
                self._stray()
        for decline in request.declines:
            seat = self._seats.get(decline.match_id)
            if seat is None or not seat.decline():
                self._stray()

    def _stray(self) -> None:
        self._strays += 1
        if self._strays > MAX_STRAYS:
            raise ProtocolError(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                f"more than {MAX_STRAYS} answers that belong to no open turn and no offer, or "
                "messages that change nothing",
            )


def _request(message: bytes) -> referee_pb2.PlayRequest:
    """Return the parsed message. Raises ProtocolError if any part of it is malformed."""
    return parsed(referee_pb2.PlayRequest, message)
