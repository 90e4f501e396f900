"""`LadderId`, the key by which a ladder is stored and requested."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.score_rule import ScoreRule


@dataclass(frozen=True, slots=True)
class LadderId:
    """The key of a ladder.

    It holds the game, the non-default options as JSON, the numbers of seats, the score rule and the
    time control.
    """

    game: str
    options: str
    seats: tuple[int, ...]
    score: ScoreRule = ScoreRule.PLACEMENT
    time_control: TimeControl = DEFAULT_TIME_CONTROL

    @classmethod
    def of(
        cls,
        game: str,
        options: Mapping[str, Any],
        sizes: Iterable[int],
        score: ScoreRule = ScoreRule.PLACEMENT,
        time_control: TimeControl = DEFAULT_TIME_CONTROL,
    ) -> "LadderId":
        """Return the key for the options that differ from the defaults, given as values."""
        changed = json.dumps(dict(options), sort_keys=True)
        return cls(game, changed, tuple(sizes), score, time_control)

    @property
    def option_values(self) -> dict[str, Any]:
        """The options as values."""
        values: dict[str, Any] = json.loads(self.options)
        return values

    @property
    def sizes(self) -> range:
        """The numbers of seats as a range."""
        return range(self.seats[0], self.seats[-1] + 1)
