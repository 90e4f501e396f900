"""The random draws of a final: all follow from the event's seed and the builds of the freeze.

    field        = SHA-256 of the lines "bot TAB version TAB SHA-256 of its build", sorted; for a
                   connected bot the line ends with the word "connected" instead
    key          = HMAC-SHA256(seed, field)
    derived      = HMAC-SHA256(key, label), with these labels:
    lot of BOT                                      entries are numbered by it, the smallest first
    pairings                                        its first 8 bytes are the seed of the schedule
    round 2 table 1 block 3 deal                    the deal's id
    round 2 table 1 block 3 secret                  the referee's secret of all matches of the block
    round 2 table 1 block 3 entropy of seat 0       the entropies, 16 bytes each
    round 2 table 1 block 3 match 1                 the id of a match, counted from 0
    round 2 table 1 block 3                         the id of the block

In an event that admits connected bots only the lots and the schedule follow from the seed: the
referee that conducts the final deals the matches and chooses the ids.

The hash of the seed is published when the event is made, before anybody has entered, and the field
by the freeze, before anything is played: so nobody can choose one to suit the other. Ids are UUIDs
of the first 16 bytes.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from arena.games import make_game
from arena.match.faults import DEFAULT_FAULT_LIMIT
from arena.match.seating import moved_on
from arena.match.transcript import Entrant, Setup
from arena.randomness import ENTROPY_BYTES
from arena.records import TournamentId, VersionId
from arena.scheduling.pairings import EntryNumber, Pairing
from arena.server.events.event import Finalist, FinalRules
from arena.server.tournaments.tournament import (
    BlockRecord,
    BlockState,
    Entry,
    Tournament,
    TournamentState,
)


@dataclass(frozen=True, slots=True)
class DealtMatch:
    """A match of a final before it is played."""

    setup: Setup
    secret: bytes
    entropies: tuple[bytes, ...]
    entries: tuple[EntryNumber, ...]
    """The entries by seat."""


def field_digest(builds: Sequence[tuple[Entrant, bytes | None]]) -> bytes:
    """Return the hash of the entrants and the SHA-256 of their builds, None without one."""
    lines = sorted(
        f"{entrant.bot}\t{entrant.version}\t{sha256.hex() if sha256 else 'connected'}\n"
        for entrant, sha256 in builds
    )
    return hashlib.sha256("".join(lines).encode()).digest()


class DrawnFinal:
    """A final's field, its draws and its matches."""

    def __init__(self, rules: FinalRules, seed: bytes, finalists: Sequence[Finalist]) -> None:
        """Draw the numbers of the finalists; the order in which they are given does not matter."""
        builds = [(one.registered.entrant, one.sha256) for one in finalists]
        self._key = hmac.digest(seed, field_digest(builds), "sha256")
        self.rules = rules
        self.finalists: tuple[Finalist, ...] = tuple(
            sorted(finalists, key=lambda one: self._derived(f"lot of {one.registered.entrant.bot}"))
        )
        """The finalists in the order of their entry numbers, which count from 1."""
        self._options = make_game(rules.game, rules.options).options

    def tournament(
        self, name: str, began_at: datetime, ended_at: datetime | None = None
    ) -> Tournament:
        """Return the final as a tournament, without its pairings."""
        return Tournament(
            TournamentId(0),
            name,
            replace(self.rules, seed=self._derived("pairings")[:8].hex()),
            TournamentState.RUNNING if ended_at is None else TournamentState.FINISHED,
            tuple(
                Entry(number, one.registered, None, one.withdrawn)
                for number, one in enumerate(self.finalists, start=1)
            ),
            began_at,
            began_at,
            ended_at,
        )

    def matches(self, pairing: Pairing, number: int) -> list[DealtMatch]:
        """Return the matches of a block of a pairing; `number` counts from 1."""
        label = _label(pairing.round, pairing.table, number)
        seats = self.rules.seats
        secret = self._derived(f"{label} secret")
        entropies = tuple(
            self._derived(f"{label} entropy of seat {seat}")[:ENTROPY_BYTES]
            for seat in range(seats)
        )
        dealt = []
        for rotation in range(seats):
            entries = tuple(pairing.entries[at] for at in moved_on(seats, rotation))
            setup = Setup(
                match_id=self._id(f"{label} match {rotation}"),
                game=self.rules.game,
                options=self._options,
                entrants=tuple(self.finalists[one - 1].registered.entrant for one in entries),
                time_control=self.rules.time_control,
                fault_limit=DEFAULT_FAULT_LIMIT,
                deal_id=self._id(f"{label} deal"),
            )
            dealt.append(DealtMatch(setup, secret, entropies, entries))
        return dealt

    def block_id(self, pairing: Pairing, number: int) -> str:
        """Return the id of a block."""
        return self._id(_label(pairing.round, pairing.table, number))

    def counted(
        self, pairing: Pairing, number: int, placings: Sequence[Sequence[int]]
    ) -> BlockRecord:
        """Return the record of a block that was played, from the placings by match and seat."""
        by_match: list[Mapping[VersionId, int]] = []
        for rotation, places in enumerate(placings):
            seated = [pairing.entries[at] for at in moved_on(self.rules.seats, rotation)]
            versions = [self.finalists[one - 1].registered.version_id for one in seated]
            by_match.append(dict(zip(versions, places, strict=True)))
        return BlockRecord(
            self.block_id(pairing, number),
            (pairing.round, pairing.table),
            BlockState.CLOSED,
            tuple(by_match),
        )

    def _derived(self, label: str) -> bytes:
        return hmac.digest(self._key, label.encode(), "sha256")

    def _id(self, label: str) -> str:
        return str(UUID(bytes=self._derived(label)[:16], version=4))


def _label(round_: int, table: int, number: int) -> str:
    return f"round {round_} table {table} block {number}"
