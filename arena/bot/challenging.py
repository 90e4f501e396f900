"""`Challenger`: a client of ChallengeService that requests unrated matches of a connected bot."""

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import grpc

from arena.bot.address import Address
from arena.codec.transcript import read_entrant, write_time_control
from arena.errors import UserError
from arena.match.clock import TimeControl
from arena.match.transcript import Entrant
from arena.v1 import challenge_pb2 as pb
from arena.v1 import registry_pb2
from arena.v1.challenge_pb2_grpc import ChallengeServiceStub

ASK_SECONDS: Final = 2.0
"""The interval between queries for a challenge whose call was lost."""
PATIENCE_SECONDS: Final = 300.0
"""The longest time for which a referee may be unreachable meanwhile."""
_LATER: Final = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
)
"""The statuses after which the same call may succeed later."""


class ChallengeError(UserError):
    """The referee refuses a challenge or cannot be reached; the message gives the reason."""


class ChallengeLostError(ChallengeError):
    """A call ended before its challenge did; the matches continue."""


class NotNowError(ChallengeError):
    """The referee cannot answer at the moment."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The parameters of a challenge; see ChallengeRequest."""

    game: str
    opponents: Sequence[str] = ()
    """The opponents, as BOT or BOT:VERSION."""
    seats: int = 0
    """The number of seats; 0 means one for each opponent and one more."""
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    matches: int = 1
    time_control: TimeControl | None = None
    instance: str = ""
    bot: str = ""
    """The bot that challenges, as BOT or BOT:VERSION; needed with an owner's key."""


@dataclass(frozen=True, slots=True)
class ChallengeAccepted:
    """A message that a challenge is accepted and its matches will be played."""

    challenge_id: str
    opponents: tuple[Entrant, ...]
    time_control: TimeControl


@dataclass(frozen=True, slots=True)
class ChallengePlayed:
    """A message that a match was played and recorded."""

    match_id: str
    entrants: tuple[Entrant, ...]
    placing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChallengeOver:
    """A message that no further match follows; `reason` is "" if all were played."""

    played: int
    reason: str


@dataclass(frozen=True, slots=True)
class ChallengeSoFar:
    """The state of a challenge."""

    played: tuple[ChallengePlayed, ...]
    wanted: int
    over: bool


ChallengeNews: TypeAlias = ChallengeAccepted | ChallengePlayed | ChallengeOver
"""A message about the progress of a challenge."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A bot that accepts challenges."""

    entrant: Entrant
    games: tuple[str, ...]
    free: int
    """The number of further challenges that it accepts now."""


