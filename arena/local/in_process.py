"""Matches among bots in this process: no server, no clock, and one seed for all random numbers.

Every secret number of a match is HMAC-SHA256(seed, label), with these labels; matches and seats
count from 0:

    match 7 id                  the first 16 bytes, as a UUID
    match 7 secret              the dealer's secret
    match 7 entropy of seat 1   the first 16 bytes
    match 7 bot in seat 1       the seed of the bot's `random`

So a single match can be repeated, its dealing can be verified like that of any match, and the same
seed and bots give the same transcripts, byte for byte. Time is not measured: every turn takes 0 ms.
"""

import hmac
import logging
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from inspect import iscoroutine
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

from arena.bot.bot import AnyBot, take_note
from arena.bot.returned import error_message, no_action
from arena.bot.turn import Match, Turn
from arena.errors import UserError, any_failure
from arena.games.game import AnyGame
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.faults import DEFAULT_FAULT_LIMIT, Fault, FaultKind
from arena.match.flow import Flow, MatchRecord, Refused, Reply, TimedAction, play
from arena.match.flow import OpenTurn as Asked
from arena.match.notes import NotesTaken
from arena.match.result import Result
from arena.match.seating import moved_on
from arena.match.transcript import Entrant, Opening, Setup, Transcript
from arena.randomness import ENTROPY_BYTES, KeyedRandomness, commitment, match_key

_log = logging.getLogger("arena.bot")


