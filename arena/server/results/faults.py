"""The faults of a bot in its latest matches: what it saw, what it sent, what was legal.

Only finished matches are read: hidden hands of a running match must not be shown.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from arena.database.errors import TranscriptDamagedError
from arena.database.names import folded
from arena.database.reading import Read
from arena.database.rows import MatchRow, match_row
from arena.database.transcripts import unpack
from arena.match.fault_steps import fault_steps
from arena.match.faults import FaultKind
from arena.match.transcript import Transcript
from arena.server.results.match_search import (
    MatchFilter,
    faults_told,
    found_matches,
    transcripts_of_matches,
)

MOST_MATCHES: Final = 1_000
"""The most matches with a fault of the bot that are read, newest first."""


@dataclass(frozen=True, slots=True)
class SeenFault:
    """A fault; actions and the view are JSON objects, as in transcripts and docs/stdio.md."""

    match: MatchRow
    seat: int
    turn: int
    step: int
    """The step of the transcript in which the default action was played."""
    kind: FaultKind
    reason: str
    """The message that the bot got; empty if unknown, as for matches of earlier releases."""
    view: Mapping[str, Any]
    sent: Mapping[str, Any] | None
    """The action that the rules did not allow; None if no action was understood."""
    legal: str
    played: Mapping[str, Any]


def faults_of(read: Read, bot: str, limit: int, version: str | None = None) -> list[SeenFault]:
    """Return the latest faults of a bot, or of one of its versions, newest match first."""
    wanted = MatchFilter(bot=bot, version=version, faults=True)
    rows = read(found_matches(wanted, limit=min(limit, MOST_MATCHES)))
    matches = {row.match_id: row for row in (match_row(row._mapping) for row in rows)}
    if not matches:
        return []
    told = {(str(row.match_id), row.turn): row for row in read(faults_told(matches))}
    transcripts = {str(row.match_id): row for row in read(transcripts_of_matches(matches))}
    found = []
    for match_id, match in matches.items():
        packed = transcripts.get(match_id)
        if packed is None:
            continue
        try:
            transcript = unpack(packed)
        except TranscriptDamagedError:
            continue
        own = {
            seat
            for seat, one in enumerate(match.seats)
            if folded(one.bot) == folded(bot) and version in (None, one.version)
        }
        for fault in _faults(match, transcript, told):
            if fault.seat in own:
                found.append(fault)
    return found[:limit]


def _faults(
    match: MatchRow, transcript: Transcript, told: Mapping[tuple[str, int], Any]
) -> Iterator[SeenFault]:
    for fault in fault_steps(transcript):
        known = told.get((match.match_id, fault.turn))
        yield SeenFault(
            match=match,
            seat=fault.seat,
            turn=fault.turn,
            step=fault.step,
            kind=fault.kind,
            reason=known.reason if known else "",
            view=fault.view,
            # The database does not keep the order of members.
            sent={"type": known.sent["type"], **known.sent} if known and known.sent else None,
            legal=fault.legal,
            played=fault.played,
        )
