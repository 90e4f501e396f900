"""`Conversation`: a bot's answers to the referee's messages, without I/O, across reconnections.

The order within a batch: first offers, resumed matches and refusals, then turns; ended matches only
after the answers are sent, because checking them takes time.
"""

import logging
import secrets
from collections.abc import Sequence
from random import Random

from arena.bot.bot import AnyBot
from arena.bot.checks import check
from arena.bot.running_match import FAULT, RunningMatch
from arena.bot.tally import Tally
from arena.codec import transcript as transcript_codec
from arena.codec.bot_side import read_begin, read_offer
from arena.codec.malformed import MalformedError
from arena.errors import any_failure
from arena.match.replay import TranscriptError
from arena.match.transcript import PROTOCOL_VERSION, Entrant
from arena.randomness import ENTROPY_BYTES
from arena.v1 import referee_pb2

_log = logging.getLogger("arena.bot")


class CheckFailedError(Exception):
    """The verification of a finished match failed, and the bot runs with --strict."""


class Conversation:
    """All matches of one program with one referee, over any number of streams."""

    def __init__(
        self,
        kind: type[AnyBot],
        *,
        instance: str = "",
        strict: bool = False,
        challenges: bool = False,
    ) -> None:
        self._kind = kind
        self._challenges = challenges
        self._instance = instance
        self._strict = strict
        self._seats: dict[str, RunningMatch] = {}
        self._lost: dict[str, RunningMatch] = {}
        """The matches of the previous stream that the referee has not resumed yet."""
        self._signing_key = b""
        self.leaving = False
        """Whether the bot has asked to leave."""
        self.released = False
        """Whether the referee has closed the stream after that."""
        self._knows_drain = False
        """Whether the referee of this stream supports `drain`."""
        self.tally = Tally()
        self.most_places = max(1, kind.max_matches)
        """The number of matches that the bot plays at once, over all referees."""
        self.places = self.most_places
        """The number of those matches that it plays with this referee."""
        self.places_told = self.places
        """The number of those matches that this referee knows of."""
        self._fellows = [self]
        """All conversations of the program."""

    def beside(self) -> "Conversation":
        """Return a new conversation of this program with another referee, with no places yet."""
        other = type(self)(
            self._kind,
            instance=self._instance,
            strict=self._strict,
            challenges=self._challenges,
        )
        other.tally, other._fellows = self.tally, self._fellows
        other.places = other.places_told = 0
        self._fellows.append(other)
        return other

    def take_over(self, other: "Conversation", *, running: bool) -> None:
        """Take over the matches of a closed conversation, which this referee may resume.

        The matches are `running` if the stream of this conversation is lost, too.
        """
        self._fellows.remove(other)
        kept = self._seats if running else self._lost
        kept.update(other._lost | other._seats)
        other._lost, other._seats = {}, {}

    @property
    def running(self) -> int:
        """The number of joined matches that are not over."""
        return len(self._seats)

    @property
    def lost(self) -> int:
        """The number of matches of earlier streams that are neither resumed nor over."""
        return len(self._lost)

    @property
    def gone(self) -> bool:
        """Whether the bot has left or may leave, because as far as it knows its blocks are over."""
        return self.released or (self._declines and not self._seats)

    @property
    def _declines(self) -> bool:
        """Whether the bot leaves by declining matches, at a referee that does not know `drain`."""
        return self.leaving and not self._knows_drain

    def hello(self) -> referee_pb2.PlayRequest:
        """Return the first message of a stream."""
        self.places_told = self.places
        hello = referee_pb2.Hello(
            protocol_version=PROTOCOL_VERSION,
            instance=self._instance,
            games=self._kind.games,
            max_matches=self.places or -1,
            client=f"arena.bot: {self._kind.__name__}"[:80],
        )
        if self._challenges:
            hello.challenges = referee_pb2.CHALLENGE_POLICY_ACCEPT
        return referee_pb2.PlayRequest(hello=hello)

    def drain(self) -> referee_pb2.PlayRequest | None:
        """Return the request to let the bot go when its blocks are over.

        None if the referee does not support it.
        """
        return referee_pb2.PlayRequest(drain=referee_pb2.Drain()) if self._knows_drain else None

    def hear(self, response: referee_pb2.PlayResponse, request: referee_pb2.PlayRequest) -> None:
        """Handle all messages but turns and ends, and add joins and declines to `request`."""
        if response.HasField("welcome"):
            for lost in self._lost.values():
                lost.called_off("The referee did not resume it.")
            self._lost, self._seats = self._seats, {}
            self._signing_key = response.welcome.signing_key
            self._knows_drain = response.welcome.knows_drain
            _log_welcome(response.welcome)
        for resume in response.resumes:
            self._resume(resume)
        for offer in response.offers:
            self._join_or_decline(offer, request)
        for begin in response.begins:
            self._begin(begin.match_id, read_begin(begin))
        for withdrawal in response.withdrawals:
            # The log omits matches that this bot itself declined.
            seat = self._seat_of(withdrawal.match_id, last=True)
            if seat is not None:
                seat.called_off(withdrawal.reason)
                _log.info("Match %s was called off: %s", withdrawal.match_id, withdrawal.reason)
        for refusal in response.refusals:
            seat = self._seat_of(refusal.match_id)
            reason = refusal.reason if seat is None else seat.refused(refusal)
            _log_refusal(refusal, reason)

    def answer(self, turn: referee_pb2.Turn, request: referee_pb2.PlayRequest) -> None:
        """Add the answer to a turn to `request`."""
        answer = request.answers.add()
        seat = self._seat_of(turn.match_id)
        if seat is not None:
            seat.answer(turn, answer)
            return
        _log.error("The referee asks about match %s, which this bot did not join.", turn.match_id)
        answer.match_id = turn.match_id
        answer.turn_number = turn.turn_number

    def end(self, end: referee_pb2.End) -> None:
        """Check a finished match and pass it to the bot.

        Raises CheckFailedError if the conversation is strict.
        """
        seat = self._seats.pop(end.match_id, None) or self._ended_while_away(end.match_id)
        if seat is None:
            told = "Match %s ended; it was reported before, or an earlier run of the bot played it."
            _log.info(told, end.match_id)
            return
        self.tally.finished += 1
        try:
            transcript = transcript_codec.from_message(end.transcript)
            # No effect if the bot knows of the start; the match may begin and end while it is away.
            seat.begin(transcript.setup.entrants)
            check(transcript, seat.offered, seat.own, self._signing_key)
        except (MalformedError, TranscriptError, ValueError) as error:
            seat.called_off(f"Its verification failed: {error}.")
            self._check_failed(end.match_id, error)
            return
        placing = transcript.result.placing
        own = placing[seat.offered.seat]
        self.tally.won += own == 1
        _log.debug("Match %s: place %d of %d.", end.match_id, own, len(placing))
        try:
            seat.bot.match_ended(transcript)
        except any_failure():  # the match is over, so this error of the bot changes nothing
            _log.exception("The bot failed in match_ended of match %s.", end.match_id)

    def _resume(self, message: referee_pb2.Resume) -> None:
        match_id = message.offer.match_id
        seat = self._lost.pop(match_id, None) or self._of_fellow(match_id)
        try:
            offered = read_offer(message.offer)
            if seat is None:
                seat = RunningMatch(self._new_bot, offered, message.entropy or None)
        except any_failure():
            _log.exception("Match %s cannot be resumed.", match_id)
            return
        seat.resume()
        self._seats[match_id] = seat
        if offered.named:
            self._begin(match_id, offered.setup.entrants)

    def _ended_while_away(self, match_id: str) -> RunningMatch | None:
        """Remove and return a match that was not resumed on this stream before it ended."""
        seat = self._lost.pop(match_id, None) or self._of_fellow(match_id)
        if seat is not None:
            seat.own.all_told = False
        return seat

    def _of_fellow(self, match_id: str) -> RunningMatch | None:
        """Remove and return a match that was played with a referee that has stopped."""
        found = (one._seat_of(match_id, last=True) for one in self._fellows if one is not self)
        return next((seat for seat in found if seat is not None), None)

    def _begin(self, match_id: str, entrants: Sequence[Entrant]) -> None:
        seat = self._seat_of(match_id)
        try:
            if seat is not None:
                seat.begin(entrants)
        except MalformedError as error:
            _log.error("Match %s: %s.", match_id, error)

    def _join_or_decline(self, offer: referee_pb2.Offer, request: referee_pb2.PlayRequest) -> None:
        if self._declines:
            request.declines.add(match_id=offer.match_id)
            return
        entropy = secrets.token_bytes(ENTROPY_BYTES)
        try:
            seat = RunningMatch(self._new_bot, read_offer(offer), entropy)
        except any_failure():
            _log.exception("Match %s is declined: the bot cannot begin it.", offer.match_id)
            request.declines.add(match_id=offer.match_id)
        else:
            self._seats[offer.match_id] = seat
            request.joins.add(match_id=offer.match_id, entropy=entropy)

    def _new_bot(self) -> AnyBot:
        return self._kind(Random())

    def _seat_of(self, match_id: str, *, last: bool = False) -> RunningMatch | None:
        for seats in (self._seats, self._lost):
            if match_id in seats:
                return seats.pop(match_id) if last else seats[match_id]
        return None

    def _check_failed(self, match_id: str, error: Exception) -> None:
        self.tally.failed_checks += 1
        _log.error(
            "Match %s: verification failed: %s. (%d of %d finished matches failed.)",
            match_id,
            error,
            self.tally.failed_checks,
            self.tally.finished,
        )
        if self._strict:
            raise CheckFailedError(f"Match {match_id}: verification failed: {error}.")


def _log_welcome(welcome: referee_pb2.Welcome) -> None:
    if not welcome.max_matches:
        _log.info("Connected to a referee at which no further match begins for now.")
        return
    _log.info(
        "Connected as %s %s of %s; playing %s, up to %d matches at once.",
        welcome.entrant.bot,
        welcome.entrant.version,
        welcome.entrant.owner,
        ", ".join(welcome.games) or "nothing that the referee knows",
        welcome.max_matches,
    )


def _log_refusal(refusal: referee_pb2.Refusal, reason: str) -> None:
    _log.warning(
        FAULT,
        refusal.faults,
        refusal.match_id,
        refusal.turn_number,
        reason.rstrip("."),
        refusal.legal,
    )
