"""`Referees`: a bot's streams to all referees of its arena, and the places that each may offer.

The stream to the address that the bot was given is kept by whoever calls `keep_playing`; each other
has a thread of its own. The bot plays in one thread at a time all the same. The bot's places are
dealt out to the referees in the order in which they are told, the oldest first: so all bots with
few places meet at the same ones.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, TypeAlias

from arena.bot.address import Address, AddressError
from arena.bot.conversation import Conversation
from arena.v1 import referee_pb2

TAKEN_OVER_S = 1.0
"""A stream of this program may take over another one of it, when the address that the bot was given
leads to another referee than before. It is known within so long."""

_log = logging.getLogger("arena.bot")

Outgoing: TypeAlias = "SimpleQueue[referee_pb2.PlayRequest | None]"


class TakenOverError(Exception):
    """A newer run of the same bot has taken over the stream."""


class Line:
    """The current stream, for requests that answer nothing."""

    def __init__(self) -> None:
        self._outgoing: Outgoing | None = None
        self._call: Any = None
        self.others_up: Callable[[], bool] = lambda: False
        """Whether there are streams to other referees."""

    @property
    def up(self) -> bool:
        """Whether there is a stream that the referee has welcomed."""
        return self._outgoing is not None

    def send(self, request: referee_pb2.PlayRequest | None) -> None:
        """Send, if there is a stream. May be called by a signal handler."""
        if self._outgoing is not None and request is not None:
            self._outgoing.put(request)

    def connect(self, outgoing: "Outgoing | None", call: Any = None) -> None:
        """Use another stream, or none."""
        self._outgoing, self._call = outgoing, call

    def cancel(self) -> None:
        """End the stream, if there is one."""
        if self._call is not None:
            self._call.cancel()


Keep: TypeAlias = Callable[[Conversation, Address, Line, Callable[[], bool]], None]
"""Keeps a stream for as long as it is wanted."""


class InOrder:
    """A lock that threads get in the order in which they ask: with one of threading the thread that
    has just given it back has it again before the others wake, and their turns come late."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held = False
        self._waiting: deque[threading.Lock] = deque()

    def __enter__(self) -> None:
        with self._guard:
            if not self._held:
                self._held = True
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()

    def __exit__(self, *_: object) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False


@dataclass(eq=False, slots=True)
class _Stream:
    conversation: Conversation
    line: Line = field(default_factory=Line)
    address: str = ""
    """As the referees tell it; "" until then, and for one that they do not tell."""
    thread: threading.Thread | None = None
    """None for the first one."""


class Referees:
    """All streams of one program."""

    def __init__(
        self, conversation: Conversation, line: Line, keep: Keep, *, alone: bool = False
    ) -> None:
        """With `alone` others are not connected to, whatever is told: a bot at a Unix socket may
        have no network."""
        self._alone = alone
        line.others_up = lambda: any(one.line.up for one in self._streams[1:])
        self._first = _Stream(conversation, line)
        self._streams = [self._first]
        self._keep = keep
        self._listed: tuple[str, ...] = ()
        self._waits_for_room = False
        """Whether further referees are connected to as soon as matches are over."""
        self.turn = InOrder()
        """Held while the bot plays."""
        self.failure: Exception | None = None
        """Why a stream to another referee ended for good, and with it the program."""

    @property
    def running(self) -> int:
        """How many joined matches are not over."""
        return sum(one.conversation.running for one in self._streams if one.line.up)

    def heard(self, conversation: Conversation, response: referee_pb2.PlayResponse) -> None:
        """Take in what a referee says of all; `turn` is held."""
        if response.HasField("welcome"):
            welcome = response.welcome
            stream = self._of(conversation)
            stream.address = welcome.address
            self._share_out(welcome.referees.addresses, stream)
        elif response.HasField("referees"):
            self._share_out(response.referees.addresses, self._of(conversation))
        elif response.ends and self._waits_for_room:
            self._open_further()

    def next_address(self, given: Address, tried: Address) -> Address:
        """Where to try after the first stream was lost: in turn what the bot was given, which leads
        back to the same referee if it is there, and others to which no stream is kept."""
        kept = {one.address for one in self._streams}
        found = [given]
        for text in self._listed:
            if text not in kept:
                try:
                    found.append(Address.parse(text, os.environ))
                except AddressError as error:
                    _log.warning("%s", error)
        return found[(found.index(tried) + 1) % len(found)] if tried in found else found[0]

    def leave(self) -> None:
        """Begin to leave all referees but the first."""
        for one in self._streams[1:]:
            request = one.conversation.leave()
            if one.line.up:
                one.line.send(request)
            else:
                one.conversation.released = True

    def join(self) -> None:
        """Wait until the bot has left all referees but the first."""
        for one in list(self._streams[1:]):
            if one.thread is not None:
                one.thread.join()

    def close(self) -> None:
        """End all streams but the first."""
        self._listed = ()
        for one in list(self._streams[1:]):
            one.line.cancel()

    def _of(self, conversation: Conversation) -> _Stream:
        return next(one for one in self._streams if one.conversation is conversation)

    def _share_out(self, addresses: Sequence[str], teller: _Stream) -> None:
        if teller.address and not self._alone:
            self._listed = tuple(addresses)
        elif teller is self._first:
            self._listed = ()
        shares = self._shares()
        for one in self._streams:
            elsewhere = bool(self._listed and one.address)
            places = shares.get(one.address, 0 if elsewhere else one.conversation.most_places)
            # With `hello` 0 counts as 1.
            if one.conversation.places != places or places == 0:
                one.conversation.places = places
                changed = referee_pb2.Places(max_matches=places)
                one.line.send(referee_pb2.PlayRequest(places=changed))
        self._open_further()

    def _shares(self) -> dict[str, int]:
        most, count = self._first.conversation.most_places, len(self._listed)
        return {
            address: most // count + (index < most % count)
            for index, address in enumerate(self._listed)
        }

    def _open_further(self) -> None:
        """Connect to further referees, as soon as there is room for their share."""
        conversation = self._first.conversation
        if conversation.leaving or not self._first.address:
            return
        kept = {one.address for one in self._streams}
        self._waits_for_room = False
        for address, places in self._shares().items():
            if address in kept or not places:
                continue
            if places <= conversation.most_places - self.running:
                self._open(address, places)
            else:
                self._waits_for_room = True

    def _open(self, address: str, places: int) -> None:
        stream = _Stream(self._first.conversation.beside(places), address=address)
        stream.thread = threading.Thread(target=self._run, args=(stream, address), daemon=True)
        self._streams.append(stream)
        stream.thread.start()

    def _run(self, stream: _Stream, address: str) -> None:
        def wanted() -> bool:
            return address in self._listed and self._first.address != address

        try:
            where = Address.parse(address, os.environ)
            self._keep(stream.conversation, where, stream.line, wanted)
        except TakenOverError as error:
            time.sleep(TAKEN_OVER_S)
            if self._first.address != address:
                self._fail(error)
        except Exception as error:
            self._fail(error)
        finally:
            with self.turn:
                self._streams.remove(stream)

    def _fail(self, error: Exception) -> None:
        self.failure = error
        self._first.line.cancel()
