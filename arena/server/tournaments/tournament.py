"""`Tournament`, its rules and entries, and `TournamentRecord`: its pairings and blocks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any

from arena.games import make_game
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.score_rule import ScoreRule
from arena.records import Registered, TournamentId, VersionId
from arena.scheduling.formats import FormatName, make_format
from arena.scheduling.ladder import TableType
from arena.scheduling.pairings import EntryNumber, Format, Pairing, PlayedPairing
from arena.scheduling.scoring import block_points, walkover

DEFAULT_PATIENCE_SECONDS = 600
PairingKey = tuple[int, int]
"""The key of a pairing: (round, table)."""


class TournamentState(Enum):
    """The state of a tournament."""

    CREATED = "created"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"

    @property
    def over(self) -> bool:
        """Whether no more blocks will be played."""
        return self in (TournamentState.FINISHED, TournamentState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot in the tournament's field."""

    number: EntryNumber
    """The seeding, from 1."""
    registered: Registered
    elo: float | None
    """The rating by which it was seeded."""
    withdrawn: bool = False
    waited_seconds: float = field(default=0.0, compare=False)
    """The time that tables have waited for it since it was last present, while a referee ran."""
    absence: str = field(default="", compare=False)
    """The reason for its absence at the last check."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a tournament; they never change."""

    format: FormatName
    game: str
    options: Mapping[str, Any]
    """The options that differ from the game's defaults."""
    seats: int
    blocks: int
    """The number of seat blocks per pairing."""
    rounds: int | None
    """The number of rounds; None if the format and the field determine it."""
    score: ScoreRule
    seed: str
    rated: bool
    time_control: TimeControl = DEFAULT_TIME_CONTROL
    patience_seconds: int = DEFAULT_PATIENCE_SECONDS
    """The time that the tables of an absent bot wait before they are walkovers."""
    groups: int | None = None
    """The number of groups; None if the format and the field determine it."""
    advance: int | None = None
    """The number of bots per group that go on; None if the format and the field determine it."""

    def plan(self, field: int) -> Format:
        """Return the format for a field of this many bots. Raises FormatError."""
        return make_format(
            self.format,
            field=field,
            seats=self.seats,
            blocks=self.blocks,
            rounds=self.rounds,
            seed=self.seed,
            groups=self.groups,
            advance=self.advance,
        )


@dataclass(frozen=True)  # no slots, for the cached properties
class Tournament:
    """A tournament and its field."""

    id: TournamentId
    name: str
    rules: Rules
    state: TournamentState
    entries: tuple[Entry, ...]
    """The entries by number."""
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    conducted: bool = True
    """Whether a referee conducts it; the final of an event is played by workers."""

    @cached_property
    def plan(self) -> Format:
        """The format of this tournament."""
        return self.rules.plan(len(self.entries))

    @cached_property
    def table_type(self) -> TableType:
        """The table type of its matches."""
        game = make_game(self.rules.game, self.rules.options)
        return TableType(game.name, game.options, self.rules.seats, self.rules.time_control)

    @cached_property
    def withdrawn(self) -> frozenset[EntryNumber]:
        """The entries that have withdrawn."""
        return frozenset(entry.number for entry in self.entries if entry.withdrawn)

    def version(self, number: EntryNumber) -> VersionId:
        """Return the version of an entry."""
        return self.entries[number - 1].registered.version_id


class BlockState(Enum):
    """Whether a block counts."""

    OPEN = "open"
    """The block is not over, or not completely recorded."""
    CLOSED = "closed"
    """The block counts."""
    VOID = "void"
    """The block does not count; another one is played instead."""


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """A block of a tournament as recorded in storage."""

    block_id: str
    pairing: PairingKey
    state: BlockState
    placings: tuple[Mapping[VersionId, int], ...]
    """Each version's rank, by match in the order of the rotations."""
    positions: tuple[int, ...] = ()
    """The positions of these matches; an open block may lack some."""


