"""`Referees`: a bot's streams to all referees of its arena, and its places at each.

The calling thread keeps the first stream; each other stream has a thread of its own. The bot still
plays in one thread at a time. The first stream leads to the address that the bot was given. While
no referee is connected, it is the only one: it then tries that address and the other addresses that
the referees listed, in turn. A referee replaces an older stream of a bot with a newer one, so two
streams never lead to the same referee.

A bot that leaves takes no further block, and disconnects when no match runs at any referee: a
referee that adopts the matches of another must find the bot connected.

The bot's places are divided among the referees in use, in the order in which they are listed, the
oldest first, so that all bots with few places meet at the same referees. The bot is connected where
it has places, and to the oldest two of the referees that it can reach: when a referee stops, or
hangs while its streams look intact, the oldest remaining referee adopts its matches.
"""

import logging
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue

from arena.bot.address import Address, AddressError
from arena.bot.conversation import Conversation
from arena.bot.in_order import InOrder
from arena.bot.line import Line
from arena.v1 import referee_pb2

ADOPTION_S = 20.0
"""The time after the loss of a referee within which another resumes its matches, in seconds.

It consists of three seconds until the loss is noticed, and the time that a bot may be away.
"""

HEIRS = 2
"""The number of oldest referees among which one adopts the matches of a referee that stops."""

_log = logging.getLogger("arena.bot")


@dataclass(eq=False, slots=True)
class RefereeStream:
    """A stream to one referee, opened again when it is lost."""

    conversation: Conversation
    line: Line = field(default_factory=Line)
    address: str = ""
    """The address as the referees list it; "" while it is unknown or if they do not list it."""
    unreached: bool = False
    """Whether the last attempt to connect the stream failed."""

    @property
    def running(self) -> int:
        """The number of its matches that are not over.

        It is 0 for a lost stream, whose matches are adopted elsewhere.
        """
        return self.conversation.running if self.line.up else 0


