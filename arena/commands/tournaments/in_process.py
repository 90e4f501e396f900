"""A tournament in local processes, with new bot objects per match: no server, no database.

Deal blocks: one process for each rotation of the seats, which plays its match of every block of
every pairing. No two pairings share a deal, so no process gets a deal twice. Where there are more
cores than seats, several sets of processes share the pairings out. With fresh deals the same
processes play seat blocks. Where a bot is a program that connects, each bot is one process and
plays seat blocks.

The seed determines all random choices, of the schedule and of each pairing's deals. The same seed
and bots give the same tournament.
"""

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime

from arena.games.game import AnyGame
from arena.local.deal_blocks import NamedBot, PlayedBlock, Series, every_rotation
from arena.local.playing import Where, playing
from arena.match.transcript import Entrant
from arena.records import BlockKind, Registered, TournamentId, VersionId
from arena.server.tournaments import tournament as recorded
from arena.server.tournaments.tournament import (
    BlockRecord,
    BlockState,
    PairingKey,
    Tournament,
    TournamentRecord,
)


def tournament_of(entries: Sequence[NamedBot], rules: recorded.Rules) -> Tournament:
    """Return a running tournament among these bots, seeded in this order, without versions."""
    field = tuple(
        recorded.Entry(
            number, Registered(VersionId(number), Entrant(entry.name, "", ""), False), None
        )
        for number, entry in enumerate(entries, start=1)
    )
    return Tournament(
        TournamentId(0),
        f"{rules.game} {rules.format.value}",
        rules,
        recorded.TournamentState.RUNNING,
        field,
        datetime.now(UTC),
    )


@dataclass(slots=True)
class InProcess:
    """A tournament played in local processes."""

    game: AnyGame
    entries: Sequence[NamedBot]
    record: TournamentRecord
    kind: BlockKind
    faults: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """The number of faults by bot, kind and reason."""
    where: Where = field(default_factory=Where)

    def blocks(self) -> Generator[None, None, None]:
        """Play to the end, and yield after each block that counts.

        Raises UnreadyBotError, NotFoundError and BlockBrokenError. Close it to end the processes.
        """
        tournament = self.record.tournament
        rules = tournament.rules
        with playing(self.game, self.entries, rules.seats, self.where, rules.time_control) as play:
            while True:
                added = tournament.plan.next_pairings(len(self.entries), self.record.played())
                if added is None:
                    return
                assert added, "nothing is awaited, so something must come"
                self.record.add_pairings(added)
                # Pairings that are level may need further blocks.
                while keys := self.unfinished:
                    lacking = {key: self._series(key) for key in keys}
                    of_block = (key for key in keys for _ in lacking[key].numbers())
                    with closing(play(lacking.values())) as played:
                        for key, block in zip(of_block, played, strict=True):
                            self._take(key, block)
                            yield

    @property
    def unfinished(self) -> list[PairingKey]:
        """The pairings with blocks to play, in the order of play."""
        return [key for key in sorted(self.record.pairings) if self._lacking(key)]

    def who_meets(self, key: PairingKey) -> str:
        """Return a pairing in words."""
        names = (self.entries[number - 1].name for number in self.record.pairings[key].entries)
        return f"Round {key[0]}, table {key[1]} ({' – '.join(names)})"

    def _lacking(self, key: PairingKey) -> int:
        return self.record.blocks_wanted(key) - self.record.blocks_counted(key)

    def _series(self, key: PairingKey) -> Series:
        """Return the blocks that a pairing lacks."""
        seed, counted = self.record.tournament.rules.seed, self.record.blocks_counted(key)
        return Series(
            every_rotation(
                [self.entries[number - 1] for number in self.record.pairings[key].entries]
            ),
            "{} round {} table {} block {}".format(seed, *key, counted + 1),
            self._lacking(key),
            fresh=self.kind is BlockKind.SEAT,
            name=self.who_meets(key),
        )

    def _take(self, key: PairingKey, matches: PlayedBlock) -> None:
        entries = self.record.pairings[key].entries
        versions = [self.record.tournament.version(number) for number in entries]
        placings = []
        for match in matches:
            seated = [versions[at] for at in match.contenders]
            placings.append(dict(zip(seated, match.result.placing, strict=True)))
            for refused in match.refused:
                number = entries[match.contenders[refused.seat]]
                name = self.entries[number - 1].name
                self.faults[name, refused.kind.value, refused.reason] += 1
        self.record.add_blocks([BlockRecord("", key, BlockState.CLOSED, tuple(placings))])
