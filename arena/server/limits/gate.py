"""`Gate`: authentication and rate limits of all calls, by token, owner or address."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import grpc

from arena.database.errors import StorageError
from arena.database.keys import token_hash
from arena.records import Owner, Registered, VersionId
from arena.server.limits.connections import Connections
from arena.server.limits.forwarding import Caller, caller_of
from arena.server.limits.limits import Bucket, Buckets, KeyT, LimitError, Limits
from arena.server.limits.peers import address_of
from arena.server.limits.refusals import Context, RefusalMeter, Refusals
from arena.server.limits.storage_statuses import storage_errors_to_grpc
from arena.server.requests.errors import ProtocolError

MOST_KNOWN: Final = 200_000
"""The most tokens remembered as valid, 150 bytes each; every shift of a hosted bot adds one. Beyond
it the oldest is forgotten until it is used again. A start reads at most this many."""


LEAST_MESSAGE_BYTES: Final = 128
"""The least that a message counts as: an empty one costs the referee as much as one of these."""


Authenticate = Callable[[str], Awaitable[Registered]]
"""Returns the bot version of a token. Raises ProtocolError for a token that may not play."""


class Silence:
    """Counts a stream as silent from its creation until it is called for the first time.

    Call it when the stream has sent its hello or ended. Further calls change nothing.
    """

    # Not a context manager: its exit stack would take as much memory again in every open stream.
    __slots__ = ("_counted", "_version")

    def __init__(self, silent: Counter[VersionId], version: VersionId) -> None:
        self._counted: Counter[VersionId] | None = silent
        self._version = version
        silent[version] += 1

    def __call__(self) -> None:
        counted, self._counted = self._counted, None
        if counted is not None:
            counted[self._version] -= 1
            if not counted[self._version]:
                del counted[self._version]


class ByteCount(Bucket):
    """The limit of one stream's bytes: call it with the size of each message; raises LimitError."""

    # Not a closure, which would take three times as much memory for each stream.
    __slots__ = ("_now",)

    def __init__(self, limits: Limits, now: Callable[[], float]) -> None:
        super().__init__(limits.bytes_burst, limits.bytes_per_second)
        self._now = now

    def __call__(self, size: int) -> None:
        if self.take(self._now(), max(size, LEAST_MESSAGE_BYTES)):
            raise LimitError("bytes", "the bot sends too much", 1)