@dataclass(slots=True)
class TournamentRecord:
    """The pairings and the counted blocks of a tournament so far."""

    tournament: Tournament
    pairings: dict[PairingKey, Pairing] = field(default_factory=dict)
    points: dict[PairingKey, list[tuple[Fraction, ...]]] = field(default_factory=dict)
    """The points of the blocks that count, by pairing."""
    forfeits: dict[PairingKey, frozenset[EntryNumber]] = field(default_factory=dict)
    """The entries whose absence ended a pairing, by pairing."""
    open_blocks: list[BlockRecord] = field(default_factory=list)
    """The blocks that have begun and are not over, as first read."""

    def close(self, state: TournamentState) -> None:
        """Set the tournament's final state."""
        self.tournament = replace(self.tournament, state=state)

    def add_pairings(self, pairings: Iterable[Pairing]) -> None:
        """Add new pairings."""
        for pairing in pairings:
            self.pairings[pairing.round, pairing.table] = pairing

    def add_blocks(self, blocks: Iterable[BlockRecord]) -> None:
        """Add blocks in the order begun; only closed ones count."""
        for block in blocks:
            if block.state is BlockState.CLOSED:
                points = self._points(self.pairings[block.pairing], block.placings)
                self.points.setdefault(block.pairing, []).append(points)
            elif block.state is BlockState.OPEN:
                self.open_blocks.append(block)

    def forfeit(self, absent: Mapping[PairingKey, Iterable[EntryNumber]]) -> None:
        """Make the unplayed blocks of pairings walkovers against their absent entries."""
        for key, entries in absent.items():
            self.forfeits[key] = self.forfeits.get(key, frozenset()).union(entries)

    def is_given_up(self, key: PairingKey) -> bool:
        """Return whether no more blocks are played, because a bot withdrew or stayed away."""
        entries = self.pairings[key].entries
        return key in self.forfeits or not self.tournament.withdrawn.isdisjoint(entries)

    def waited_for(self) -> dict[EntryNumber, list[PairingKey]]:
        """Return the pairings that wait for an absent entry, by entry, in order of its number."""
        found: dict[EntryNumber, list[PairingKey]] = {}
        if any(one.waited_seconds > 0 for one in self.tournament.entries):
            for key in sorted(self.pairings):
                for entry in self.waits_of(key):
                    found.setdefault(entry, []).append(key)
        return dict(sorted(found.items()))

    def waits_of(self, key: PairingKey) -> list[EntryNumber]:
        """Return the absent entries that a pairing waits for; none if it has no blocks to play."""
        if self.tournament.state is not TournamentState.RUNNING:
            return []
        entries = self.tournament.entries
        away = [one for one in self.pairings[key].entries if entries[one - 1].waited_seconds > 0]
        if not away or self.is_given_up(key):
            return []
        return away if self.blocks_counted(key) < self.blocks_wanted(key) else []

    def blocks_wanted(self, key: PairingKey) -> int:
        """Return how many blocks a pairing takes, as far as is known now."""
        return self.tournament.plan.blocks_wanted(self._as_played(key))

    def blocks_counted(self, key: PairingKey) -> int:
        """Return how many blocks of a pairing count so far."""
        return len(self.points.get(key, ()))

    def played(self, unsettled: Iterable[PairingKey] = ()) -> list[PlayedPairing]:
        """Return all pairings, in the form that formats take, by round and table.

        Blocks that cannot be played because a bot withdrew or stayed away are walkovers, except in
        the `unsettled` pairings, which have blocks being played.
        """
        under_way = frozenset(unsettled)
        return [
            self._as_played(key) if key in under_way else self._with_walkovers(key)
            for key in sorted(self.pairings)
        ]

    def _as_played(self, key: PairingKey) -> PlayedPairing:
        """Return a pairing with the blocks that count, without walkovers."""
        return PlayedPairing(self.pairings[key], tuple(self.points.get(key, ())))

    def _with_walkovers(self, key: PairingKey) -> PlayedPairing:
        """Return a pairing whose missing blocks are walkovers if a bot is absent."""
        played = self._as_played(key)
        absent = self._absent(played.pairing)
        if not absent or played.pairing.is_bye:
            return played
        entries = played.pairing.entries
        lost = walkover([entry in absent for entry in entries], self.tournament.rules.score)
        planned = self.tournament.plan.blocks_wanted(PlayedPairing(played.pairing))
        missing = planned - len(played.blocks)
        return PlayedPairing(played.pairing, (*played.blocks, *[lost] * missing), absent)

    def _absent(self, pairing: Pairing) -> frozenset[EntryNumber]:
        """Return the entries that left the pairing unplayed."""
        away = self.forfeits.get((pairing.round, pairing.table), frozenset())
        return away | self._withdrawn_from(pairing)

    def _withdrawn_from(self, pairing: Pairing) -> frozenset[EntryNumber]:
        """Return the entries whose withdrawal left the pairing unplayed."""
        gone = self.tournament.withdrawn.intersection(pairing.entries)
        if not gone or self.tournament.plan.made_together(pairing):
            return gone
        # A bot that was paired again later had not withdrawn yet when this pairing was played.
        last = frozenset(entry for entry in gone if self._last_round(entry) == pairing.round)
        return last or gone

    def _last_round(self, entry: EntryNumber) -> int:
        return max(one.round for one in self.pairings.values() if entry in one.entries)

    def _points(
        self, pairing: Pairing, placings: Sequence[Mapping[VersionId, int]]
    ) -> tuple[Fraction, ...]:
        """Return the points of a block for each entry of the pairing."""
        versions = [self.tournament.version(entry) for entry in pairing.entries]
        by_entry = [[ranks[version] for version in versions] for ranks in placings]
        return block_points(by_entry, self.tournament.rules.score)
