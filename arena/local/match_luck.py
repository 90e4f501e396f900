"""`MatchLuck`: the luck of a seat in matches of two against a bot that declares its play.

AIVAT (`arena.lab.analysis.aivat`) gives most of it: for each set of values, the luck is the result
minus AIVAT's estimate. If the seat's own bot declares its play too, AIVAT gives more. One set is
fitted to the decisions of both bots. The luck column (`arena.lab.luck`) is one more estimate; it
does no harm where no values fit, such as against bots that always lose. Each estimate has mean
zero, so results can be regressed on all of them (`arena.rating.luck`).
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from arena.errors import UserError
from arena.games.game import AnyGame
from arena.lab.analysis.aivat import Aivat
from arena.lab.analysis.bluff.fitted_play import SeenDecision, decisions
from arena.lab.analysis.bluff.last_bet_play import Model
from arena.lab.analysis.bluff.pair_values import SETS, MatchValues, ValueSets
from arena.lab.analysis.bluff.solved_play import chosen
from arena.lab.luck import luck_of
from arena.local.bot_modules import BotSettings
from arena.local.deal_blocks import NamedBot
from arena.local.declared_play import declared_play
from arena.local.loading import bot_file, load_bot, sample_names
from arena.match.transcript import Transcript
from arena.rating.elo import FloatArray

MODELS: Final = {"bayes": Model.BAYES, "honest": Model.HONEST}
"""The models of declared opponents that do not play like the tables, by name."""
ESTIMATOR: Final = "bluff-aivat/3"
"""The name and version of the method that removes luck."""
ESTIMATES: Final = SETS + 2
"""The number of estimates of a seat's luck: each set, the fitted set, and the luck column.

All but the luck column exist twice if the seat's own play is declared.
"""
_MOST_DECISIONS: Final = 3_000
"""The most decisions to which play is fitted, which bounds the time of a fit."""
SeatedMatch: TypeAlias = tuple[int, Transcript]
"""The seat whose luck is wanted, and a match."""


class NoTablesError(UserError):
    """The tables of `cfr`, from which the estimates' values come, are missing."""


class NoPlayError(UserError):
    """A bot does not declare its play; the message says how to."""


@lru_cache(maxsize=1)
def solved_values() -> ValueSets:
    """Return the values of the game's positions by `cfr`'s tables. Raises NoTablesError."""
    solved = chosen()
    if solved is None:
        raise NoTablesError("Estimates of luck need the sample bots, with the tables of cfr.")
    return ValueSets(solved)


def aivat_of(bot: str, values: ValueSets, game: AnyGame, settings: BotSettings = ()) -> Aivat:
    """Return the estimator for matches of two seats with a bot that declares its play.

    Args:
        bot: A sample bot's name or a `.py` file.
        values: The values of the game's positions.
        game: The rules of the matches.
        settings: The environment variables that only the bot has.

    Raises:
        BotFileError: There is no such bot.
        NoPlayError: The bot does not declare its play.
    """
    declared = declared_play(load_bot(bot, settings), game, 2)
    if declared is None:
        raise NoPlayError(
            f"{bot} does not declare its play: its class needs `probabilities`, beside the `act` "
            "that it describes."
        )
    return Aivat(values.of(MODELS.get(Path(bot).stem)), values.most_dice, declared)


class MatchLuck:
    """Estimates of a bot's luck against an opponent that declares its play."""

    def __init__(self, values: ValueSets, aivat: Aivat, own: Aivat | None = None) -> None:
        """Prepare for matches.

        Args:
            values: The values of the game's positions.
            aivat: The estimator for the opponent's play.
            own: The estimator for the bot's own play, if it is declared.
        """
        self._values, self.aivat, self._own = values, aivat, own

    def of_blocks(
        self, blocks: Sequence[Sequence[SeatedMatch]], advance: Callable[[], None] = lambda: None
    ) -> FloatArray:
        """Return the mean luck of the bot's seat in the matches of each block.

        The blocks are split into two halves, and each half is evaluated with play fitted to the
        other half (cross-fitting: Chernozhukov et al. 2018, "Double/debiased machine learning").
        So no match is evaluated with values fitted to itself, and the mean is zero if no bot's
        play depends on the deals of earlier matches.

        Args:
            blocks: Blocks of matches against the opponent, at least one; no deal is in two of them.
            advance: Called after each match.

        Returns:
            [block, estimate]

        Raises:
            DeclaredPlayError: A bot does not play as it declares.
        """
        found: list[FloatArray] = [np.zeros(0)] * len(blocks)
        for half in (0, 1):
            own, others = list[int](), list[SeatedMatch]()
            for number, block in enumerate(blocks):
                # Split by pairs of blocks: with one match a block, the bot changes its seat with
                # each block, and both halves need both seats.
                if number // 2 % 2 == half:
                    own.append(number)
                else:
                    others += block
            fitted = self._fitted(others)
            for number in own:
                rows = []
                for seat, transcript in blocks[number]:
                    rows.append(self._of(transcript, seat, fitted))
                    advance()
                found[number] = np.mean(rows, axis=0)
        return np.array(found)

    def check(self, transcript: Transcript, seat: int) -> None:
        """Raise DeclaredPlayError if a bot does not play as it declares."""
        self.aivat.estimates(transcript, 1 - seat)
        if self._own is not None:
            self._own.estimates(transcript, seat)

    def _fitted(self, matches: Sequence[SeatedMatch]) -> tuple[MatchValues, MatchValues]:
        """Return the values fitted to the opponent's and the bot's decisions in these matches."""
        known = _decisions((1 - seat, match) for seat, match in matches)
        return self._values.fitted(known, _decisions(matches))

    def _of(
        self, transcript: Transcript, seat: int, fitted: tuple[MatchValues, MatchValues]
    ) -> FloatArray:
        """Return the luck of a seat: one value for each estimate."""
        result = float(transcript.result.placing[seat] == 1)
        found = [result - 1 + self.aivat.estimates(transcript, 1 - seat, fitted[0])]
        if self._own is not None:
            found.append(result - self._own.estimates(transcript, seat, fitted[1]))
        return np.concatenate([*found, luck_of(transcript).seats[seat : seat + 1]])


def _decisions(matches: Iterable[SeatedMatch]) -> list[SeenDecision]:
    found = [each for seat, match in matches for each in decisions(match, seat)]
    return found[:: max(1, -(-len(found) // _MOST_DECISIONS))]


def luck_against(opponents: Sequence[NamedBot], game: AnyGame) -> MatchLuck | None:
    """Return estimates of luck against these bots; None if only the luck column is available."""
    samples = {str(bot_file(name)) for name in sample_names()}
    if len(opponents) != 1 or opponents[0].settings or opponents[0].bot not in samples:
        return None
    bot = opponents[0].bot
    if declared_play(load_bot(bot), game, 2) is None or chosen() is None:
        return None
    aivat = aivat_of(bot, solved_values(), game)
    return MatchLuck(solved_values(), aivat) if aivat.covers(game, 2) else None
