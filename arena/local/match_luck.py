"""`MatchLuck`: the luck of a seat in matches of two against a bot that declares its play.

AIVAT (`arena.lab.analysis.aivat`) knows most of it: the result minus its estimate, by each set of
values; more, if the seat's own bot declares its play, too. One set is fitted to how both bots
decided. The luck column (`arena.lab.luck`) is one more estimate, which does no harm where no values
fit, as against bots that always lose. Each has mean zero, so results can be regressed on all of
them (`arena.rating.luck`).
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
"""The models of opponents that do not play like the tables."""
ESTIMATOR: Final = "bluff-aivat/3"
"""The name and version of the way in which luck is removed."""
ESTIMATES: Final = SETS + 2
"""The number of values of a seat's luck: by each set, by the fitted one, and the luck column.

All but the luck column are there twice where the seat's own play is declared.
"""
_MOST_DECISIONS: Final = 3_000
"""The number of decisions to which play is fitted, at most: it bounds the time of a fit."""
SeatedMatch: TypeAlias = tuple[int, Transcript]
"""The seat whose luck is asked, and a match."""


class NoTablesError(UserError):
    """The tables of `cfr` are missing; they hold the values of the estimates."""


class NoPlayError(UserError):
    """A bot declares no play; the message says how it would."""


@lru_cache(maxsize=1)
def solved_values() -> ValueSets:
    """Return the values of places by the tables of `cfr`. Raises NoTablesError."""
    solved = chosen()
    if solved is None:
        raise NoTablesError("Estimates of luck need the sample bots, with the tables of cfr.")
    return ValueSets(solved)


def aivat_of(bot: str, values: ValueSets, game: AnyGame, settings: BotSettings = ()) -> Aivat:
    """Return the estimator for matches of two seats in which a bot that declares its play sits.

    Args:
        bot: A sample bot's name or a `.py` file.
        values: The values of places.
        game: The rules of the matches.
        settings: The environment variables that the bot alone has.

    Raises:
        BotFileError: There is no such bot.
        NoPlayError: The bot declares no play.
    """
    declared = declared_play(load_bot(bot, settings), game, 2)
    if declared is None:
        raise NoPlayError(
            f"{bot} does not declare its play: its class needs `probabilities`, beside the `act` "
            "that it describes."
        )
    return Aivat(values.of(MODELS.get(Path(bot).stem)), values.most_dice, declared)


class MatchLuck:
    """The luck of a bot that meets one which declares its play."""

    def __init__(self, values: ValueSets, aivat: Aivat, own: Aivat | None = None) -> None:
        """Prepare for matches.

        Args:
            values: The values of places.
            aivat: The estimator for the play of the opponent.
            own: That for the play of the bot itself, if it is declared.
        """
        self._values, self.aivat, self._own = values, aivat, own

    def of_blocks(
        self, blocks: Sequence[Sequence[SeatedMatch]], advance: Callable[[], None] = lambda: None
    ) -> FloatArray:
        """Return the mean luck of the bot's seat in the matches of each block.

        The blocks are split into two halves, and each half is valued by play that is fitted to the
        other half (cross-fitting: Chernozhukov et al. 2018, "Double/debiased machine learning").
        So no value follows from a match that it values, and the mean is zero, if no bot's play
        depends on what was dealt in earlier matches.

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
                # By pairs: in blocks of one match the bot moves on by one seat from each to the
                # next, and both halves are to have both seats.
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
        """Return the values by how the opponent and the bot decided in these matches."""
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
    """Return the luck of the seat that meets these bots; None where the luck column is all."""
    samples = {str(bot_file(name)) for name in sample_names()}
    if len(opponents) != 1 or opponents[0].settings or opponents[0].bot not in samples:
        return None
    bot = opponents[0].bot
    if declared_play(load_bot(bot), game, 2) is None or chosen() is None:
        return None
    aivat = aivat_of(bot, solved_values(), game)
    return MatchLuck(solved_values(), aivat) if aivat.covers(game, 2) else None
