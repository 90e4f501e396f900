"""Summaries of a tournament for display: standings, progress, what decided a pairing."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from arena.match.transcript import Entrant
from arena.scheduling.formats import FormatName as FormatName
from arena.scheduling.knockout import Decision, Knockout
from arena.scheduling.knockout_tables import TableKnockout
from arena.scheduling.pairings import EntryNumber as EntryNumber
from arena.scheduling.pairings import PlayedPairing as PlayedPairing
from arena.scheduling.pairings import Standing as Standing
from arena.tournament.tournament import Tournament, TournamentRecord

_POINTS = {
    FormatName.ROUND_ROBIN: "of all blocks, a block being worth 0 to 1 to each bot",
    FormatName.SWISS: "by pairing, the share of the opponents with fewer points in its blocks, "
    "those with as many counting half",
    FormatName.KNOCKOUT: "rounds survived",
    FormatName.GAUNTLET: "the mean of its blocks, a block being worth 0 to 1 to each bot",
}
_TIE_BREAKS = {
    "direct encounter": "points of the blocks among the bots that have equally many points",
    "Buchholz": "the sum of the opponents' points, a bye being an opponent with one's own",
    "last table": "the share of the opponents at its last table that had fewer points there",
    "points per block": "the mean of its blocks, a block being worth 0 to 1 to each bot",
}


def ranking_terms(tournament: Tournament) -> dict[str, str]:
    """The ranking columns of its standings, most significant first, and what they count."""
    ranked_by = {"points": _POINTS[tournament.rules.format]}
    return ranked_by | {name: _TIE_BREAKS[name] for name in tournament.plan.tie_breaks}


def standings(record: TournamentRecord) -> Sequence[Standing]:
    """The current standings, best first."""
    tournament = record.tournament
    return tournament.plan.standings(len(tournament.entries), record.played())


def blocks_expected(tournament: Tournament, done: int) -> int:
    """How many blocks it takes in total; more than planned if ties needed further blocks."""
    return max(done, tournament.plan.expected_blocks(len(tournament.entries)))


def blocks_done(record: TournamentRecord) -> int:
    """How many blocks count, without walkovers."""
    return sum(len(points) for points in record.points.values())


@dataclass(frozen=True, slots=True)
class PairingLine:
    """A pairing, as one line of a list."""

    round: int
    table: int
    bots: tuple[tuple[Entrant, str], ...]
    """With their points, most first."""
    counted: int
    """Blocks that count, walkovers included."""
    wanted: int
    is_bye: bool
    remark: str


def pairing_lines(record: TournamentRecord) -> list[PairingLine]:
    """All pairings, the latest round first."""
    return sorted(
        (_pairing_line(record, played) for played in record.played()),
        key=lambda one: (-one.round, one.table),
    )


def _pairing_line(record: TournamentRecord, played: PlayedPairing) -> PairingLine:
    pairing, tournament = played.pairing, record.tournament
    points = dict(zip(pairing.entries, played.total(), strict=True))
    return PairingLine(
        pairing.round,
        pairing.table,
        tuple(
            (tournament.entries[entry - 1].registered.entrant, points_text(points[entry]))
            for entry in sorted(points, key=lambda entry: (-points[entry], entry))
        ),
        len(played.blocks),
        tournament.plan.blocks_wanted(played),
        pairing.is_bye,
        remark(record, played),
    )


def name_of(tournament: Tournament, number: EntryNumber) -> str:
    """Bot and version; bots that are started by a command have none."""
    return str(tournament.entries[number - 1].registered.entrant).rstrip()


def points_text(points: Fraction) -> str:
    """Points as short as three decimals allow."""
    return f"{float(points):.3f}".rstrip("0").rstrip(".")


def going_on(tournament: Tournament, played: PlayedPairing) -> tuple[EntryNumber, ...]:
    """The bots that go on from a decided pairing of a knockout, best first; else ()."""
    plan = tournament.plan
    decided = plan.decided(played) if isinstance(plan, Knockout | TableKnockout) else None
    return () if decided is None else decided.through


def remark(record: TournamentRecord, played: PlayedPairing) -> str:
    """What decided a pairing, if its points do not show it; else ""."""
    pairing, tournament = played.pairing, record.tournament
    if pairing.is_bye:
        return "bye"
    if len(played.blocks) > record.blocks_counted((pairing.round, pairing.table)):
        return "walkover"
    plan = tournament.plan
    decided = plan.decided(played) if isinstance(plan, Knockout | TableKnockout) else None
    if decided is None or (decided.by is Decision.POINTS and len(pairing.entries) == 2):
        return ""
    names = ", ".join(name_of(tournament, entry) for entry in decided.through)
    said = names if len(pairing.entries) == 2 else f"→ {names}"
    return said if decided.by is Decision.POINTS else f"{said} by {decided.by.value}"
