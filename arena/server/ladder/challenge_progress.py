"""The progress of a challenge, for a caller that has lost the call that told it."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import grpc

from arena.codec.transcript import write_entrant
from arena.match.match_id import is_match_id
from arena.records import RecordedChallenge, RecordedMatch, Registered, VersionId
from arena.server.requests.errors import ProtocolError, malformed
from arena.v1 import challenge_pb2 as pb
from arena.v1 import registry_pb2


class GoingOn(Protocol):
    """Knows the challenges that are not over."""

    def going_on(self, challenge_id: str) -> tuple[frozenset[VersionId], int] | None:
        """Return the players of a challenge that is not over, and how many matches it has.

        None if there is none of that id.
        """
        ...


FindChallenge = Callable[[str], Awaitable[RecordedChallenge | None]]
"""Finds the record of a challenge by UUID; None if it has no match. Raises StorageError."""


async def so_far(
    challenge_id: str, registered: Registered, host: GoingOn, find: FindChallenge
) -> pb.GetChallengeResponse:
    """Return the answer for a bot that plays in the challenge.

    Raises ProtocolError.
    """
    if not is_match_id(challenge_id):
        raise malformed(f"{challenge_id[:80]!r} is not the id of a challenge: that is a UUID")
    # Before the records are read, so that what ends meanwhile is not called over without its match.
    going_on = host.going_on(challenge_id)
    recorded = await find(challenge_id)
    players: frozenset[VersionId] = frozenset()
    wanted = 0
    if going_on is not None:
        players, wanted = going_on
    elif recorded is not None:
        players, wanted = recorded.players, recorded.wanted
    if registered.version_id not in players:
        raise ProtocolError(
            grpc.StatusCode.NOT_FOUND,
            f"{registered.entrant} plays in no challenge {challenge_id}, or it ended before its "
            "first match",
        )
    return pb.GetChallengeResponse(
        matches=map(summary, recorded.matches if recorded is not None else ()),
        wanted=wanted,
        over=going_on is None and recorded is not None and recorded.over,
    )


def summary(match: RecordedMatch) -> registry_pb2.MatchSummary:
    """Return a recorded match as a message."""
    message = registry_pb2.MatchSummary(
        match_id=match.match_id,
        game=match.game,
        placing=match.placing,
        finished_ms=round(match.finished_at.timestamp() * 1000),
    )
    for entrant in match.entrants:
        write_entrant(entrant, message.entrants.add())
    return message
