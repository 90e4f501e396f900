"""Summaries of a tournament for display: standings, progress, what decided a pairing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

from arena.match.transcript import Entrant
from arena.scheduling.formats import FormatName as FormatName
from arena.scheduling.groups import Groups, group_name
from arena.scheduling.knockout import Decided, Decision, Elimination
from arena.scheduling.pairings import EntryNumber as EntryNumber
from arena.scheduling.pairings import PlayedPairing as PlayedPairing
from arena.scheduling.pairings import Standing as Standing
from arena.server.tournaments.tournament import Tournament, TournamentRecord, TournamentState

_POINTS = {
    FormatName.ROUND_ROBIN: "the sum over all blocks, each of which gives a bot 0 to 1",
    FormatName.SWISS: "0 to 1 for each pairing, the share of the opponents that made fewer points "
    "in its blocks; one with as many counts half",
    FormatName.KNOCKOUT: "the number of rounds survived",
    FormatName.GAUNTLET: "the mean of all blocks, each of which gives a bot 0 to 1",
    FormatName.GROUPS: "the number of rounds of the knockout survived",
}
_TIE_BREAKS = {
    "direct encounter": "the points made against the bots that have as many points",
    "Buchholz": "the sum of the opponents' points; a bye is an opponent with the bot's own points",
    "last table": "the share of the opponents at the last table that had fewer points there",
    "points per block": "the mean of all blocks, each of which gives a bot 0 to 1",
    "place in group": "by points per block there, then by direct encounter, then by the seeding",
    "points per block in group": "the mean of the blocks there, each of which gives a bot 0 to 1",
}


def ranking_terms(tournament: Tournament) -> dict[str, str]:
    """Return the columns of its standings that rank the bots, and what they count."""
    ranked_by = {"points": _POINTS[tournament.rules.format]} | mean_column(tournament)
    return ranked_by | {name: _TIE_BREAKS[name] for name in tournament.plan.tie_breaks}


_MEANS = {
    FormatName.ROUND_ROBIN: "points per block, which ranks the bots while some have played more",
    FormatName.SWISS: "points per round, which ranks the bots while a round is being played",
}


def mean_column(tournament: Tournament) -> dict[str, str]:
    """Return the column of the means that rank the standings, and what it counts.

    Means rank the bots of some formats until all have played equally many blocks. The result is
    empty for other formats and once the tournament is finished.
    """
    running = tournament.state is not TournamentState.FINISHED
    said = _MEANS.get(tournament.rules.format)
    return {"mean": said} if running and said is not None else {}


def standings(record: TournamentRecord) -> Sequence[Standing]:
    """Return the current standings, best first."""
    tournament = record.tournament
    return tournament.plan.standings(len(tournament.entries), record.played())


@dataclass(frozen=True, slots=True)
class GroupTable:
    """The table of one group."""

    name: str
    lines: Sequence[Standing]
    """Best first; ranks are within the group, each given once."""
    through: int
    """The number of bots that go on, if none withdraws."""


def group_tables(record: TournamentRecord) -> Sequence[GroupTable]:
    """Return the tables of the groups; empty for other formats."""
    plan = record.tournament.plan
    if not isinstance(plan, Groups):
        return ()
    tables = plan.group_standings(record.played())
    return [
        GroupTable(group_name(number), lines, plan.advance) for number, lines in enumerate(tables)
    ]


def plan_in_words(tournament: Tournament) -> str:
    """Return how many blocks of how many matches are played for each pairing, and the groups."""
    rules, plan = tournament.rules, tournament.plan
    blocks = "1 block" if rules.blocks == 1 else f"{rules.blocks} blocks"
    words = f"{blocks} of {rules.seats} matches for each pairing"
    if not isinstance(plan, Groups):
        return words
    groups = "1 group" if plan.groups == 1 else f"{plan.groups} groups"
    return f"{groups}, {plan.advance} of each go on, {words}"


def terms_in_words(record: TournamentRecord) -> str:
    """Return what a block is, and the other terms that its pages use."""
    said = ["In a block every bot plays one match from each seat."]
    if any(one.pairing.is_bye for one in record.played()):
        said.append("A bye is a round without an opponent.")
    if walkover_blocks(record):
        said.append("A walkover is decided without play: a bot withdrew or stayed away.")
    return " ".join(said)


def blocks_expected(tournament: Tournament, done: int) -> int:
    """Return the total number of blocks, if `done` count so far.

    For a finished tournament it is `done`, otherwise the number that its format plans, or more if
    ties needed further blocks.
    """
    if tournament.state is TournamentState.FINISHED:
        return done
    return max(done, tournament.plan.expected_blocks(len(tournament.entries)))


def blocks_done(record: TournamentRecord) -> int:
    """Return the number of blocks that count, without walkovers."""
    return sum(len(points) for points in record.points.values())


def walkover_blocks(record: TournamentRecord) -> int:
    """Return the number of blocks not played, because a bot withdrew or stayed away."""
    return sum(len(played.blocks) for played in record.played()) - blocks_done(record)


def blocks_left(record: TournamentRecord) -> int:
    """Return about how many blocks are still to be played."""
    if record.tournament.state.over:
        return 0
    done = blocks_done(record)
    return max(0, blocks_expected(record.tournament, done) - done - walkover_blocks(record))


def blocks_in_words(record: TournamentRecord) -> str:
    """Return how many blocks were played, of how many, and how many were walkovers."""
    done, walkovers = blocks_done(record), walkover_blocks(record)
    tournament = record.tournament
    if tournament.state is TournamentState.FINISHED:
        words = f"{done:,} {'block' if done == 1 else 'blocks'} played"
    else:
        total = max(blocks_expected(tournament, done), done + walkovers)
        words = f"{done:,} of {total - walkovers:,} blocks played"
    if not walkovers:
        return words
    return f"{words}, {walkovers:,} {'walkover' if walkovers == 1 else 'walkovers'}"


def walkover_at(tournament: Tournament, number: EntryNumber, now: datetime) -> datetime:
    """Return when the pairings that wait for an absent entry become walkovers, to ten seconds.

    It is later if no referee conducts the tournament meanwhile.
    """
    waited = tournament.entries[number - 1].waited_seconds
    at = now.timestamp() + max(0.0, tournament.rules.patience_seconds - waited)
    return datetime.fromtimestamp(math.ceil(at / 10) * 10, UTC)


def waits_in_words(record: TournamentRecord, now: datetime) -> list[str]:
    """Return a line per absent bot: which pairings wait for it, why, and until when."""
    tournament = record.tournament
    lines = []
    for number, keys in record.waited_for().items():
        entry = tournament.entries[number - 1]
        why = f" ({entry.absence})" if entry.absence else ""
        names = " – ".join(name_of(tournament, one) for one in record.pairings[keys[0]].entries)
        others = len(keys) - 1
        more = f" and {others} {'other pairing' if others == 1 else 'other pairings'}"
        lines.append(
            f"Round {keys[0][0]}, table {keys[0][1]} ({names}){more if others else ''} "
            f"{'wait' if others else 'waits'} for {entry.registered.entrant}{why}, until "
            f"{walkover_at(tournament, number, now):%H:%M:%S} UTC: then what is left is decided "
            "without play (a walkover)."
        )
    return lines


@dataclass(frozen=True, slots=True)
class PairingLine:
    """A pairing, as one line of a list."""

    round: int
    table: int
    bots: tuple[tuple[Entrant, str], ...]
    """The bots with their points, most points first."""
    counted: int
    """The number of blocks that count, walkovers included."""
    wanted: int
    is_bye: bool
    remark: str


def pairing_lines(record: TournamentRecord) -> list[PairingLine]:
    """Return all pairings, the latest round first."""
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
    """Return bot and version; bots that are started by a command have no version."""
    return str(tournament.entries[number - 1].registered.entrant).rstrip()


def points_text(points: Fraction) -> str:
    """Return points as text, as short as three decimals allow."""
    return f"{float(points):.3f}".rstrip("0").rstrip(".")


def going_on(tournament: Tournament, played: PlayedPairing) -> tuple[EntryNumber, ...]:
    """Return the bots that go on from a decided pairing of a knockout, best first; else ()."""
    decided = _decided(tournament, played)
    return () if decided is None else decided.through


def _decided(tournament: Tournament, played: PlayedPairing) -> Decided | None:
    plan = tournament.plan
    if isinstance(plan, Elimination | Groups):
        return plan.decided(played)
    return None


def of_knockout(tournament: Tournament, played: Sequence[PlayedPairing]) -> list[PlayedPairing]:
    """Return the pairings of the knockout: all, or with groups those after the groups."""
    plan = tournament.plan
    if isinstance(plan, Groups):
        return [one for one in played if not plan.in_groups(one.pairing)]
    return list(played) if isinstance(plan, Elimination) else []


def remark(record: TournamentRecord, played: PlayedPairing) -> str:
    """Return a remark on a pairing: its group, whom it waits for, or what decided it; or ""."""
    pairing, tournament = played.pairing, record.tournament
    if pairing.is_bye:
        return "bye"
    if len(played.blocks) > record.blocks_counted((pairing.round, pairing.table)):
        return "walkover"
    if away := record.waits_of((pairing.round, pairing.table)):
        return f"waits for {', '.join(name_of(tournament, one) for one in away)}"
    plan = tournament.plan
    if isinstance(plan, Groups) and plan.in_groups(pairing):
        return f"group {plan.group_of(pairing)}"
    decided = _decided(tournament, played)
    if decided is None or (decided.by is Decision.POINTS and len(pairing.entries) == 2):
        return ""
    names = ", ".join(name_of(tournament, entry) for entry in decided.through)
    said = names if len(pairing.entries) == 2 else f"→ {names}"
    return said if decided.by is Decision.POINTS else f"{said} by {decided.by.value}"
