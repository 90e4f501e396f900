"""What one peer may use of a referee, and the token buckets that count it.

A peer that has shown a valid token is counted by its token, every other one by address. Several
guests may share an address, and none of them can use up what a known bot needs.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import grpc

from arena.server.requests.errors import ProtocolError

MAX_METADATA_BYTES: Final = 2 * 1024
"""The most bytes of the metadata of one call; each line counts 32 bytes in addition to its text.
gRPC's own lines take some 600, a token 120. Every line is read several times here, but a peer can
repeat one with very few bytes."""
MOST_KEYS: Final = 20_000
"""The most addresses or tokens that one limit remembers."""


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits. A `_burst` is the amount allowed at once, a `_per_second` the rate of refill."""

    failures_burst: int = 50
    """Calls with an invalid token or key, by address."""
    failures_per_second: float = 0.2
    calls_burst: int = 100
    """Calls of the registry and questions to reflection, by address, or by a known token or key."""
    calls_per_second: float = 10.0
    watching_an_address: int = 16
    """Spectators' streams at once, by address; the dashboard with the secret counts as one."""
    watching: int = 128
    """The limit for all addresses together, without the dashboard."""
    watching_share: float = 0.2
    """The part of the time that showing matches to spectators may take in the long run."""
    watching_burst_seconds: float = 2.0
    """The time that showing may take at once."""
    watching_waits: int = 8_192
    """Parts (a match, a moment, an end) that wait for a spectator, delayed ones included: some
    2 MB."""
    streams_burst: int = 60
    """Streams opened, by token."""
    streams_per_second: float = 1.0
    streams_without_hello: int = 16
    """Open streams that have not sent their hello, by bot version."""
    bytes_burst: int = 2 * 1024 * 1024
    """Bytes to the referee, by stream."""
    bytes_per_second: int = 1024 * 1024
    challenges_burst: int = 30
    """Challenges, by the owner of the bot that asks; each house bot counts by itself."""
    challenges_per_second: float = 0.5
    registrations_burst: int = 60
    """Registrations over the wire, by owner."""
    registrations_per_second: float = 0.05
    changes_burst: int = 60
    """Descriptions, new tokens and retirements, by owner: the audit keeps each of them for good,
    and after a new token every referee looks for the streams of that version."""
    changes_per_second: float = 0.05
    sign_ups_burst: int = 60
    """New owners, by address: a whole class may share one."""
    sign_ups_per_second: float = 0.02
    bots_per_owner: int = 20
    """Bots that an owner may have, retired ones not counted."""
    versions_per_day: int = 24
    """Versions of one bot that are registered over the wire, in 24 hours; uploads have a limit of
    their own (`HostingTerms`)."""
    owner_versions_per_day: int = 60
    """The limit for all bots of an owner together."""
    reads_an_address: int = 8
    """Reading calls that wait to be answered, by address; also the limit of reflection streams."""
    reads_waiting: int = 64
    """The limit for all addresses together."""
    reading_share: float = 0.25
    """The part of the time that answering reading calls may take in the long run."""
    reading_burst_seconds: float = 2.0
    """The time that answering may take at once."""
    refusal_seconds: float = 2.0
    """How long a call beyond a limit waits for its refusal: trying again at once gains nothing."""
    refusals_held: int = 1_000
    """Refusals that wait at the same time, some 50 kB each; further ones are sent at once."""
    refusals_a_connection: int = 100
    """Refusals sent without delay after which a connection without a known bot is cut."""
    waiting_seconds: float = 30.0
    """How long a call waits for its request, and at its end for its peer to take the answer or
    status; then a connection without a known bot is cut."""
    connections_an_address: int = 200
    """Connections without a known bot, by address; the oldest is cut."""
    connections_a_process: int = 16
    """Connections over the Unix socket, by process; the oldest is cut."""
    strangers_share: float = 0.5
    """The part of the open files that connections without a known bot may take in all."""
    strangers_bytes_burst: int = 1024 * 1024
    """Bytes to the referee over a connection without a known bot."""
    strangers_bytes_per_second: int = 64 * 1024


class LimitError(ProtocolError):
    """Ends a call that is beyond a limit; it may be repeated after `seconds`."""

    def __init__(self, limit: str, what: str, seconds: float) -> None:
        self.limit = limit
        """The name of the limit, as the metrics count it."""
        self.seconds = max(1, math.ceil(seconds))
        super().__init__(
            grpc.StatusCode.RESOURCE_EXHAUSTED, f"{what}: come back in {self.seconds} s"
        )


class Bucket:
    """One token bucket: full at first.

    Its state is the time at which it is full again (the generic cell rate algorithm).
    """

    __slots__ = ("_burst", "_each", "full_at")

    def __init__(self, burst: float, per_second: float) -> None:
        self._burst = burst
        self._each = 1 / per_second
        self.full_at = -math.inf

    def take(self, now: float, amount: float = 1.0) -> float:
        """Take an amount and return 0, or take nothing and return the seconds to wait for it."""
        full_at = max(now, self.full_at) + amount * self._each
        # A tolerance for rounding: a caller that waits as long as told is not refused again.
        wait = full_at - now - self._burst * self._each
        if wait > 1e-6:
            return wait
        self.full_at = full_at
        return 0.0

    def put_back(self, amount: float = 1.0) -> None:
        """Undo a `take`."""
        self.full_at -= amount * self._each

    def full(self, now: float) -> bool:
        """Whether the bucket is full."""
        return self.full_at <= now


KeyT = TypeVar("KeyT", bound=Hashable)


class Buckets(Generic[KeyT]):
    """A token bucket for each key, in bounded memory."""

    def __init__(self, burst: float, per_second: float, most: int = MOST_KEYS) -> None:
        self._burst, self._per_second, self._most = burst, per_second, most
        self._buckets: dict[KeyT, Bucket] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key: KeyT, now: float, amount: float = 1.0) -> float:
        """Take from the bucket of a key, as Bucket.take does."""
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= self._most:
                self._make_room(now)
            bucket = self._buckets[key] = Bucket(self._burst, self._per_second)
        return bucket.take(now, amount)

    def put_back(self, key: KeyT, amount: float = 1.0) -> None:
        """Undo a `take`."""
        if key in self._buckets:
            self._buckets[key].put_back(amount)

    def _make_room(self, now: float) -> None:
        """Forget full buckets, which are like new ones; if too many remain, the fullest, too."""
        kept = [pair for pair in self._buckets.items() if not pair[1].full(now)]
        kept.sort(key=lambda pair: pair[1].full_at)
        self._buckets = dict(kept[-(self._most // 2) :])
