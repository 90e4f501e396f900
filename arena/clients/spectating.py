"""`SpectatorClient`: a client of the SpectatorService, to watch running matches."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import grpc

from arena.bot.address import Address, AddressError
from arena.codec.malformed import MalformedError
from arena.codec.mirrored import value_of
from arena.codec.spectating import read_end, read_match, read_moment
from arena.errors import UserError
from arena.games.game import Options
from arena.match.flow import PublicMoment
from arena.match.result import Result
from arena.match.transcript import Entrant
from arena.server.limits import forwarding
from arena.v1 import spectator_pb2
from arena.v1.spectator_pb2_grpc import SpectatorServiceStub

ANSWER_SECONDS: Final = 3.0
"""The deadline for a referee to report its activity, in seconds."""


class RefereeAwayError(UserError):
    """The referee does not answer or refuses the call; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class RefereeActivity:
    """The activity of a referee."""

    connected_bots: int
    running_matches: int
    recorded_matches: int
    """The number of matches recorded since it started."""
    running_seconds: int
    watch_delay_ms: int


@dataclass(slots=True)
class WatchedMatch:
    """A match as spectators have seen it so far; it grows while the match is played."""

    match_id: str
    game: str
    options: Options
    entrants: tuple[Entrant, ...]
    tournament: str
    moments: list[PublicMoment] = field(default_factory=list)
    over: bool = False
    result: Result | None = None
    """The result; None until the match ends, and for a void match."""


class SpectatorClient:
    """A client of one referee, which threads may share."""

    def __init__(self, address: Address, secret: str | None = None) -> None:
        """Open a channel to the referee.

        With the referee's ARENA_DASHBOARD_SECRET, limits count the client as the dashboard, not by
        its address.
        """
        self._address = address
        self._metadata = () if secret is None else ((forwarding.SECRET, secret),)
        # Any, because generated stubs are also typed for grpc.aio.
        self._stub: Any = SpectatorServiceStub(address.channel())

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ) -> "SpectatorClient | None":
        """Return a dashboard's client of the referee at ARENA_ADDRESS; None if that is not set.

        Raises AddressError.
        """
        text = environment.get("ARENA_ADDRESS", "").strip()
        secret = environment.get("ARENA_DASHBOARD_SECRET") or None
        return cls(Address.parse(text, environment), secret) if text else None

    def activity(self) -> RefereeActivity:
        """Return the activity of the referee. Raises RefereeAwayError."""
        request = spectator_pb2.GetActivityRequest()
        try:
            answer = self._stub.GetActivity(
                request, timeout=ANSWER_SECONDS, metadata=self._metadata
            )
        except grpc.RpcError as error:
            raise self._away(error) from error
        return value_of(RefereeActivity, answer)

    def watch(self, most: int = 1) -> "Watching":
        """Watch `most` matches at the same time."""
        request = spectator_pb2.WatchRequest(max_matches=most)
        return Watching(self._stub.Watch(request, metadata=self._metadata), self._away)

    def _away(self, error: Any) -> RefereeAwayError:
        if error.code() is grpc.StatusCode.UNAVAILABLE:
            return RefereeAwayError(self._address.why_unreachable(error.details() or ""))
        return RefereeAwayError(f"The referee refuses: {error.details() or error.code().name}.")


class Watching:
    """An open stream, iterable over the matches in which something happened; `stop` ends it."""

    def __init__(self, call: Any, away: Any) -> None:
        self._call = call
        self._away = away
        self._matches: dict[str, WatchedMatch] = {}

    def __iter__(self) -> Iterator[WatchedMatch]:
        """Yield the matches as they grow, without end. Raises RefereeAwayError, unless stopped."""
        try:
            for message in self._call:
                yield from self._read(message)
        except grpc.RpcError as error:
            if not self._call.cancelled():  # not the status, as a proxy may also send CANCELLED
                raise self._away(error) from error
        except MalformedError as error:
            raise RefereeAwayError(f"The referee is of another release: {error}.") from error

    def stop(self) -> None:
        """End the stream; any thread may call this."""
        self._call.cancel()

    def _read(self, message: spectator_pb2.WatchResponse) -> Iterator[WatchedMatch]:
        changed: dict[str, WatchedMatch] = {}
        for shown in message.matches:
            game, options, entrants = read_match(shown)
            self._matches[shown.match_id] = WatchedMatch(
                shown.match_id, game, options, entrants, shown.tournament
            )
        for moment in message.moments:
            match = changed[moment.match_id] = self._matches[moment.match_id]
            match.moments.append(read_moment(match.game, moment))
        for end in message.ends:
            match = changed[end.match_id] = self._matches.pop(end.match_id)
            match.result = read_end(end)
            match.over = True
        yield from changed.values()


__all__ = [
    "AddressError",
    "RefereeActivity",
    "RefereeAwayError",
    "SpectatorClient",
    "WatchedMatch",
    "Watching",
]
