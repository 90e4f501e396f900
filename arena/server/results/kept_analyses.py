"""Reading of stored analyses, by match or summed up by version, for boards and pages."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from arena.database.reading import Read
from arena.database.statement import Row
from arena.games import GAMES
from arena.lab.analysis import AnalysedDecision, Estimate, LossSums, by_seat, kept_form
from arena.match.transcript import Transcript
from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.results.analyses import FoundAnalysis, kept_analyses, losses, unpacked


@cache
def edition() -> str:
    """Return the edition of this release's analyses."""
    return kept_form.edition()


def kept_decisions(
    read: Read, match_ids: Collection[str]
) -> Mapping[str, tuple[AnalysedDecision, ...]]:
    """Return the decisions of the given matches that have a kept analysis, by match."""
    rows = read(kept_analyses(edition(), match_ids)) if match_ids else ()
    return {
        row.match_id: kept_form.from_json(unpacked(row.data), GAMES[row.game].notation)
        for row in rows
    }


def to_keep(
    match_id: str, transcript: Transcript, found: Sequence[AnalysedDecision]
) -> FoundAnalysis:
    """Return a match's decisions in the form that is stored."""
    seats = by_seat(found, len(transcript.setup.entrants))
    return FoundAnalysis(
        match_id,
        kept_form.to_json(found, GAMES[transcript.setup.game].notation),
        tuple((len(seat.losses), sum(seat.losses)) for seat in seats),
    )


def mean_losses(read: Read, ladder: LadderId) -> Mapping[VersionId, Estimate]:
    """Return each version's mean cost of a decision at a ladder's tables, from kept sums."""
    return by_version(read(kept_losses(ladder)))


def kept_losses(ladder: LadderId) -> Row:
    """Select the sums from which `by_version` computes the mean costs of decisions."""
    return losses(edition(), ladder)


def by_version(rows: Sequence[Any]) -> Mapping[VersionId, Estimate]:
    """Return each version's mean cost of a decision, from rows of `kept_losses`."""
    return {VersionId(row.version_id): LossSums(*row[1:]).by_decision for row in rows}
