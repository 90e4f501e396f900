"""Conversion of rows of `tournament_statements` to tournaments and their records."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import Row as SqlRow

from arena.match.clock import TimeControl
from arena.match.score_rule import ScoreRule
from arena.match.transcript import Entrant
from arena.records import Block, Registered, TournamentId, VersionId
from arena.scheduling.formats import FormatName
from arena.scheduling.pairings import Pairing
from arena.server.tournaments.tournament import (
    BlockRecord,
    BlockState,
    Entry,
    PairingKey,
    Rules,
    Tournament,
    TournamentRecord,
    TournamentState,
)

_RULES: Final = ("game", "blocks", "rounds", "groups", "advance")
"""The rules whose columns have the same names and values."""


def tournaments(rows: Iterable[SqlRow[Any]], entries: Iterable[SqlRow[Any]]) -> list[Tournament]:
    """Return the tournaments of rows of `tournament_list` and all their `entries_of`."""
    fields: dict[int, list[Entry]] = {}
    for row in entries:
        entrant = Entrant(row.bot, row.version, row.owner)
        registered = Registered(VersionId(row.version_id), entrant, row.house)
        entry = Entry(row.number, registered, row.elo, row.withdrawn, row.waited_s, row.absence)
        fields.setdefault(row.tournament_id, []).append(entry)
    return [_tournament(row, fields.get(row.id, [])) for row in rows]


def block(row: SqlRow[Any], seats: int) -> BlockRecord:
    """Return the block in a row of `blocks_of`; its matches have this many seats."""
    state = BlockState.OPEN
    if row.closed or row.voided:
        state = BlockState.CLOSED if row.closed else BlockState.VOID
    versions, placings = row.version_ids or [], row.placings or []
    by_match = tuple(
        dict(zip(versions[at : at + seats], placings[at : at + seats], strict=True))
        for at in range(0, len(versions), seats)
    )
    positions = tuple((row.positions or [])[::seats])
    return BlockRecord(str(row.block_id), (row.round, row.table), state, by_match, positions)


def record(
    tournament: Tournament, pairings: Iterable[SqlRow[Any]], blocks: Iterable[SqlRow[Any]]
) -> TournamentRecord:
    """Return a tournament's record from its rows of `pairings_of` and `blocks_of`."""
    found = TournamentRecord(tournament)
    add_pairings(found, pairings)
    found.add_blocks(block(row, tournament.rules.seats) for row in blocks)
    return found


def add_pairings(record: TournamentRecord, rows: Iterable[SqlRow[Any]]) -> None:
    """Add the pairings of rows with the columns of `pairings_of` to a record."""
    for row in rows:
        record.add_pairings([Pairing(row.round, row.table, tuple(row.entries))])
        if row.absent:
            record.forfeit({(row.round, row.table): row.absent})


def pairing_columns(pairing: Pairing) -> dict[str, Any]:
    """Return the columns of a pairing."""
    return {"round": pairing.round, "table": pairing.table, "entries": list(pairing.entries)}


def block_columns(block: Block, epoch: int | None) -> dict[str, Any]:
    """Return the columns of a begun block."""
    return {
        "id": block.id,
        "kind": block.kind.value,
        "size": block.size,
        "rated": block.rated,
        "epoch": epoch,
    }


def link_columns(block_id: str, tournament_id: int, pairing: PairingKey) -> dict[str, Any]:
    """Return the columns that link a block to its pairing in a tournament."""
    round_, table = pairing
    return {
        "block_id": block_id,
        "tournament_id": tournament_id,
        "round": round_,
        "table": table,
    }


def rules_columns(rules: Rules) -> dict[str, Any]:
    """Return the columns that a tournament and an event have in common for their rules."""
    return {name: getattr(rules, name) for name in _RULES} | {
        "format": rules.format.value,
        "options": dict(rules.options),
        "seat_count": rules.seats,
        "score": rules.score.value,
        "turn_ms": rules.time_control.turn_ms,
        "bank_ms": rules.time_control.bank_ms,
    }


def rules_fields(row: SqlRow[Any]) -> dict[str, Any]:
    """Return the fields of the rules in a row with the columns of `rules_columns`."""
    return {name: getattr(row, name) for name in _RULES} | {
        "format": FormatName(row.format),
        "options": row.options,
        "seats": row.seat_count,
        "score": ScoreRule(row.score),
        "time_control": TimeControl(row.turn_ms, row.bank_ms),
    }


def _tournament(row: SqlRow[Any], entries: Sequence[Entry]) -> Tournament:
    rules = Rules(
        **rules_fields(row), seed=row.seed, rated=row.rated, patience_seconds=row.patience_s
    )
    return Tournament(
        TournamentId(row.id),
        row.name,
        rules,
        TournamentState(row.state),
        tuple(entries),
        row.created_at,
        row.started_at,
        row.ended_at,
        row.conducted,
    )
