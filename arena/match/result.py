"""The result of a match."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from arena.games.game import AnyGame
from arena.match.faults import FaultCount


class Termination(Enum):
    """The reason why a match ended."""

    FINISHED = "finished"
    """The game ended by its rules. Seats may have forfeited before."""
    FORFEIT = "forfeit"
    """The match ended at once, because at most one seat had not forfeited."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a match; all tuples are by seat.

    `scores` is None when the game did not reach its end (termination FORFEIT).
    """

    placing: tuple[int, ...]
    scores: tuple[int, ...] | None
    termination: Termination
    faults: tuple[int, ...]
    forfeited: tuple[bool, ...]

    @property
    def decided_by_faults(self) -> bool:
        """Whether some seat's place was decided by its faults instead of the game."""
        return any(self.forfeited)


def result_of(game: AnyGame, state: Any, faults: FaultCount, termination: Termination) -> Result:
    """Return the result of a match that ended in a state.

    Without an end by the rules, the seats that have not forfeited share the first place.
    """
    forfeited = tuple(faults.forfeited)
    placing: Sequence[int] = (1,) * len(forfeited)
    scores: tuple[int, ...] | None = None
    if termination is Termination.FINISHED:
        placing, scores = game.placing(state), game.scores(state)
    return Result(
        place_with_forfeits(placing, forfeited),
        scores,
        termination,
        tuple(faults.faults),
        forfeited,
    )


def place_with_forfeits(placing: Sequence[int], forfeited: Sequence[bool]) -> tuple[int, ...]:
    """Return `placing` with forfeited seats moved to a shared last place.

    The others keep their order: rank = 1 + the number of seats strictly better. When every seat
    forfeited, all share the first place.
    """
    keys = [
        (out, rank) if not out else (True, 0) for rank, out in zip(placing, forfeited, strict=True)
    ]
    ordered = sorted(keys)
    return tuple([1 + ordered.index(key) for key in keys])


def shared_places(placing: Sequence[int]) -> tuple[float, ...]:
    """Return the places by seat: tied seats each get the mean of the places that they share.

    Their sum is the same in all matches with this number of seats, tied or not.
    """
    return tuple(
        sum(other < rank for other in placing) + (placing.count(rank) + 1) / 2 for rank in placing
    )
