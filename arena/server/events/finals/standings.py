"""The standings of a final: who is ahead with confidence, and who shares a place."""

from dataclasses import dataclass
from typing import Any

from arena.match.transcript import Entrant
from arena.rating.shared_places import TablePoints, places
from arena.scheduling.formats import FormatName
from arena.server.tournaments.tournament import TournamentRecord


@dataclass(frozen=True, slots=True)
class FinalLine:
    """One line of the standings of a final."""

    place: int
    """1 is best. In a round robin bots share it if the best of them is not ahead at 95 %."""
    entrant: Entrant
    points: float
    margin: float | None
    """Half the width of the 95 % interval of the points, in a round robin."""
    blocks: int
    """Blocks played, or won by walkover."""


def standings(record: TournamentRecord) -> list[FinalLine]:
    """Return the standings of a final that is over, best first.

    In a round robin places are those of `arena.rating.shared_places`, else those of the format.
    """
    tournament = record.tournament
    played = record.played()
    lines = tournament.plan.standings(len(tournament.entries), played)
    placed: dict[int, tuple[int, float | None]] = {line.entry: (line.rank, None) for line in lines}
    order = [line.entry for line in lines]
    if tournament.rules.format is FormatName.ROUND_ROBIN:
        tables = [
            TablePoints(
                one.pairing.entries, tuple(tuple(map(float, block)) for block in one.blocks)
            )
            for one in played
            if one.blocks
        ]
        found = places(tables, order)
        placed = {one.bot: (one.place, one.margin) for one in found}
        order = [one.bot for one in found]
    by_entry = {line.entry: line for line in lines}
    return [
        FinalLine(
            placed[entry][0],
            tournament.entries[entry - 1].registered.entrant,
            float(by_entry[entry].points),
            placed[entry][1],
            by_entry[entry].blocks,
        )
        for entry in order
    ]


def standings_json(record: TournamentRecord) -> list[dict[str, Any]]:
    """Return the standings as JSON; numbers to six digits."""
    return [
        {
            "place": line.place,
            "bot": line.entrant.bot,
            "version": line.entrant.version,
            "points": round(line.points, 6),
            **({} if line.margin is None else {"margin": round(line.margin, 6)}),
            "blocks": line.blocks,
        }
        for line in standings(record)
    ]
