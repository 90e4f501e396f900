"""A tournament as it was created, and the record of what was paired and played in it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any

from arena.games import make_game
from arena.match.score_rule import ScoreRule
from arena.records import Registered, TournamentId, VersionId
from arena.scheduling.formats import FormatName, make_format
from arena.scheduling.ladder import TableType
from arena.scheduling.pairings import Format, Number, Pairing, PlayedPairing
from arena.scheduling.scoring import block_points, walkover

PairingKey = tuple[int, int]
"""(round, table)."""


class TournamentState(Enum):
    """Where a tournament stands."""

    CREATED = "created"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"

    @property
    def over(self) -> bool:
        """Whether nothing will be played any more."""
        return self in (TournamentState.FINISHED, TournamentState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot of the field."""

    number: Number
    """Its seeding, from 1."""
    registered: Registered
    elo: float | None
    """What it was seeded by."""
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """What a tournament is played by; it never changes."""

    format: FormatName
    game: str
    options: Mapping[str, Any]
    """Those that differ from the game's defaults."""
    seats: int
    blocks: int
    """Seat blocks by pairing."""
    rounds: int | None
    """None where it follows from the format and the field."""
    score: ScoreRule
    seed: str
    rated: bool

    def plan(self, field: int) -> Format:
        """The format for so many bots. Raises FormatError."""
        return make_format(
            self.format,
            field=field,
            seats=self.seats,
            blocks=self.blocks,
            rounds=self.rounds,
            seed=self.seed,
        )


@dataclass(frozen=True)  # no slots: what follows from its fields is computed once
class Tournament:
    """A tournament and its field."""

    id: TournamentId
    name: str
    rules: Rules
    state: TournamentState
    entries: tuple[Entry, ...]
    """By number."""
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None

    @cached_property
    def plan(self) -> Format:
        """How it is played."""
        return self.rules.plan(len(self.entries))

    @cached_property
    def ladder(self) -> TableType:
        """What its matches are."""
        game = make_game(self.rules.game, self.rules.options)
        return TableType(game.name, game.options, self.rules.seats)

    @cached_property
    def withdrawn(self) -> frozenset[Number]:
        """Who does not play any more."""
        return frozenset(entry.number for entry in self.entries if entry.withdrawn)

    def version(self, number: Number) -> VersionId:
        """The version that an entry is."""
        return self.entries[number - 1].registered.version_id


class BlockState(Enum):
    """Whether a block counts."""

    OPEN = "open"
    """Not over, or not recorded yet."""
    CLOSED = "closed"
    """It counts."""
    VOID = "void"
    """It never will; another is played in its stead."""


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """What storage knows of a block of a tournament."""

    block_id: str
    pairing: PairingKey
    state: BlockState
    placings: tuple[Mapping[VersionId, int], ...]
    """By match, in the order of the rotations, each version's rank."""
    positions: tuple[int, ...] = ()
    """Which matches these are, from 0: of an open block not always the first ones."""


@dataclass(slots=True)
class TournamentRecord:
    """What was paired and played, as it grows."""

    tournament: Tournament
    pairings: dict[PairingKey, Pairing] = field(default_factory=dict)
    points: dict[PairingKey, list[tuple[Fraction, ...]]] = field(default_factory=dict)
    """By pairing, the points of the blocks that count."""
    open_blocks: list[BlockRecord] = field(default_factory=list)
    """Blocks that were begun and are not over, as they were when first read."""

    def close(self, state: TournamentState) -> None:
        """Take in that it is over."""
        self.tournament = replace(self.tournament, state=state)

    def add_pairings(self, pairings: Iterable[Pairing]) -> None:
        """Take in what was paired."""
        for pairing in pairings:
            self.pairings[pairing.round, pairing.table] = pairing

    def add_blocks(self, blocks: Iterable[BlockRecord]) -> None:
        """Take in what was played, in the order begun; only what is closed counts."""
        for block in blocks:
            if block.state is BlockState.CLOSED:
                points = self._points(self.pairings[block.pairing], block.placings)
                self.points.setdefault(block.pairing, []).append(points)
            elif block.state is BlockState.OPEN:
                self.open_blocks.append(block)

    def blocks_wanted(self, key: PairingKey) -> int:
        """How many blocks a pairing takes, as far as can be told now."""
        return self.tournament.plan.blocks_wanted(self._as_played(key))

    def blocks_counted(self, key: PairingKey) -> int:
        """How many blocks of a pairing count so far."""
        return len(self.points.get(key, ()))

    def played(self, unsettled: Iterable[PairingKey] = ()) -> list[PlayedPairing]:
        """Everything as formats see it, in the order of rounds and tables.

        Blocks that cannot be played because a bot withdrew are walkovers, except in pairings of
        which blocks are still under way.
        """
        under_way = frozenset(unsettled)
        return [
            self._as_played(key) if key in under_way else self._with_walkovers(key)
            for key in sorted(self.pairings)
        ]

    def _as_played(self, key: PairingKey) -> PlayedPairing:
        return PlayedPairing(self.pairings[key], tuple(self.points.get(key, ())))

    def _with_walkovers(self, key: PairingKey) -> PlayedPairing:
        played = self._as_played(key)
        absent = self._absent(played.pairing)
        if not absent or played.pairing.is_bye:
            return played
        entries = played.pairing.entries
        lost = walkover([entry in absent for entry in entries], self.tournament.rules.score)
        planned = self.tournament.plan.blocks_wanted(PlayedPairing(played.pairing))
        missing = planned - len(played.blocks)
        return PlayedPairing(played.pairing, (*played.blocks, *[lost] * missing), absent)

    def _absent(self, pairing: Pairing) -> frozenset[Number]:
        """Who had withdrawn, so that the pairing was not played out."""
        gone = self.tournament.withdrawn.intersection(pairing.entries)
        if not gone or not self.tournament.rules.format.round_by_round:
            return gone
        # Whoever was paired again later was there still, or what followed would not follow.
        last = frozenset(entry for entry in gone if self._last_round(entry) == pairing.round)
        return last or gone

    def _last_round(self, entry: Number) -> int:
        return max(one.round for one in self.pairings.values() if entry in one.entries)

    def _points(
        self, pairing: Pairing, placings: Sequence[Mapping[VersionId, int]]
    ) -> tuple[Fraction, ...]:
        versions = [self.tournament.version(entry) for entry in pairing.entries]
        by_entry = [[ranks[version] for version in versions] for ranks in placings]
        return block_points(by_entry, self.tournament.rules.score)
