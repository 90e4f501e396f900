"""`Lobby`: the sessions of all connected bots, with reconnection and takeover of streams."""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from itertools import count
from typing import Protocol

import grpc
import structlog

from arena.codec.transcript import write_entrant
from arena.games import GAMES
from arena.records import Registered, VersionId
from arena.server.play.compiled import IN_PYTHON, CompiledRules
from arena.server.play.outbox import Outbox
from arena.server.play.ports import ChallengePolicy, Matchmaker
from arena.server.play.session import MAX_MATCHES, Session
from arena.server.requests.errors import ProtocolError, malformed
from arena.v1 import referee_pb2

PROTOCOL_VERSION = 1
MAX_INSTANCES = 8
"""The most copies of one version that may be connected at once."""
MAX_INSTANCE_NAME = 40
_NO_PLACES = -1
"""The `max_matches` of a hello that asks for no places.

Other values below 1, such as 0, count as 1.
"""

_POLICIES = {
    referee_pb2.CHALLENGE_POLICY_ACCEPT: ChallengePolicy.ACCEPT,
    referee_pb2.CHALLENGE_POLICY_OWN_ONLY: ChallengePolicy.OWN_ONLY,
}

log = structlog.get_logger()

CloseStream = Callable[[ProtocolError], None]


class Missed(Protocol):
    """The keeper of match ends that could not be sent to their bots. No method blocks."""

    def missed(self, session: Session, match_id: str) -> None:
        """Keep the end of a match that its bot did not get, or may not have got."""
        ...

    def came(self, session: Session) -> None:
        """Send a bot that has reconnected the ends that it missed, without waiting for it."""
        ...


