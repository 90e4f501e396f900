"""Output of tournaments: tables, and JSON for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from rich.table import Table

from arena.commands.listing import say_shown
from arena.commands.terminal import Terminal, members, say, say_table
from arena.games import GAMES
from arena.moments import iso_utc
from arena.server.tournaments import duration
from arena.server.tournaments.duration import PlayingSpeed
from arena.server.tournaments.summary import (
    GroupTable,
    blocks_done,
    blocks_expected,
    blocks_in_words,
    blocks_left,
    group_tables,
    mean_column,
    name_of,
    plan_in_words,
    points_text,
    ranking_terms,
    remark,
    standings,
    waits_in_words,
    walkover_at,
)
from arena.server.tournaments.tournament import Tournament, TournamentRecord, TournamentState


def print_list(found: Sequence[tuple[Tournament, int]], count: int) -> None:
    """Print a line per tournament, and how many of `count` they are.

    `found` has each tournament with its number of blocks that count.
    """
    if not found:
        say("No such tournament yet: see `arena tournament create --help`.")
        return
    rows = []
    for tournament, done in found:
        rules, bots, state = tournament.rules, len(tournament.entries), tournament.state
        of = f" of {blocks_expected(tournament, done)}" * (state is not TournamentState.FINISHED)
        game = f"{rules.game}:{rules.seats}"
        rows.append((tournament.name, rules.format.value, game, bots, state.value, f"{done}{of}"))
    say_table(("tournament", "format", "game", "bots", "state", "blocks"), rows)
    say_shown(len(found), count, "tournaments", "--limit and --search show others")


def print_tournament(
    record: TournamentRecord, limit: int | None = None, pace: PlayingSpeed | None = None
) -> None:
    """Print a tournament's rules, and its pairings by round: all, or the last `limit`.

    With a `pace`, also how long the rest takes.
    """
    tournament = record.tournament
    rules = tournament.rules
    options = ", ".join(f"{name}={value}" for name, value in rules.options.items())
    time = rules.time_control.name
    say(
        f"{tournament.name}: {rules.format.value}, {GAMES[rules.game].title}"
        f"{f' ({options})' if options else ''}, {rules.seats} seats, "
        f"{f'{time}, ' if time else ''}{plan_in_words(tournament)}, "
        f"score {rules.score.value}, seed {rules.seed}"
        f"{'' if rules.rated else ', unrated'}"
    )
    say(f"{tournament.state.value}, {blocks_in_words(record)}")
    if pace is not None and (left := blocks_left(record)):
        say(f"To be played: {duration.in_words(rules, pace, left)}")
    for line in waits_in_words(record, datetime.now(UTC)):
        say(line)
    if not record.pairings:
        return
    rows = []
    played_so_far = record.played()
    shown = played_so_far[-limit:] if limit is not None else played_so_far
    for played in shown:
        pairing = played.pairing
        wanted = tournament.plan.blocks_wanted(played)
        names = " – ".join(name_of(tournament, entry) for entry in pairing.entries)
        points, blocks = "", ""
        if not pairing.is_bye:
            points = " : ".join(points_text(own) for own in played.total())
            blocks = f"{len(played.blocks)} of {wanted}"
        told = (names, points, blocks, remark(record, played))
        rows.append((pairing.round, pairing.table, *told))
    say_table(("round", "table", "pairing", "points", "blocks", "remark"), rows)
    say_shown(len(shown), len(played_so_far), "pairings, the last")


def print_standings(record: TournamentRecord, limit: int | None = None) -> None:
    """Print the standings, best first: all lines, or `limit` of them."""
    tournament = record.tournament
    for group in group_tables(record):
        _print_group(tournament, group)
    title = f"{tournament.name}: {tournament.state.value}"
    means = mean_column(tournament)
    breaks = [*means, *tournament.plan.tie_breaks]
    owned = any(entry.registered.entrant.owner for entry in tournament.entries)
    left = any(entry.withdrawn for entry in tournament.entries)
    headings = ["#", "bot", *["owner"] * owned, "points", *breaks, "blocks", *["left"] * left]
    lines, rows = standings(record), []
    for line in lines[:limit]:
        entry = tournament.entries[line.entry - 1]
        name, owner = name_of(tournament, line.entry), [entry.registered.entrant.owner] * owned
        points = map(points_text, [line.points, *[line.mean] * len(means), *line.tie_breaks])
        withdrawn = ["withdrawn" if entry.withdrawn else ""] * left
        rows.append((line.rank, name, *owner, *points, line.blocks, *withdrawn))
    say_table(headings, rows, title=title)
    say_shown(len(lines[:limit]), len(lines), "bots")
    for name, what in ranking_terms(tournament).items():
        say(f"{name[0].upper()}{name[1:]}: {what}.")


def _print_group(tournament: Tournament, group: GroupTable) -> None:
    """Print the table of a group, with a line below the bots that go on to the knockout."""
    table = Table("#", "bot", "points", "points per block", "blocks", title=f"Group {group.name}")
    for line in group.lines:
        table.add_row(
            str(line.rank),
            name_of(tournament, line.entry),
            points_text(line.points),
            points_text(line.mean),
            str(line.blocks),
            end_section=line.rank == group.through,
        )
    Terminal().print_table(table)


def summary_json(tournament: Tournament, done: int) -> dict[str, Any]:
    """Return a tournament without its pairings, as JSON."""
    rules = tournament.rules
    return {
        "name": tournament.name,
        "format": rules.format.value,
        **members(rules, "game", "options", "seats"),
        "blocks_by_pairing": rules.blocks,
        **members(rules, "rounds", "groups", "advance"),
        "score": rules.score.value,
        **members(rules, "seed", "rated", "patience_seconds"),
        "time_control": asdict(rules.time_control),
        "state": tournament.state.value,
        "blocks": done,
        "blocks_expected": blocks_expected(tournament, done),
        "entries": [
            {
                "number": entry.number,
                **asdict(entry.registered.entrant),
                "elo": entry.elo,
                "withdrawn": entry.withdrawn,
            }
            for entry in tournament.entries
        ],
    }


def seconds_left(tournament: Tournament, blocks: int, pace: PlayingSpeed) -> dict[str, Any]:
    """Return how long the blocks take, as JSON; None if there are too few slots for a table."""
    time = duration.duration(tournament.rules, pace, blocks).time
    return {"slots": pace.slots, "seconds_left": None if time is None else time.total_seconds()}


def tournament_json(record: TournamentRecord) -> dict[str, Any]:
    """Return a tournament with its pairings, as JSON.

    `entries` are numbers of entries, and `points` have the same order.
    """
    tournament = record.tournament
    now = datetime.now(UTC)
    return summary_json(tournament, blocks_done(record)) | {
        "waits_for": [
            {
                "entry": number,
                "why": tournament.entries[number - 1].absence,
                "waited_seconds": tournament.entries[number - 1].waited_seconds,
                "pairings": [list(key) for key in keys],
                "walkover_at": iso_utc(walkover_at(tournament, number, now)),
            }
            for number, keys in record.waited_for().items()
        ],
        "pairings": [
            {
                "round": played.pairing.round,
                "table": played.pairing.table,
                "entries": list(played.pairing.entries),
                "bye": played.pairing.is_bye,
                "points": [float(own) for own in played.total()],
                "blocks": [[float(own) for own in block] for block in played.blocks],
                "blocks_wanted": tournament.plan.blocks_wanted(played),
                "remark": remark(record, played),
            }
            for played in record.played()
        ],
    }


def standings_json(record: TournamentRecord) -> list[dict[str, Any]]:
    """Return the lines of the standings as JSON, best first; only groups have a `group`."""
    tournament = record.tournament
    group_of = {
        line.entry: {"group": group.name} for group in group_tables(record) for line in group.lines
    }
    return [
        {
            **members(line, "rank", "entry"),
            **asdict(tournament.entries[line.entry - 1].registered.entrant),
            "points": float(line.points),
            "mean": float(line.mean),
            "tie_breaks": dict(
                zip(tournament.plan.tie_breaks, map(float, line.tie_breaks), strict=True)
            ),
            "blocks": line.blocks,
            "withdrawn": tournament.entries[line.entry - 1].withdrawn,
            **group_of.get(line.entry, {}),
        }
        for line in standings(record)
    ]
