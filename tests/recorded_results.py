"""Results for tests, without playing: their transcripts have no steps, which storage ignores."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from arena.codec.transcript import to_bytes
from arena.games import make_game
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.result import Result, Termination
from arena.match.transcript import Entrant, Opening, Setup, Transcript
from arena.records import Block, BlockKind, FinishedMatch, VersionId

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def block(size: int = 1) -> Block:
    return Block(str(uuid4()), BlockKind.SEAT, size)


def finished(
    versions: Sequence[VersionId],
    of: Block | None = None,
    position: int = 0,
    *,
    match_id: str | None = None,
    minute: int = 0,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
    **options: object,
) -> FinishedMatch:
    """A match of Bluff in which each seat did better than the next."""
    seats = len(versions)
    result = Result(
        placing=tuple(range(1, seats + 1)),
        scores=tuple(range(seats, 0, -1)),
        termination=Termination.FINISHED,
        faults=(0,) * seats,
        forfeited=(False,) * seats,
    )
    setup = Setup(
        match_id=match_id or str(uuid4()),
        game="bluff",
        options=make_game("bluff", options).options,
        entrants=tuple(Entrant(f"bot{n}", "1", f"owner{n}") for n in range(seats)),
        time_control=time_control,
        fault_limit=3,
    )
    transcript = Transcript(setup, b"c" * 32, (), result, Opening(b"s" * 32, (b"e" * 16,) * seats))
    started = NOON + timedelta(minutes=minute)
    return FinishedMatch(
        transcript,
        to_bytes(transcript),
        tuple(versions),
        of or block(),
        position,
        started,
        started + timedelta(0, 5),
    )


def forfeited(match: FinishedMatch) -> FinishedMatch:
    """The same match, ended at once because its last seat was gone."""
    seats = len(match.version_ids)
    last_out = (False,) * (seats - 1) + (True,)
    result = replace(
        match.transcript.result,
        scores=None,
        termination=Termination.FORFEIT,
        faults=tuple(3 * out for out in last_out),
        forfeited=last_out,
    )
    transcript = replace(match.transcript, result=result)
    return replace(match, transcript=transcript, written=to_bytes(transcript))


def match_id(match: FinishedMatch) -> str:
    return match.transcript.setup.match_id
