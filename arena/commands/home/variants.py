"""`arena play --variants`: one bot under several values of a setting, on the same deals.

A block is one deal: the same opponents, the same seat, once with each value. From block to block
all bots move on by one seat. So two variants differ in a block only by what they do, and their
difference by block is measured (`arena.rating.paired`).
"""

import json
import re
import shlex
from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from arena.commands.errors import CommandError
from arena.commands.home.bot_list import listed
from arena.commands.home.faults import fault_json
from arena.commands.home.line_up import check_seats, entries
from arena.commands.home.play_report import win_rate_json
from arena.commands.home.variants_report import difference_json, print_variants
from arena.commands.progress import progress
from arena.commands.terminal import Terminal
from arena.games.game import AnyGame
from arena.local.deal_blocks import BlockMatch, Lineup, NamedBot
from arena.local.win_rates import WinRate, WinRates
from arena.match.clock import TimeControl
from arena.match.transcript_json import from_json

if TYPE_CHECKING:  # they import numpy; an error in the arguments must not wait for that
    from arena.local.match_luck import MatchLuck, SeatedMatch
    from arena.rating.elo import FloatArray
    from arena.rating.paired import AdjustedDifference, PairedDifference

_FORM: Final = (
    "--variants takes a setting and its values, such as LLM_PROMPT=short.md,long.md; a value that "
    "contains a comma stands in double quotes."
)


@dataclass(frozen=True, slots=True)
class Variants:
    """A setting of the first bot, and the values that are compared."""

    setting: str
    values: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> "Variants":
        """Return the variants of an option `NAME=VALUE,VALUE,…`. Raises CommandError."""
        setting, equals, rest = text.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_]\w*", setting):
            raise CommandError(f"{_FORM} {text!r} has no setting before `=`.")
        values = tuple(listed("--variants", rest, _FORM))
        if len(values) < 2:
            raise CommandError(f"{_FORM} {text!r} has less than two values.")
        if len(set(values)) < len(values):
            raise CommandError(f"--variants {text} names a value twice.")
        return cls(setting, values)

    def bots(self, word: str) -> list[str]:
        """Return the bot once for each value.

        The value takes the place of `{SETTING}` in the word if it is there; else it is the
        environment variable of that name.
        """
        place = f"{{{self.setting}}}"
        if place in word:
            return [word.replace(place, value) for value in self.values]
        return [f"{self.setting}={shlex.quote(value)} {word}" for value in self.values]


class VariantsTally:
    """The counts of the matches so far, by variant; the matches of a block follow each other."""

    matches_of_a_bot = 1

    def __init__(self, variants: Variants, words: Sequence[str], game: AnyGame) -> None:
        """Prepare to play.

        Args:
            variants: The setting of the first bot.
            words: The bots.
            game: The rules.

        Raises:
            CommandError: A bot does not play the game, or there are not as many bots as seats.
            BotFileError: There is no such bot.
        """
        check_seats(len(words), game)
        self.variants = variants
        self.bot, *self.opponents = words
        self.entries: Sequence[NamedBot] = entries(
            [*variants.bots(self.bot), *self.opponents], game
        )
        count = len(variants.values)
        self._tested, others = self.entries[:count], self.entries[count:]
        self.lineups = tuple(Lineup((one, *others), moves_on=True) for one in self._tested)
        names = [entry.name for entry in others]
        self.rates = [WinRates([one.name, *names]) for one in self._tested]
        self._luck = _luck_against(others, game)
        self.needs_transcripts = self._luck is not None
        self.needs_luck = self._luck is None
        self.logs: Path | None = None
        self.seconds = 0.0
        self._results = [array("d") for _ in range(count)]
        self._seen: list[list[tuple[SeatedMatch]]] = [[] for _ in range(count)]
        """The matches by variant, each as a block of one; empty if `_luck` is None."""
        self._lucks: list[list[Sequence[float]]] = [[] for _ in range(count)]
        self._matches = 0

    def add(self, finished: BlockMatch) -> None:
        """Count a finished match."""
        variant = self._matches % len(self.rates)
        self._matches += 1
        self.rates[variant].add(finished)
        seat, placing = finished.contenders.index(0), finished.result.placing
        self._results[variant].append((placing[seat] == 1) / placing.count(1))
        if self._luck is not None:
            transcript = from_json(json.loads(finished.written or ""))
            self._seen[variant].append(((seat, transcript),))
        elif finished.luck is not None:
            self._lucks[variant].append([finished.luck.seats[seat]])

    def rate(self, variant: int) -> WinRate:
        """Return the results of a variant. Only after the first block."""
        name = self._tested[variant].name
        return next(one for one in self.rates[variant].table() if one.name == name)

    def difference(self, variant: int) -> "PairedDifference":
        """Return how much more of its matches a variant won than the first one."""
        from arena.rating.paired import paired_difference

        return paired_difference(*self._both(variant))

    def without_luck(self, variant: int) -> "AdjustedDifference | None":
        """Return the difference to the first one without luck; None if luck cannot be removed."""
        import numpy as np

        from arena.rating.paired import adjusted_difference, can_be_adjusted

        if not can_be_adjusted(*self._both(variant)):
            return None
        luck = np.hstack([self._luck_of(variant), self._luck_of(0)])
        return adjusted_difference(*self._both(variant), luck) if luck.any() else None

    def _luck_of(self, variant: int) -> "Sequence[Sequence[float]]":
        """Return the luck of a variant: for each of its matches one or several estimates."""
        if self._luck is not None and not self._lucks[variant]:
            with progress(len(self._seen[variant]), "Removing luck") as advance:
                found = self._luck.of_blocks(self._seen[variant], advance)
            self._lucks[variant] = found.tolist()
            self._seen[variant].clear()
        return self._lucks[variant]

    def summary(self, game: AnyGame, seed: str, control: TimeControl) -> dict[str, Any]:
        """Return the output of `--json`, without the folder of the logs."""
        return {
            "game": game.name,
            "options": game.options.changed(),
            "time_control": asdict(control),
            "bot": self.bot,
            "opponents": self.opponents,
            "setting": self.variants.setting,
            "matches": self.rates[0].matches,
            "seed": seed,
            "matches_per_second": round(self._matches / self.seconds, 1),
            "blocks": "seat" if any(entry.command for entry in self.entries) else "deal",
            "variants": [
                {"value": value, **win_rate_json(self.rate(number))}
                for number, value in enumerate(self.variants.values)
            ],
            "differences": [
                {
                    "value": value,
                    "to": self.variants.values[0],
                    **difference_json(self.difference(number)),
                    "without_luck": (known := self.without_luck(number)) and difference_json(known),
                }
                for number, value in enumerate(self.variants.values)
                if number
            ],
            "faults": [
                fault_json(game, *fault, rates.first[fault], times)
                for rates in self.rates
                for fault, times in rates.reasons.most_common()
            ],
        }

    def print(self, console: Terminal, game: AnyGame, summary: dict[str, Any]) -> None:
        """Print the table of the variants, their differences to the first, and faults."""
        print_variants(console, game, summary)

    def _both(self, variant: int) -> "tuple[FloatArray, FloatArray]":
        import numpy as np

        return np.array(self._results[variant]), np.array(self._results[0])


def _luck_against(opponents: Sequence[NamedBot], game: AnyGame) -> "MatchLuck | None":
    from arena.local.match_luck import luck_against

    return luck_against(opponents, game)