class Referees:
    """All streams of one program."""

    def __init__(self, conversation: Conversation) -> None:
        self.first = RefereeStream(conversation)
        self.turn = InOrder()
        """The lock that a thread holds while the bot plays."""
        self.failure: Exception | None = None
        """The reason why a stream, and with it the program, ended for good."""
        self.leaving = False
        """Whether the bot has asked to leave."""
        self._draining = False
        """Whether the referees have been asked to let the bot go."""
        self._lost_at = -math.inf
        """The time when a referee was lost."""
        self._heirs_since = -math.inf
        """The time when a referee was lost while there were others that can adopt its matches."""
        self._streams = [self.first]
        self._threads: list[threading.Thread] = []
        self._given = Address("")
        self._keep: Callable[[RefereeStream], None] = lambda _stream: None
        self._listed: dict[str, Address] = {}
        """The addresses of the referees, as they list them."""
        self._in_use = 0
        """The number of referees, counted from the first, at which bots play; 0 for all."""
        self._tries = 0
        """The number of attempts to find a referee since the last was connected."""
        self._places_withheld = False
        """Whether a referee has less than its share, because matches elsewhere hold the places."""
        self._closed = False
        self._changes: SimpleQueue[None] = SimpleQueue()
        """The queue that wakes `alone`; a signal handler may put into it."""

    def begin(self, given: Address, keep: Callable[[RefereeStream], None]) -> None:
        """Set the address that the bot was given, and the function that keeps a stream.

        `keep` returns when `next_address` returns None.
        """
        self._given, self._keep = given, keep

    @property
    def several(self) -> bool:
        """Whether the arena has more than one referee, as far as they are listed."""
        return len(self._listed) > 1

    @property
    def up(self) -> bool:
        """Whether any referee is connected."""
        return any(one.line.up for one in self._streams)

    @property
    def running(self) -> int:
        """The number of joined matches that are not over."""
        return sum(one.running for one in self._streams)

    @property
    def gone(self) -> bool:
        """Whether the bot has left all connected referees."""
        return all(one.conversation.gone for one in self._streams if one.line.up)

    def leave(self) -> None:
        """Begin to leave; a signal handler may call this."""
        self.leaving = True
        for one in list(self._streams):
            one.conversation.leaving = True
        if not self._drain_if_done():
            for one in list(self._streams):
                _play_at_most(one, 0)
            self._drain_later()
        self._wake()

    def next_address(self, stream: RefereeStream) -> Address | None:
        """Return the address to connect a stream to; None if the stream is not needed."""
        with self.turn:
            if self.failure is not None or not self.keeps(stream):
                return None
            if any(one.line.up for one in self._streams if one is not stream):
                return self._listed.get(stream.address)
            if stream is not self.first:
                return None  # only the first stream looks for a referee
            if self.leaving and not self._resumable(self._lost_at):
                return None
            for one in self._streams[1:]:
                self._drop(one)
            stream.address = ""
            found = [self._given, *(one for one in self._listed.values() if one != self._given)]
            self._tries += 1
            return found[(self._tries - 1) % len(found)]

    def keeps(self, stream: RefereeStream) -> bool:
        """Return whether a stream is still needed."""
        return stream in self._streams and not self._closed

    def alone(self) -> bool:
        """Wait while other streams are connected, and return whether the first is needed again.

        If it is not, the bot has left or failed.
        """
        while self.failure is None:
            if not any(one.line.up for one in self._streams[1:]):
                return not self.leaving or (self._awaited and not self._draining)
            self._changes.get()
        return False

    def heard(self, stream: RefereeStream, response: referee_pb2.PlayResponse) -> None:
        """Process a message about the referees and the bot's places; the caller holds `turn`."""
        if response.HasField("welcome"):
            self._tries = 0
            stream.unreached = False
            stream.address = response.welcome.address
            self._list(response.welcome.referees, stream)
            if self._draining:
                stream.line.send(stream.conversation.drain())
            if not stream.conversation.places_told:
                # A referee that does not support 0 places in `hello` has assumed 1.
                stream.conversation.places_told = response.welcome.max_matches
            self._deal_places()
            self._open_further()
        elif response.HasField("referees"):
            self._list(response.referees, stream)
            self._deal_places()
            self._open_further()
        elif response.resumes or (response.ends and self._places_withheld):
            self._deal_places()
        if self.leaving:
            self._drain_if_done()

    def lost(self, stream: RefereeStream) -> None:
        """Record that a stream has ended, or could not be opened."""
        with self.turn:
            stream.unreached = not stream.line.up
            if stream.line.up:
                self._lost_at = time.monotonic()
                if self.several:
                    self._heirs_since = self._lost_at
            stream.line.lost()
            self._deal_places()
            if self.up:
                self._open_further()
            if self.leaving and not self._drain_if_done():
                self._drain_later()
        self._wake()

    def join(self) -> None:
        """Wait until the bot has left all referees but the first."""
        for thread in self._threads:
            thread.join()

    def close(self) -> None:
        """End all streams but the first."""
        self._closed = True
        for one in self._streams[1:]:
            one.line.cut()

    @property
    def _awaited(self) -> bool:
        """Whether another referee may still resume matches of a lost one."""
        return self._resumable(self._heirs_since)

    def _resumable(self, lost_at: float) -> bool:
        """Return whether matches that ran when a referee was lost may still be resumed."""
        if time.monotonic() >= lost_at + ADOPTION_S:
            return False
        kept = list(self._streams)
        running = sum(one.conversation.running for one in kept if not one.line.up)
        return running + sum(one.conversation.lost for one in kept) > 0

    def _drain_if_done(self) -> bool:
        """Ask the referees to let the bot go unless matches run; return whether they are asked."""
        if not self._draining and not self._awaited and not (self.several and self.running):
            self._draining = True
            for one in list(self._streams):
                one.line.send(one.conversation.drain())
        return self._draining

    def _drain_later(self) -> None:
        timer = threading.Timer(ADOPTION_S, self._drain_if_done)
        timer.daemon = True
        timer.start()

    def _list(self, referees: referee_pb2.Referees, teller: RefereeStream) -> None:
        """Replace the list of the referees' addresses with the one that a referee sent.

        A bot at a referee without an address of its own, or at a Unix socket, plays only there: it
        may have no network.
        """
        if teller.address and not self._given.target.startswith("unix:"):
            known, self._listed, self._in_use = self._listed, {}, referees.in_use
            for text in referees.addresses:
                try:
                    self._listed[text] = Address.parse(text, os.environ)
                except AddressError as error:
                    _log.warning("%s", error)
                    if text in known:  # a certificate file is being replaced
                        self._listed[text] = known[text]
        elif teller is self.first:
            self._listed = {}

    def _shares(self) -> dict[str, int]:
        """Return the bot's share of places at each address.

        A referee that cannot be reached gets no places until it is reached; the next reachable one
        takes its share.
        """
        most = 0 if self.leaving else self.first.conversation.most_places
        unreached = {one.address for one in self._streams if one.unreached}
        reached = [address for address in self._listed if address not in unreached]
        used = min(self._in_use or len(reached), len(reached))
        return {
            address: most // used + (index < most % used) if index < used else 0
            for index, address in enumerate(reached)
        }

    def _deal_places(self) -> None:
        """Tell each referee how many matches the bot plays with it.

        That is its share; it is less while matches beyond their shares run with other referees.
        """
        shares = self._shares()
        owed = {one: self._share(one, shares) for one in self._streams}
        over = sum(max(0, one.running - share) for one, share in owed.items())
        self._places_withheld = over > 0
        for one, share in owed.items():
            withheld = min(over, max(0, share - one.running))
            over -= withheld
            places = share - withheld
            _play_at_most(one, places)

    def _share(self, stream: RefereeStream, shares: dict[str, int]) -> int:
        if self._listed:
            return shares.get(stream.address, 0)
        return stream.conversation.most_places if stream is self.first and not self.leaving else 0

    def _open_further(self) -> None:
        if self.leaving:
            return
        kept = {one.address for one in self._streams}
        for index, (address, share) in enumerate(self._shares().items()):
            if (share or index < HEIRS) and address not in kept:
                stream = RefereeStream(self.first.conversation.beside(), address=address)
                self._streams.append(stream)
                thread = threading.Thread(target=self._run, args=(stream,), daemon=True)
                self._threads = [one for one in self._threads if one.is_alive()] + [thread]
                thread.start()

    def _run(self, stream: RefereeStream) -> None:
        try:
            self._keep(stream)
        except Exception as error:
            self.failure = error
            self.first.line.cut()
        finally:
            with self.turn:
                self._drop(stream)
            self._wake()

    def _drop(self, stream: RefereeStream) -> None:
        stream.line.cut()
        if stream in self._streams:
            self._streams.remove(stream)
            self.first.conversation.take_over(stream.conversation, running=not self.first.line.up)

    def _wake(self) -> None:
        if self._changes.empty():
            self._changes.put(None)


def _play_at_most(stream: RefereeStream, places: int) -> None:
    """Limit the matches played at once with this referee.

    While a stream is being opened, `hello` carries the number.
    """
    stream.conversation.places = places
    if stream.line.up and stream.conversation.places_told != places:
        stream.conversation.places_told = places
        told = referee_pb2.Places(max_matches=places)
        stream.line.send(referee_pb2.PlayRequest(places=told))
