"""The pairings of an experiment: a bot at a table of opponents under a seed, and their counts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from arena.commands.experiments.experiment import Experiment
from arena.local.deal_blocks import BlockMatch, Lineup, NamedBot, PlayedBlock, every_rotation
from arena.local.win_rates import WinRate, WinRates
from arena.match.result import Result, Termination

LOOK_MATCHES: Final = 200
"""The matches between two looks at the interval; fixed, so that every machine stops alike."""


@dataclass(frozen=True, slots=True)
class SeededPairing:
    """One bot against one table of opponents under one seed."""

    words: tuple[str, ...]
    """The bots as the experiment's file names them, the measured one first."""
    opponents: str
    """The name of the table of opponents."""
    seed: str
    entries: tuple[NamedBot, ...]
    """The bots of `words`."""
    same_deals: bool

    @property
    def bot(self) -> str:
        """The bot that is measured, as the file names it."""
        return self.words[0]

    @property
    def key(self) -> tuple[str, str, str]:
        """The unique key of the pairing in its experiment."""
        return self.bot, self.opponents, self.seed

    @property
    def lineups(self) -> tuple[Lineup, ...]:
        """The line-ups of a block."""
        one = Lineup(self.entries, moves_on=True)
        return every_rotation(self.entries) if self.same_deals else (one,)

    @property
    def deals(self) -> str:
        """The seed of its deals, the same for all bots against the same opponents."""
        return f"{self.seed} against {self.opponents}"


@dataclass(slots=True)
class PairingTally:
    """The counts of a pairing, or of all pairings of one bot with one table, over the seeds."""

    pairing: SeededPairing
    rates: WinRates = field(init=False)

    def __post_init__(self) -> None:
        # The matches of a deal block are not independent of each other.
        names = [str(number) for number in range(len(self.pairing.entries))]
        self.rates = WinRates(names, matches_per_block=len(self.pairing.lineups))

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Count the matches of a block, as `rows_of` returns them."""
        for row in rows:
            self.rates.add(_match(row))

    @property
    def rate(self) -> WinRate:
        """The results of the pairing's bot. Only after the first match."""
        return next(one for one in self.rates.table() if one.name == "0")


def rows_of(pairing: SeededPairing, block: int, played: PlayedBlock) -> list[dict[str, Any]]:
    """Return a block as it is kept: an object for each match."""
    return [
        {
            "bot": pairing.bot,
            "opponents": pairing.opponents,
            "seed": pairing.seed,
            "block": block,
            "seats": list(match.contenders),
            "placings": list(match.result.placing),
            "faults": list(match.result.faults),
        }
        for match in played
    ]


def _match(row: dict[str, Any]) -> BlockMatch:
    seats = len(row["seats"])
    result = Result(
        tuple(row["placings"]), None, Termination.FINISHED, tuple(row["faults"]), (False,) * seats
    )
    return BlockMatch(tuple(row["seats"]), result, (), None)


def precise_enough(experiment: Experiment, tally: PairingTally) -> bool:
    """Return whether the interval is as narrow as the experiment asks for."""
    wanted = experiment.stop.half_width
    if wanted is None or not tally.rates.matches:
        return False
    low, high = tally.rate.interval
    return (high - low) / 2 <= wanted
