"""The benchmark of a bot of Bluff: its results against the house bots, with most luck removed.

The house bots declare their play, so most of the luck of each match is known
(`arena.local.match_luck`), and the results are regressed on it.

The opponents, the numbers of matches and the deals are fixed and have a version, so that the
figures of different people can be compared.
"""

import json
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from arena.database.names import folded
from arena.errors import UserError
from arena.games import make_game
from arena.lab.analysis import Estimate, LossSums, analyse
from arena.lab.analysis.aivat import Aivat, UndeclaredActionError
from arena.lab.analysis.bluff.pair_values import ValueSets
from arena.local.deal_blocks import Lineup, NamedBot, Series, every_rotation
from arena.local.match_luck import MatchLuck, SeatedMatch, aivat_of, solved_values
from arena.local.playing import Where, playing
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.flow import Refused
from arena.match.transcript import Transcript
from arena.match.transcript_json import from_json
from arena.rating.elo import Z_95
from arena.rating.luck import adjusted_share, can_be_adjusted


class Rung(NamedTuple):
    """An opponent, and a number of blocks of two matches, one from each seat."""

    bot: str
    blocks: int


PROTOCOL: Final = "bluff-benchmark/2"
"""The version of the rungs and the deals; it is also the seed of the deals."""
GAME: Final = "bluff"
HOUSE: Final = "house"
"""The owner of the sample bots of an arena."""
CERTIFIED: Final = "cfr"
"""The rung whose play is near equilibrium, which is proved where a proof is possible."""
RUNGS: Final = (
    Rung("random", 50),
    Rung("timid", 50),
    Rung("honest", 150),
    Rung("bayes", 300),
    Rung(CERTIFIED, 900),
)
"""The opponents, the weakest first."""
VALUED_MATCHES: Final = 100
"""The number of matches against the certified rung whose decisions are evaluated."""


@dataclass(frozen=True, slots=True)
class RungShare:
    """The share of matches that a bot wins against a rung; shares are from 0 to 1."""

    rung: str
    matches: int
    raw: float
    """The share of matches that the bot won."""
    share: float
    """The share with most luck removed; `low` and `high` are the ends of its interval."""
    low: float
    high: float
    variance_factor: float
    """The variance of `share`, divided by the variance of `raw` in as many independent matches."""

    @property
    def behind(self) -> bool:
        """Whether the bot was shown to be weaker than the rung."""
        return self.high < 0.5

    @property
    def ahead(self) -> bool:
        """Whether the bot was shown to be stronger than the rung."""
        return self.low > 0.5


@dataclass(frozen=True, slots=True)
class Benchmarked:
    """The result of a benchmark."""

    shares: tuple[RungShare, ...]
    """The shares, the weakest rung first."""
    loss: Estimate | None
    """The mean loss of a decision against the certified rung, in probability to win."""
    faults: tuple[tuple[str, Refused], ...]
    """The bot's faults, each with the rung against which it happened."""

    @property
    def reached(self) -> str | None:
        """The highest rung up to which the bot is behind no rung; None if there is none."""
        reached = None
        for share in self.shares:
            if share.behind:
                break
            reached = share.rung
        return reached


class SeenMatch(NamedTuple):
    """A finished match."""

    seat: int
    """The seat of the measured bot."""
    transcript: Transcript
    refused: tuple[Refused, ...]


SeenBlocks: TypeAlias = Generator[tuple[SeenMatch, ...], None, None]
"""Blocks of matches; a block, such as the matches of one deal, is one observation."""


class RecordedMatchError(UserError):
    """Recorded matches that cannot be used; the message says why."""


def benchmark(
    bot: NamedBot,
    *,
    seed: str = PROTOCOL,
    where: Where = Where(),
    declared: bool = False,
    rungs: Sequence[Rung] = RUNGS,
    advance: Callable[[], None] = lambda: None,
) -> Benchmarked:
    """Measure a bot.

    Args:
        bot: The bot.
        seed: The seed of all deals.
        where: Where the blocks are played.
        declared: Whether the luck of its own hands and choices is removed as well, with the play
            that it declares. It is then asked for its play with every hand that it may hold.
        rungs: The opponents, the weakest first.
        advance: Called after a match was played, and again when its luck is known.

    Raises:
        NoTablesError: The sample bots are not installed.
        NoPlayError: The bot should declare its play, and does not.
        DeclaredPlayError: The bot does not play as it declares.
        UserError: The bot cannot play; the message says why.
    """
    values = solved_values()
    own = aivat_of(bot.bot, values, make_game(GAME), bot.settings) if declared else None
    shares, loss, faults = list[RungShare](), None, list[tuple[str, Refused]]()
    for rung in rungs:
        tally = RungTally(rung.bot, values, own, check=declared)
        with closing(seen_blocks(bot, rung, seed, where)) as blocks:
            for block in blocks:
                tally.add(block)
                for _ in block:
                    advance()
        shares.append(tally.share(advance=advance))
        loss = tally.loss() or loss
        faults += [(rung.bot, fault) for fault in tally.faults]
    return Benchmarked(tuple(shares), loss, tuple(faults))