class Lobby:
    """The sessions of all bots: one per instance of a version, while a stream or match needs it."""

    def __init__(
        self,
        matchmaker: Matchmaker,
        signing_key: bytes,
        missed: Missed,
        compiled: CompiledRules = IN_PYTHON,
    ) -> None:
        """Create an empty lobby; `signing_key` is the public key of the transcripts' signatures."""
        self._compiled = compiled
        self._numbers = count()
        self._referees = referee_pb2.Referees()
        self._address = ""
        self._matchmaker = matchmaker
        self._missed = missed
        self._signing_key = signing_key
        # Tuples, because most versions have one copy: a dict takes four times as much.
        self._sessions: dict[VersionId, tuple[Session, ...]] = {}
        """The sessions of each version, one for each instance."""
        self._streams: dict[Session, tuple[Outbox, CloseStream]] = {}
        self.on_change: Callable[[Session], None] = lambda _session: None
        """Called when a bot connects, leaves, changes its places, or gets or gives up a seat."""
        # Shared by all sessions, each of which would otherwise have a bound method of its own.
        self._changed: Callable[[Session], None] = lambda session: self.on_change(session)
        self._wants_to_leave = matchmaker.drain
        self._places_changed = matchmaker.places_changed
        self._end_missed = missed.missed

    @property
    def connected(self) -> int:
        """The number of open streams."""
        return len(self._streams)

    def copies(self, version: VersionId) -> Collection[Session]:
        """Return the copies of a version that are connected or sit in a match."""
        return self._sessions.get(version, ())

    @property
    def sessions(self) -> list[Session]:
        """All sessions that are connected or sit in a match."""
        return [one for copies in self._sessions.values() for one in copies]

    def expect(self, registered: Registered, instance: str) -> Session:
        """Return the session of a bot in a block that continues here from another referee."""
        return self._known(registered, instance) or self._new_session(registered, instance)

    def enter(
        self,
        registered: Registered,
        hello: referee_pb2.Hello,
        outbox: Outbox,
        close: CloseStream,
    ) -> Session:
        """Admit a stream that sent its hello; `close` is called when a newer stream takes over.

        Returns the stream's session. Raises ProtocolError for a hello that cannot be served.
        """
        games = _games(hello)
        wanted = 0 if hello.max_matches == _NO_PLACES else max(1, hello.max_matches)
        session = self._session(registered, hello.instance)
        session.registered = registered
        older = self._streams.pop(session, None)
        if older is not None:
            # Its matches move to the newer stream: the bot does not count as away.
            older[1](_taken_over())
        entrant = registered.entrant
        welcome = referee_pb2.Welcome(
            protocol_version=PROTOCOL_VERSION,
            max_matches=min(wanted, MAX_MATCHES),
            games=sorted(games),
            signing_key=self._signing_key,
            knows_drain=True,
            referees=self._referees,
            address=self._address,
        )
        write_entrant(entrant, welcome.entrant)
        outbox.add(referee_pb2.PlayResponse(welcome=welcome).SerializeToString())
        self._streams[session] = (outbox, close)
        session.challenges = _POLICIES.get(hello.challenges, ChallengePolicy.OWN)
        session.attach(outbox, games, welcome.max_matches)
        self._matchmaker.arrive(session)
        self._missed.came(session)
        log.info(
            "bot connected",
            bot=str(entrant),
            instance=session.instance,
            client=hello.client[:80] or None,
        )
        return session

    def tell_referees(self, addresses: Sequence[str], own: str, in_use: int) -> None:
        """Send all present and future bots the addresses of the arena's referees.

        `own` is the address of this referee, if it is among them; bots play at the first `in_use`,
        or at all of them if it is 0.
        """
        self._referees = referee_pb2.Referees(addresses=addresses, in_use=in_use)
        self._address = own if own in addresses else ""
        changed = referee_pb2.PlayResponse(referees=self._referees)
        part = changed.SerializeToString()
        for outbox, _ in self._streams.values():
            outbox.add(part)

    def tell_missed(self) -> None:
        """Send all connected bots the ends that they missed at another referee."""
        for session in self._streams:
            self._missed.came(session)

    def offer_nothing_more(self, session: Session, outbox: Outbox) -> None:
        """Stop offers to a bot that closed its side or was cut off, and could not answer them.

        Nothing happens once a newer stream has taken over.
        """
        if session.attached_to(outbox):
            self._matchmaker.depart(session)

    def leave(self, session: Session, outbox: Outbox, *, goodbye: bool) -> None:
        """Remove a stream that has ended; `goodbye` tells whether the bot closed it itself."""
        if session.attached_to(outbox):
            session.detach(goodbye=goodbye)
            del self._streams[session]
            self._matchmaker.depart(session)
            log.info(
                "bot disconnected",
                bot=str(session.registered.entrant),
                instance=session.instance,
                goodbye=goodbye,
            )
        self._forget_idle(session.registered)

    def close_all(self, reason: Callable[[], ProtocolError]) -> None:
        """End all streams, each with its own `reason()`."""
        for outbox, close in list(self._streams.values()):
            outbox.trust_written()  # what is written comes before the reason
            close(reason())

    def _session(self, registered: Registered, instance: str) -> Session:
        if len(instance) > MAX_INSTANCE_NAME:
            raise malformed(f"an instance's name has at most {MAX_INSTANCE_NAME} characters")
        if not instance.isprintable():
            raise malformed("an instance's name has printable characters only")
        self._forget_idle(registered)
        known = self._known(registered, instance)
        if known is None and len(self.copies(registered.version_id)) >= MAX_INSTANCES:
            raise ProtocolError(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                f"{MAX_INSTANCES} instances of {registered.entrant} are connected already",
            )
        return known or self._new_session(registered, instance)

    def _known(self, registered: Registered, instance: str) -> Session | None:
        copies = self.copies(registered.version_id)
        return next((one for one in copies if one.instance == instance), None)

    def _new_session(self, registered: Registered, instance: str) -> Session:
        session = Session(
            number=next(self._numbers),
            registered=registered,
            instance=instance,
            compiled=self._compiled,
            wants_to_leave=self._wants_to_leave,
            places_changed=self._places_changed,
            missed=self._end_missed,
            changed=self._changed,
        )
        version = registered.version_id
        self._sessions[version] = (*self.copies(version), session)
        return session

    def _forget_idle(self, registered: Registered) -> None:
        """Drop this version's sessions that neither a stream nor a match nor a block needs."""
        version = registered.version_id
        needed = tuple(filter(self._needed, self.copies(version)))
        if needed:
            self._sessions[version] = needed
        else:
            self._sessions.pop(version, None)

    def _needed(self, session: Session) -> bool:
        return not session.idle or session in self._streams or self._matchmaker.knows(session)


def _taken_over() -> ProtocolError:
    """Return a new error for each stream, as one raised repeatedly keeps all tracebacks."""
    return ProtocolError(
        grpc.StatusCode.ABORTED, "a newer stream of the same bot instance took over"
    )


def _games(hello: referee_pb2.Hello) -> frozenset[str]:
    if hello.protocol_version != PROTOCOL_VERSION:
        raise malformed(
            f"this referee speaks protocol version {PROTOCOL_VERSION}, "
            f"not {hello.protocol_version}: set `hello.protocol_version`"
        )
    games = _one_for_all(frozenset(hello.games).intersection(GAMES))
    if not games:
        raise malformed(f"`hello.games` names none of the games played here: {', '.join(GAMES)}")
    return games


@cache  # bounded by the games that are played here: eight combinations
def _one_for_all(games: frozenset[str]) -> frozenset[str]:
    """Return one shared set for all bots that play the same games.

    A set takes as much memory as a session.
    """
    return games