@dataclass(frozen=True, slots=True)
class Contender:
    """A bot of a series with a unique name: the same bot may play against itself."""

    name: str
    kind: type[AnyBot]


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A finished match."""

    contenders: tuple[int, ...]
    """The position of each seat's bot in the series' list of contenders."""
    transcript: Transcript
    refused: tuple[Refused, ...]
    """The faults and their reasons."""

    @property
    def result(self) -> Result:
        return self.transcript.result


class UnreadyBotError(UserError):
    """A bot failed before its first turn; the message names it and its error."""


class Seed:
    """The seed of all random numbers of a series."""

    def __init__(self, text: str) -> None:
        self._key = text.encode()

    def derive(self, label: str) -> bytes:
        """Return 32 bytes determined by the seed and `label`."""
        return hmac.digest(self._key, label.encode(), "sha256")


def play_series(
    game: AnyGame,
    contenders: Sequence[Contender],
    matches: int,
    seed: str,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
) -> Iterator[PlayedMatch]:
    """Yield `matches` finished matches; every bot moves one seat down with each match.

    Raises ValueError if the game does not allow this number of seats, and UnreadyBotError.
    """
    seats = len(contenders)
    source = Seed(seed)
    for number in range(matches):
        order = moved_on(seats, number)
        seated = [contenders[at] for at in order]
        transcript, refused = play_match(game, seated, source, number, time_control)
        yield PlayedMatch(order, transcript, refused)


def opened(
    game: AnyGame,
    entrants: Sequence[str],
    seed: Seed,
    label: str,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
) -> tuple[Setup, bytes]:
    """Return the setup and the dealer's secret of the match that has this label.

    Entrants are by seat.
    """
    setup = Setup(
        match_id=str(UUID(bytes=seed.derive(f"{label} id")[:16], version=4)),
        game=game.name,
        options=game.options,
        entrants=tuple(Entrant(name, "1", "local") for name in entrants),
        time_control=time_control,
        fault_limit=DEFAULT_FAULT_LIMIT,
    )
    return setup, seed.derive(f"{label} secret")


def dealt(
    game: AnyGame, entrants: Sequence[str], seed: Seed, label: str, time_control: TimeControl
) -> tuple[Setup, Opening, Flow]:
    """Return the setup, the opening and the play of the match that has this label."""
    setup, secret = opened(game, entrants, seed, label, time_control)
    seats = range(len(entrants))
    entropies = (seed.derive(f"{label} entropy of seat {seat}")[:ENTROPY_BYTES] for seat in seats)
    opening = Opening(secret, tuple(entropies))
    key = match_key(secret, setup.match_id, opening.entropies)
    return setup, opening, play(game, len(seats), KeyedRandomness(key), setup.fault_limit)


def play_match(
    game: AnyGame,
    contenders: Sequence[Contender],
    seed: Seed,
    number: int,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
    notes: NotesTaken | None = None,
) -> tuple[Transcript, tuple[Refused, ...]]:
    """Play match `number` of a seed; contenders are by seat, and every bot is a new object.

    Bots receive the time control, but it is not enforced. Their notes are added to `notes`.
    """
    label = f"match {number}"
    names = [contender.name for contender in contenders]
    setup, opening, flow = dealt(game, names, seed, label, time_control)
    bots: list[AnyBot] = []
    matches = [
        Match(setup.match_id, game, seat, setup.entrants, time_control, setup.fault_limit)
        for seat in range(len(contenders))
    ]
    for match, contender in zip(matches, contenders, strict=True):
        random = Random(seed.derive(f"{label} bot in seat {match.seat}"))
        bots.append(begin_bot(contender, random, match))
    record, refused = _conduct(flow, matches, bots, notes)
    transcript = Transcript(setup, commitment(opening.secret), record.steps, record.result, opening)
    for bot in bots:
        try:
            bot.match_ended(transcript)
        except any_failure():
            _log.exception("A bot failed in match_ended of match %s.", setup.match_id)
    return transcript, refused


def begin_bot(contender: Contender, random: Random, match: Match) -> AnyBot:
    """Return a new bot after its `match_started`. Raises UnreadyBotError."""
    try:
        bot = contender.kind(random)
        bot.match_started(match)
    except any_failure() as error:
        raise UnreadyBotError(
            f"{contender.name} cannot begin a match: {error_message(error)}"
        ) from error
    return bot


def _conduct(
    flow: Flow, matches: Sequence[Match], bots: Sequence[AnyBot], notes: NotesTaken | None
) -> tuple[MatchRecord, tuple[Refused, ...]]:
    refused: tuple[Refused, ...] = ()
    try:
        ask = next(flow)
        while True:
            refused += ask.refused
            replies = [reply_of(bots[turn.seat], matches[turn.seat], turn) for turn in ask.turns]
            if notes is not None:
                for turn in ask.turns:
                    _take_note(bots[turn.seat], turn, notes)
            ask = flow.send(replies)
    except StopIteration as end:
        record: MatchRecord = end.value
    return record, refused + record.refused


def _take_note(bot: AnyBot, asked: Asked, notes: NotesTaken) -> None:
    """Take a bot's note as a referee would read it; an invalid note is dropped."""
    # Imported here, because it loads protobuf, which matches at home do not need.
    from arena.codec.notes import read_note, write_note
    from arena.v1 import referee_pb2

    noted, message = take_note(bot), referee_pb2.Note()
    if noted is not None:
        with suppress(TypeError, ValueError, AttributeError):
            write_note(*noted, message)
            notes.take(read_note(asked.seat, asked.number, message))


def turn_of(match: Match, asked: Asked) -> Turn[Any, Any, Any, Any]:
    """Return an open turn in the form that its bot receives, with its full time left."""
    control = match.time_control
    events = tuple(asked.events[asked.unseen :])
    return Turn(match, asked.number, asked.view, events, control.turn_ms, control.bank_ms)


def reply_of(bot: AnyBot, match: Match, asked: Asked) -> Reply:
    """Return a bot's answer; an exception in the bot gives a fault."""
    try:
        action = bot.act(turn_of(match, asked))
        if iscoroutine(action):
            return Fault(FaultKind.MALFORMED, reason=no_action(action, match.game.title))
        return TimedAction(action)
    except any_failure() as error:  # the bot's own error
        _log.debug("%s failed.", match.entrants[match.seat], exc_info=True)
        return Fault(
            FaultKind.MALFORMED,
            reason=f"{error_message(error)} ({place_of(error)})",
        )


def place_of(error: BaseException) -> str:
    """Return the file and line where a bot failed."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}, line {last.lineno}"