def benchmark_of_recorded(
    bot: str, transcripts: Iterable[Transcript], advance: Callable[[], None] = lambda: None
) -> Benchmarked:
    """Measure a bot by matches that it played on an arena.

    Args:
        bot: Its name there.
        transcripts: Any matches, in any order. Only matches of Bluff between the bot and a house
            bot of RUNGS count, each once, and only with options that the estimates cover.
        advance: Called when the luck of a match is known.

    Raises:
        NoTablesError: The sample bots are not installed.
        RecordedMatchError: No match counts, or a house bot did not play as it does here.
        TranscriptError: A transcript contradicts the rules.
    """
    values = solved_values()
    tallies = {rung.bot: RungTally(rung.bot, values, check=True) for rung in RUNGS}
    seen = dict[str, tuple[RungTally, SeenMatch]]()
    wanted = folded(bot)
    for transcript in transcripts:
        entrants = transcript.setup.entrants
        seats = [seat for seat, entrant in enumerate(entrants) if folded(entrant.bot) == wanted]
        if len(entrants) != 2 or len(seats) != 1:
            continue
        house = entrants[1 - seats[0]]
        tally = tallies.get(house.bot) if house.owner == HOUSE else None
        if tally is not None and tally.covers(transcript):
            seen[transcript.setup.match_id] = tally, SeenMatch(seats[0], transcript, ())
    for _, (tally, match) in sorted(seen.items()):
        tally.add([match])
    counted = [tally for tally in tallies.values() if tally.matches]
    if not counted:
        names = ", ".join(tallies)
        raise RecordedMatchError(
            f"None of these matches is one of Bluff between {bot} and a house bot that "
            f"declares its play ({names})."
        )
    try:
        shares = tuple(tally.share(advance=advance) for tally in counted)
    except UndeclaredActionError as error:
        raise RecordedMatchError(
            "A house bot did not play as it does here: it was another release of it, or had "
            f"other tables. {error}"
        ) from error
    return Benchmarked(shares, tallies[CERTIFIED].loss(), ())


def seen_blocks(
    bot: NamedBot,
    rung: Rung,
    seed: str,
    where: Where,
    control: TimeControl = DEFAULT_TIME_CONTROL,
) -> SeenBlocks:
    """Play each deal in both rotations, or a fresh deal for every match if a bot is a program.

    A program could remember a deal.
    """
    entries = (bot, NamedBot(f"house {rung.bot}", rung.bot))
    lineups, blocks = every_rotation(entries), rung.blocks
    if where.logs is not None:
        lineups, blocks = (Lineup(entries, moves_on=True),), 2 * rung.blocks
    asked = Series(lineups, f"{seed} {rung.bot}", blocks, transcripts=True)
    with (
        playing(make_game(GAME), entries, len(lineups), where, control) as play,
        closing(play([asked])) as played,
    ):
        for block in played:
            yield tuple(
                SeenMatch(
                    match.contenders.index(0),
                    from_json(json.loads(match.written or "")),
                    match.refused,
                )
                for match in block
            )


class RungTally:
    """The matches against one rung."""

    def __init__(
        self, rung: str, values: ValueSets, own: Aivat | None = None, *, check: bool = False
    ) -> None:
        """Begin without a match.

        Args:
            rung: The opponent.
            values: The values of the game's positions.
            own: The estimator for the measured bot's own play, if it is declared.
            check: Whether declared play is checked even where luck is not removed.
        """
        self._rung, self._aivat = rung, aivat_of(rung, values, make_game(GAME))
        self._luck, self._check = MatchLuck(values, self._aivat, own), check
        self.matches = 0
        self._blocks = list[tuple[SeatedMatch, ...]]()
        self._losses = list[tuple[int, float]]()
        self.faults = list[Refused]()
        """The faults of the measured bot."""

    def covers(self, transcript: Transcript) -> bool:
        """Return whether the luck of a match can be estimated."""
        setup = transcript.setup
        return self._aivat.covers(setup.make_game(), len(setup.entrants))

    def add(self, block: Sequence[SeenMatch]) -> None:
        """Count the matches of a block as one observation."""
        for seat, transcript, refused in block:
            self.faults += [fault for fault in refused if fault.seat == seat]
            if self._rung == CERTIFIED and len(self._losses) < VALUED_MATCHES:
                losses = analyse(transcript).seats[seat].losses
                self._losses.append((len(losses), sum(losses)))
        self.matches += len(block)
        self._blocks.append(tuple((seat, transcript) for seat, transcript, _ in block))

    def share(self, z: float = Z_95, advance: Callable[[], None] = lambda: None) -> RungShare:
        """Return the bot's share of wins; there must be a match.

        Args:
            z: Half the width of the interval, in standard errors.
            advance: Called when the luck of a match is known.

        Raises:
            DeclaredPlayError: A bot does not play as it declares.
        """
        won = np.array([[_won(*match) for match in block] for block in self._blocks])
        lucks = None
        if can_be_adjusted(won):
            lucks = self._luck.of_blocks(self._blocks, advance)
        else:
            for seat, transcript in chain.from_iterable(self._blocks):
                if self._check:
                    self._luck.check(transcript, seat)
                advance()
        found = adjusted_share(won, lucks, z=z)
        return RungShare(
            self._rung,
            self.matches,
            float(won.mean()),
            found.share,
            found.low,
            found.high,
            found.variance_factor,
        )

    def loss(self) -> Estimate | None:
        """Return the mean loss of a decision; None if no decisions were evaluated."""
        sums = LossSums.of(self._losses)
        return sums.by_decision if sums.decisions else None


def _won(seat: int, transcript: Transcript) -> float:
    return float(transcript.result.placing[seat] == 1)
