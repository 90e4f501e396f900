"""`Moment`: a match after a step, as one viewpoint saw it.

A moment holds only the game's own view of the viewpoint's seat and the public events, so that it
contains no secrets to remove.
"""

from dataclasses import dataclass
from typing import Any

from arena.lab.analysis import AnalysedDecision
from arena.match.faults import FaultKind
from arena.match.transcript import Step


@dataclass(frozen=True, slots=True)
class Moment:
    """The match after a step that showed the viewpoint something."""

    step: int
    """The number of steps of the transcript that had been played."""
    views: tuple[Any, ...]
    """The game's views: the viewpoint's one, or for EVERYTHING those of all seats in order."""
    events: tuple[Any, ...]
    """The public events of the step."""
    own: Step | None
    """The step itself, if the viewpoint is the seat that took it, or EVERYTHING."""
    luck: tuple[float, ...] | None = None
    """The luck of a draw, by seat, in expected points. Only for EVERYTHING, because it reveals all
    hands; None if the game's table gives the draw no value."""
    decision: AnalysedDecision | None = None
    """The analysis of the step, if there is one and the viewpoint sees the step itself; it reveals
    the seat's hand.
    """

    @property
    def fault(self) -> FaultKind | None:
        """The fault because of which the default action was played, if any."""
        return None if self.own is None else self.own.fault


def moment_of(view: Any, *events: Any) -> Moment:
    """Return a moment of one view, outside any transcript."""
    return Moment(0, (view,), events, None)