class Gate:
    """The limits of one referee. Every method raises LimitError when a limit is exceeded."""

    def __init__(
        self,
        limits: Limits,
        meter: RefusalMeter,
        now: Callable[[], float],
        known: Iterable[bytes] = (),
        dashboard_secret: str | None = None,
    ) -> None:
        """Begin with known tokens and a dashboard.

        `known` are the SHA-256 of at most MOST_KNOWN tokens, the oldest first: a caller with one of
        them is not limited by its address. A caller that sends the `dashboard_secret` may call for
        a visitor (see `forwarding`).
        """
        self.limits = limits
        self.connections = Connections(limits, now)
        self.refusals = Refusals(limits, meter, self.connections, now)
        self._now = now
        self._known = dict.fromkeys(known)
        self._dashboard_secret = dashboard_secret
        self._failures: Buckets[str] = Buckets(limits.failures_burst, limits.failures_per_second)
        self._calls: Buckets[str] = Buckets(limits.calls_burst, limits.calls_per_second)
        self._health: Buckets[str] = Buckets(limits.calls_burst, limits.calls_per_second)
        self._registrations: Buckets[str] = Buckets(
            limits.registrations_burst, limits.registrations_per_second
        )
        self._changes: Buckets[str] = Buckets(limits.changes_burst, limits.changes_per_second)
        self._sign_ups: Buckets[str] = Buckets(limits.sign_ups_burst, limits.sign_ups_per_second)
        self._challenges: Buckets[str] = Buckets(
            limits.challenges_burst, limits.challenges_per_second
        )
        self._openings: Buckets[bytes] = Buckets(limits.streams_burst, limits.streams_per_second)
        self._without_hello: Counter[VersionId] = Counter()
        self._reading: Counter[str] = Counter()
        """Open streams of reflection, by address."""

    async def admit(self, authenticate: Authenticate, token: str, peer: str) -> Registered:
        """Authenticate the bot that opens a stream."""
        secret = token_hash(token)
        if secret in self._known:
            # Before the database is asked.
            self._take(self._openings, secret, "streams", "this bot opens too many streams")
        async with self.trying(token, peer):
            return await authenticate(token)

    @asynccontextmanager
    async def trying(self, token: str, peer: str) -> AsyncIterator[None]:
        """Check a token or key in the block.

        A valid one is not counted; an address with too many invalid ones is refused.
        """
        secret, address = token_hash(token), address_of(peer)
        known = secret in self._known
        if not known:
            self._fail(address)
        try:
            async with storage_errors_to_grpc():
                yield
        except ProtocolError as error:
            if error.code is grpc.StatusCode.UNAUTHENTICATED:
                self._known.pop(secret, None)
                raise
            if not known:
                self._failures.put_back(address)
            raise
        if not known:
            self._failures.put_back(address)
            self.learn(token)

    def learn(self, token: str) -> None:
        """Add a new token to the known ones."""
        self.learn_hash(token_hash(token))

    def learn_hash(self, sha256: bytes) -> None:
        """Add the token of this hash to the known ones."""
        if len(self._known) >= MOST_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[sha256] = None

    def caller(self, context: Context) -> str:
        """Return the peer that a call counts for: the visitor, if a dashboard or proxy names one.

        Raises ProtocolError for a wrong secret, which counts as a wrong token.
        """
        return self._caller(context).peer

    @contextmanager
    def calling(self, context: Context) -> Iterator[str]:
        """Yield the peer that a call counts for, while the call is served.

        Meanwhile the connection of a dashboard or proxy counts as known, so that one visitor cannot
        get the connection of all others cut.
        """
        caller = self._caller(context)
        if not caller.by_dashboard:
            yield caller.peer
            return
        self.connections.known(context.peer(), 1)
        try:
            yield caller.peer
        finally:
            self.connections.known(context.peer(), -1)

    def _caller(self, context: Context) -> Caller:
        try:
            return caller_of(context, self._dashboard_secret)
        except ProtocolError:
            self._fail(address_of(context.peer()))
            raise

    def call(self, peer: str, token: str = "") -> None:
        """Count a call: by its token or key, if that is known, else by its address."""
        secret = token_hash(token)
        known = secret in self._known
        whom = "with this key" if known else "from this address"
        account = secret.hex() if known else address_of(peer)
        self._take(self._calls, account, "calls", f"too many calls {whom}")

    @contextmanager
    def signing_up(self, peer: str) -> Iterator[None]:
        """Count the sign-up made in the block, unless it fails."""
        address = address_of(peer)
        self._take(self._sign_ups, address, "sign-ups", "too many new owners from this address")
        try:
            yield
        except (ProtocolError, StorageError):
            self._sign_ups.put_back(address)
            raise

    def challenge(self, registered: Registered) -> None:
        """Count a bot's request for a challenge."""
        entrant = registered.entrant
        account = str(entrant) if registered.house else entrant.owner
        self._take(self._challenges, account, "challenges", "too many challenges")

    @contextmanager
    def reading_stream(self, peer: str) -> Iterator[None]:
        """Count a stream of reflection while the block runs, and its opening as a `call`.

        The caller also counts each of its questions as a `call`.
        """
        address, limits = address_of(peer), self.limits
        self.call(peer)
        if (
            self._reading[address] >= limits.reads_an_address
            or self._reading.total() >= limits.reads_waiting
        ):
            raise LimitError("reading", "too many streams of reflection are open", 1)
        self._reading[address] += 1
        try:
            yield
        finally:
            self._reading[address] -= 1
            if not self._reading[address]:
                del self._reading[address]

    async def pace(self, peer: str) -> None:
        """Count a health check.

        Beyond the limit of calls it is delayed and not refused: a supervisor must not take a
        refusal for bad health.
        """
        if self._health.take(address_of(peer), self._now()):
            await self.refusals.hold()

    def registration(self, registrant: Registered | Owner) -> None:
        """Count a registration by an owner: with its key, or with the token of one of its bots."""
        owner = registrant.name if isinstance(registrant, Owner) else registrant.entrant.owner
        what = f"too many registrations by {owner}"
        self._take(self._registrations, owner, "registrations", what)

    def change(self, owner: Owner) -> None:
        """Count a change by an owner of its bots."""
        self._take(self._changes, owner.name, "changes", f"too many changes by {owner.name}")

    def silent(self, version: VersionId) -> Silence:
        """Count a stream that has not sent its hello."""
        if self._without_hello[version] >= self.limits.streams_without_hello:
            raise LimitError(
                "silent streams",
                "too many open streams without a `hello`: send it on those first",
                1,
            )
        return Silence(self._without_hello, version)

    def byte_count(self) -> ByteCount:
        """Return the limit of the bytes of a new stream."""
        return ByteCount(self.limits, self._now)

    def _fail(self, address: str) -> None:
        what = "too many wrong tokens from this address"
        self._take(self._failures, address, "failures", what)

    def _take(self, buckets: Buckets[KeyT], key: KeyT, limit: str, what: str) -> None:
        """Take from the bucket of `key`; `what` is the text of the error if it has too little."""
        wait = buckets.take(key, self._now())
        if wait:
            raise LimitError(limit, what, wait)