class Challenger:
    """A client that calls the referee at an address with a bot's token, or its owner's key."""

    def __init__(
        self, address: Address, token: str, forwarded: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Use this address and token; `forwarded` is metadata that names the visitor of calls."""
        self._address = address
        self._forwarded = tuple(forwarded)
        self._metadata = (("authorization", f"Bearer {token}"), *self._forwarded)

    def challenge(self, wanted: Wanted) -> Iterator[ChallengeNews]:
        """Request matches and yield the progress: first the acceptance, last the end.

        Args:
            wanted: The parameters of the challenge.

        Raises:
            ChallengeError: The referee refuses the challenge or cannot be reached.
            ChallengeLostError: The call ended after the challenge was accepted.
        """
        request = pb.ChallengeRequest(
            game=wanted.game,
            options_json=json.dumps(dict(wanted.options)) if wanted.options else "",
            seats=wanted.seats,
            opponents=wanted.opponents,
            matches=wanted.matches,
            instance=wanted.instance,
            bot=wanted.bot,
        )
        if wanted.time_control is not None:
            write_time_control(wanted.time_control, request.time_control)
        accepted = False
        with self._address.channel() as channel:
            call = ChallengeServiceStub(channel).Challenge(request, metadata=self._metadata)
            try:
                for response in call:
                    told = _read(response)
                    if told is not None:
                        accepted = True
                        yield told
            except grpc.RpcError as error:
                kind = ChallengeLostError if accepted else ChallengeError
                raise kind(self._why(error)) from error
            finally:
                call.cancel()

    def so_far(self, challenge_id: str, timeout: float = 5.0) -> ChallengeSoFar:
        """Return the state of a challenge in which the bot plays.

        Args:
            challenge_id: The id in ChallengeAccepted.
            timeout: The deadline of the call, in seconds.

        Raises:
            NotNowError: The referee cannot answer at the moment.
            ChallengeError: The referee refuses the query.
        """
        request = pb.GetChallengeRequest(challenge_id=challenge_id)
        with self._address.channel() as channel:
            stub = ChallengeServiceStub(channel)
            try:
                found = stub.GetChallenge(request, metadata=self._metadata, timeout=timeout)
            except grpc.RpcError as error:
                kind = NotNowError if error.code() in _LATER else ChallengeError
                raise kind(self._why(error)) from error
        return ChallengeSoFar(tuple(map(_played, found.matches)), found.wanted, found.over)

    def follow(
        self,
        challenge_id: str,
        known: Collection[str] = (),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Iterator[ChallengePlayed | ChallengeOver]:
        """Yield the remaining messages of a challenge whose call was lost.

        These are its matches except those in `known`, and at last its end. Waits for a referee that
        is unreachable.

        Args:
            challenge_id: The id in ChallengeAccepted.
            known: The ids of the matches to leave out.
            clock: Returns the time in seconds; replaced in tests.
            sleep: Waits for a number of seconds; replaced in tests.

        Raises:
            ChallengeError: The referee refuses the query, or stays unreachable for
                PATIENCE_SECONDS.
        """
        told = set(known)
        until = clock() + PATIENCE_SECONDS
        refused = False
        while True:
            try:
                found = self.so_far(challenge_id)
            except NotNowError:
                if clock() > until:
                    raise
            except ChallengeError:
                # The first match of a challenge may have ended without being recorded yet.
                if refused:
                    raise
                refused = True
            else:
                until, refused = clock() + PATIENCE_SECONDS, False
                for match in found.played:
                    if match.match_id not in told:
                        told.add(match.match_id)
                        yield match
                if found.over:
                    cut_short = len(found.played) < found.wanted
                    reason = "The challenge ended before its time." if cut_short else ""
                    yield ChallengeOver(len(found.played), reason)
                    return
            sleep(ASK_SECONDS)

    def rivals(self, game: str = "", timeout: float = 5.0) -> list[Rival]:
        """Return the bots that accept challenges now, by name.

        Args:
            game: The id of a game, or "" for all games.
            timeout: The deadline of the call, in seconds.

        Raises:
            ChallengeError: The referee refuses the query or cannot be reached.
        """
        with self._address.channel() as channel:
            request = pb.ListOpponentsRequest(game=game)
            try:
                stub = ChallengeServiceStub(channel)
                found = stub.ListOpponents(request, metadata=self._forwarded, timeout=timeout)
            except grpc.RpcError as error:
                raise ChallengeError(self._why(error)) from error
        return [
            Rival(read_entrant(one.entrant), tuple(one.games), one.free) for one in found.opponents
        ]

    def _why(self, error: Any) -> str:
        code, details = error.code(), error.details() or ""
        if code is grpc.StatusCode.UNAVAILABLE and "the referee is stopping" not in details:
            return self._address.why_unreachable(details)
        if code is grpc.StatusCode.UNIMPLEMENTED:
            return "The referee is of an earlier release and knows no challenges."
        return f"{details[:1].upper()}{details[1:]}".rstrip(".") + "."


def _read(response: pb.ChallengeResponse) -> ChallengeNews | None:
    match response.WhichOneof("update"):
        case "accepted":
            accepted = response.accepted
            control = accepted.time_control
            return ChallengeAccepted(
                accepted.challenge_id,
                tuple(map(read_entrant, accepted.opponents)),
                TimeControl(control.turn_ms, control.bank_ms),
            )
        case "match":
            return _played(response.match)
        case "over":
            return ChallengeOver(response.over.played, response.over.reason)
        case _:
            return None  # from a later version of the protocol


def _played(match: registry_pb2.MatchSummary) -> ChallengePlayed:
    entrants = tuple(map(read_entrant, match.entrants))
    return ChallengePlayed(match.match_id, entrants, tuple(match.placing))
