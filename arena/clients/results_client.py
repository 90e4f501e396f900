"""`ResultsClient`: an OwnerClient that also reads results: matches, transcripts and ratings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from arena.clients.owner_client import OwnerClient
from arena.codec.bot_side import read_action
from arena.codec.mirrored import value_of
from arena.codec.transcript import from_message, read_entrant
from arena.match.transcript import Entrant, Transcript
from arena.v1 import registry_pb2 as pb

_OUTCOMES: Final = {
    None: pb.MATCH_OUTCOME_UNSPECIFIED,
    True: pb.MATCH_OUTCOME_WON,
    False: pb.MATCH_OUTCOME_LOST,
}


@dataclass(frozen=True, slots=True)
class MatchSeen:
    """A finished match."""

    match_id: str
    game: str
    entrants: tuple[Entrant, ...]
    """The bots, by seat."""
    placing: tuple[int, ...]
    """The ranks by seat; 1 is best."""
    finished: datetime
    rated: bool
    """Whether it counts for the ratings, once its block is complete."""
    faults: tuple[int, ...]
    """The number of faults, by seat."""


@dataclass(frozen=True, slots=True)
class FaultSeen:
    """The details of a fault that its bot received and the transcript does not contain."""

    reason: str = ""
    """The reason; empty where it was not stored."""
    sent: Mapping[str, Any] | None = None
    """The illegal action as JSON; None if no action could be parsed."""


@dataclass(frozen=True, slots=True)
class RatingSeen:
    """A version's rating on a ladder."""

    entrant: Entrant
    elo: float
    interval: tuple[float, float]
    """The bounds of its 95 % interval."""
    matches: int
    marks: tuple[str, ...]
    """The marks that apply: house, provisional, frozen, paused, banned."""

    @property
    def anchor(self) -> bool:
        """Whether its Elo is fixed, as the reference for all other ratings."""
        return self.interval == (self.elo, self.elo)


class ResultsClient(OwnerClient):
    """A client of one referee for its public results; every method raises OwnerCallError."""

    def matches_page(
        self,
        bot: str = "",
        limit: int = 50,
        page: str = "",
        *,
        won: bool | None = None,
        rated: bool = False,
    ) -> tuple[list[MatchSeen], str]:
        """Return a page of the newest finished matches, and the token of the next page, or "".

        A page has at most 1,000 matches, of one bot or of all bots; the token of the first page is
        "". `won` selects the matches that the bot won, or did not win; `rated` only rated matches.
        """
        request = pb.ListMatchesRequest(
            bot=bot, limit=limit, page_token=page, outcome=_OUTCOMES[won], rated=rated
        )
        answer = self._ask(self._registry.ListMatches, request)
        found = [
            value_of(MatchSeen, one, entrants=tuple(map(read_entrant, one.entrants)))
            for one in answer.matches
        ]
        return found, answer.next_page_token

    def transcript(self, match_id: str) -> Transcript:
        """Return the record of a finished match."""
        return self.with_faults(match_id)[0]

    def with_faults(self, match_id: str) -> tuple[Transcript, dict[int, FaultSeen]]:
        """Return the record of a finished match, and the faults as bots received them, by turn."""
        request = pb.GetTranscriptRequest(match_id=match_id)
        answer = self._ask(self._registry.GetTranscript, request)
        transcript = from_message(answer.transcript)
        game = transcript.setup.make_game()
        told = {}
        for one in answer.faults:
            sent = read_action(game.name, one.sent) if one.HasField("sent") else None
            seen = None if sent is None else game.notation.to_json(sent)
            told[one.turn_number] = FaultSeen(one.reason, seen)
        return transcript, told

    def leaderboard(
        self, game: str, seats: int = 0, limit: int = 50, *, old: bool = False
    ) -> tuple[int, list[RatingSeen]]:
        """Return a ladder's table size, and its best ratings or those of `old` versions.

        The default is the table size with the most matches.
        """
        request = pb.GetLeaderboardRequest(
            game=game, seats=seats, page_size=limit, old_versions=old
        )
        answer = self._ask(self._registry.GetLeaderboard, request)
        found = [
            value_of(
                RatingSeen,
                one,
                entrant=read_entrant(one.entrant),
                interval=(one.elo_low, one.elo_high),
                marks=tuple(
                    mark
                    for mark in ("house", "provisional", "frozen", "paused", "banned")
                    if getattr(one, mark)
                ),
            )
            for one in answer.ratings
        ]
        return answer.seats, found
