"""`MatchLuck`: the luck of a seat in matches of two against a bot that declares its play.

AIVAT (`arena.lab.analysis.aivat`) knows most of it: the result minus its estimate, by each set of
values; more, if the seat's own bot declares its play, too. The luck column (`arena.lab.luck`) is
one more estimate, which does no harm where no values fit, as against bots that always lose. Each
has mean zero, so results can be regressed on all of them (`arena.rating.luck`).
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from arena.errors import UserError
from arena.games.game import AnyGame
from arena.lab.analysis.aivat import Aivat
from arena.lab.analysis.bluff.last_bet_play import Model
from arena.lab.analysis.bluff.pair_values import SETS, ValueSets
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
ESTIMATES: Final = SETS + 1
"""The number of values of a seat's luck: one by each set of values, and the luck column.

There are `SETS` more where the seat's own play is declared.
"""


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
    """The luck of the seat that meets a bot which declares its play."""

    def __init__(self, aivat: Aivat, own: Aivat | None = None) -> None:
        """Take the estimator for the play of that bot, and for the seat's own if it is declared."""
        self.aivat, self._own = aivat, own

    def of(self, transcript: Transcript, seat: int) -> FloatArray:
        """Return the luck of a seat: one value for each estimate.

        Raises DeclaredPlayError.
        """
        result = float(transcript.result.placing[seat] == 1)
        found = [result - 1 + self.aivat.estimates(transcript, 1 - seat)]
        if self._own is not None:
            found.append(result - self._own.estimates(transcript, seat))
        return np.concatenate([*found, luck_of(transcript).seats[seat : seat + 1]])


def luck_against(opponents: Sequence[NamedBot], game: AnyGame) -> MatchLuck | None:
    """Return the luck of the seat that meets these bots; None where the luck column is all."""
    samples = {str(bot_file(name)) for name in sample_names()}
    if len(opponents) != 1 or opponents[0].settings or opponents[0].bot not in samples:
        return None
    bot = opponents[0].bot
    if declared_play(load_bot(bot), game, 2) is None or chosen() is None:
        return None
    aivat = aivat_of(bot, solved_values(), game)
    return MatchLuck(aivat) if aivat.covers(game, 2) else None
