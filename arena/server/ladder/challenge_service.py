"""`ChallengeService`: the calls about unrated matches that a connected bot asks for."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import grpc
import grpc.aio
import structlog

from arena.codec.mirrored import message_of
from arena.codec.transcript import time_control_of, write_entrant, write_time_control
from arena.errors import UserError
from arena.games import GAMES, make_game
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.match_id import is_match_id
from arena.records import FinishedMatch, RecordedChallenge, RecordedMatch, Registered, VersionId
from arena.scheduling.ladder import TableType
from arena.server.accounts.owner_calls import OwnerKeys
from arena.server.ladder.challenge_book import ChallengeBook
from arena.server.ladder.challenges import Challenge, ChallengeRefusal, ChallengeRefusedError
from arena.server.limits.gate import Authenticate, Gate
from arena.server.limits.guarding import bearer_token, guarded
from arena.server.limits.limits import LimitError
from arena.server.limits.refusals import Context
from arena.server.play.ports import Participant
from arena.server.requests.errors import ProtocolError, internal_error, malformed
from arena.server.requests.options_json import read_options
from arena.v1 import challenge_pb2 as pb
from arena.v1 import registry_pb2, transcript_pb2

MOST_MATCHES: Final = 100
"""The most matches of one challenge."""
TURN_MS: Final = range(100, 120_000 + 1)
"""The turn times that a challenge may ask for; the longest is enough for a person."""
BANK_MS: Final = range(600_000 + 1)
"""The time banks that a challenge may ask for."""
MOST_ACTIONS: Final = 30_000
"""The most actions of one match, by its rules. The transcript of a longer one would be too large
for a message, and options could make it last for millions."""
MOST_LISTED: Final = 1_000
LISTED_SECONDS: Final = 1.0
"""How long an answer of ListOpponents is cached."""
RETRY_SECONDS: Final = 5.0
"""The pause before a challenge that exceeded a limit may be tried again."""

_STATUSES: Final = {
    ChallengeRefusal.IMPOSSIBLE: grpc.StatusCode.INVALID_ARGUMENT,
    ChallengeRefusal.NOT_NOW: grpc.StatusCode.FAILED_PRECONDITION,
}

log = structlog.get_logger()


FindChallenge = Callable[[str], Awaitable[RecordedChallenge | None]]
"""Finds the record of a challenge by UUID; None if it has no match. Raises StorageError."""


class ChallengeService:
    """Serves the proto's ChallengeService."""

    def __init__(
        self,
        authenticate: Authenticate,
        keys: OwnerKeys,
        find: FindChallenge,
        book: ChallengeBook,
        gate: Gate,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._now = now
        self._listed: dict[str, tuple[float, pb.ListOpponentsResponse]] = {}
        """The cached answers of ListOpponents by game, each with the time at which it expires."""
        self._authenticate = authenticate
        self._keys = keys
        self._find = find
        self._book = book
        self._gate = gate
        self._followers: set[_Follower] = set()

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server."""
        return {
            "Challenge": grpc.unary_stream_rpc_method_handler(
                self.challenge,
                request_deserializer=pb.ChallengeRequest.FromString,
                response_serializer=pb.ChallengeResponse.SerializeToString,
            ),
            "GetChallenge": grpc.unary_unary_rpc_method_handler(
                self.get_challenge,
                request_deserializer=pb.GetChallengeRequest.FromString,
                response_serializer=pb.GetChallengeResponse.SerializeToString,
            ),
            "ListOpponents": grpc.unary_unary_rpc_method_handler(
                self.list_opponents,
                request_deserializer=pb.ListOpponentsRequest.FromString,
                response_serializer=pb.ListOpponentsResponse.SerializeToString,
            ),
        }

    def close(self) -> None:
        """End the calls because the referee stops; the matches continue after the next start."""
        for follower in self._followers:
            follower.news.put_nowait(_stopping())

    async def challenge(self, request: pb.ChallengeRequest, context: Context) -> None:
        """Accept or refuse a challenge, and send the results of its matches."""
        try:
            token = bearer_token(context)
            with self._gate.calling(context) as peer:
                self._gate.call(peer)  # before the database is asked
                async with self._gate.trying(token, peer):
                    registered = await self._challenger(request.bot, token)
                self._gate.challenge(registered)
                await self._follow(self._wanted(request, registered), context)
        except ProtocolError as error:
            await self._refuse(context, error)
        except grpc.aio.InternalError:
            return  # the caller is gone
        except Exception:
            log.exception("call failed", call="Challenge")
            await self._refuse(context, internal_error())

    async def get_challenge(
        self, request: pb.GetChallengeRequest, context: Context
    ) -> pb.GetChallengeResponse:
        """Return a challenge's recorded matches so far, and whether it is over."""

        async def answer() -> pb.GetChallengeResponse:
            token = bearer_token(context)
            async with self._gate.trying(token, self._gate.caller(context)):
                registered = await self._authenticate(token)
            return await self._so_far(request.challenge_id.lower(), registered)

        return await guarded(self._gate, "GetChallenge", context, answer)

    async def _so_far(self, challenge_id: str, registered: Registered) -> pb.GetChallengeResponse:
        """Return the answer for a bot that plays in the challenge. Raises ProtocolError."""
        if not is_match_id(challenge_id):
            raise malformed(f"{challenge_id[:80]!r} is not the id of a challenge: that is a UUID")
        # Before the records are read: a challenge that ends in between must not be reported as over
        # without its last match.
        going_on = self._book.going_on(challenge_id)
        recorded = await self._find(challenge_id)
        players: frozenset[VersionId] = frozenset()
        wanted = 0
        if going_on is not None:
            players, wanted = going_on
        elif recorded is not None:
            players, wanted = recorded.players, recorded.wanted
        if registered.version_id not in players:
            raise ProtocolError(
                grpc.StatusCode.NOT_FOUND,
                f"{registered.entrant} plays in no challenge {challenge_id}, or it ended before "
                "its first match",
            )
        return pb.GetChallengeResponse(
            matches=map(_summary, recorded.matches if recorded is not None else ()),
            wanted=wanted,
            over=going_on is None and recorded is not None and recorded.over,
        )

    async def list_opponents(
        self, request: pb.ListOpponentsRequest, context: Context
    ) -> pb.ListOpponentsResponse:
        """Return the bots that accept challenges now."""
        try:
            self._gate.call(self._gate.caller(context))
        except ProtocolError as error:
            await self._refuse(context, error)
            raise
        game = request.game
        if game and game not in GAMES:
            return pb.ListOpponentsResponse()
        until, response = self._listed.get(game, (0.0, pb.ListOpponentsResponse()))
        if until <= self._now():
            response = self._opponents(game)
            self._listed[game] = self._now() + LISTED_SECONDS, response
        return response

    def _opponents(self, game: str) -> pb.ListOpponentsResponse:
        found: dict[int, tuple[Participant, int]] = {}
        for participant, free in self._book.accepting():
            if not game or game in participant.games:
                version = participant.registered.version_id
                free += found[version][1] if version in found else 0
                found[version] = participant, free
        response = pb.ListOpponentsResponse()
        # The newest version of a bot first.
        listed = sorted(found.items(), reverse=True)
        listed.sort(key=lambda one: one[1][0].registered.entrant.bot.lower())
        for _, (participant, free) in listed[:MOST_LISTED]:
            line = response.opponents.add(games=sorted(participant.games), free=max(0, free))
            write_entrant(participant.registered.entrant, line.entrant)
        return response

    async def _challenger(self, bot: str, token: str) -> Registered:
        """Return the bot that challenges: the token's, or the bot of that name of the key's owner.

        Raises ProtocolError.
        """
        if not bot:
            return await self._authenticate(token)
        owner = await self._keys.owner(token)
        found = self._book.connected(owner.name, bot)
        if found is None:
            raise ProtocolError(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"you have no connected bot named {bot[:90]!r}: a hosted bot is connected while it "
                "plays, any other while you run it",
            )
        return found

    def _wanted(self, request: pb.ChallengeRequest, registered: Registered) -> Challenge:
        """Return the requested challenge. Raises ProtocolError if it can never be played."""
        try:
            game = make_game(request.game, read_options(request.options_json))
        except UserError as error:
            raise malformed(str(error)) from error
        named = len(request.opponents)
        seats = request.seats or max(game.seat_counts.start, 1 + named)
        if seats not in game.seat_counts:
            fewest, most = game.seat_counts.start, game.seat_counts.stop - 1
            raise malformed(f"{game.title} is played by {fewest} to {most} seats, not {seats}")
        if named >= seats:
            raise malformed(f"{named} opponents and yourself do not fit {seats} seats")
        longest = game.longest(seats)
        if longest > MOST_ACTIONS:
            raise malformed(
                f"with these options a match may take {longest} actions; "
                f"a challenge's takes at most {MOST_ACTIONS}"
            )
        matches = request.matches or 1
        if not 1 <= matches <= MOST_MATCHES:
            raise malformed(f"a challenge has 1 to {MOST_MATCHES} matches, not {matches}")
        return Challenge(
            TableType(game.name, game.options, seats, _time_control(request)),
            registered.version_id,
            request.instance,
            tuple(request.opponents),
            matches,
        )

    async def _follow(self, wanted: Challenge, context: Context) -> None:
        follower = _Follower()
        try:
            run = self._book.take(wanted, follower)
        except ChallengeRefusedError as error:
            status = _STATUSES.get(error.why)
            if status is None:
                raise LimitError("challenges", str(error), RETRY_SECONDS) from error
            raise ProtocolError(status, str(error)) from error
        self._followers.add(follower)
        try:
            accepted = pb.ChallengeAccepted(challenge_id=run.block.id)
            for bot in run.opponents:
                write_entrant(bot.participant.registered.entrant, accepted.opponents.add())
            write_time_control(wanted.table_type.time_control, accepted.time_control)
            await context.write(pb.ChallengeResponse(accepted=accepted))
            while not isinstance(news := await follower.news.get(), pb.ChallengeOver):
                if isinstance(news, ProtocolError):
                    raise news
                await context.write(pb.ChallengeResponse(match=news))
            await context.write(pb.ChallengeResponse(over=news))
        finally:
            self._followers.discard(follower)

    async def _refuse(self, context: Context, error: ProtocolError) -> None:
        self._gate.refusals.note("call refused", error)
        await self._gate.refusals.end(context, error)


class _Follower:
    """A call that waits for news.

    The queue is bounded by the number of matches. It holds no transcripts, because a caller may
    read slowly.
    """

    def __init__(self) -> None:
        self.news: asyncio.Queue[registry_pb2.MatchSummary | pb.ChallengeOver | ProtocolError] = (
            asyncio.Queue()
        )

    def recorded(self, match: FinishedMatch) -> None:
        setup, result = match.transcript.setup, match.transcript.result
        self.news.put_nowait(
            _summary(
                RecordedMatch(
                    setup.match_id, setup.game, setup.entrants, result.placing, match.finished_at
                )
            )
        )

    def over(self, played: int, reason: str) -> None:
        self.news.put_nowait(pb.ChallengeOver(played=played, reason=reason))


def _summary(match: RecordedMatch) -> registry_pb2.MatchSummary:
    entrants = [message_of(transcript_pb2.Entrant, entrant) for entrant in match.entrants]
    untold = {"rated": None, "faults": None, "time_control": None}
    return message_of(registry_pb2.MatchSummary, match, entrants=entrants, **untold)


def _time_control(request: pb.ChallengeRequest) -> TimeControl:
    if not request.HasField("time_control"):
        return DEFAULT_TIME_CONTROL
    control = time_control_of(request.time_control)
    for what, given, allowed in (
        ("turn_ms", control.turn_ms, TURN_MS),
        ("bank_ms", control.bank_ms, BANK_MS),
    ):
        if given not in allowed:
            raise malformed(f"{what} is {given}; allowed is {allowed[0]} to {allowed[-1]}")
    return control


def _stopping() -> ProtocolError:
    return ProtocolError(
        grpc.StatusCode.UNAVAILABLE,
        "the referee is stopping; matches that have begun go on when it is back",
    )
