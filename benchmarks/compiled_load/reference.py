"""A match by the Python rules, as a referee plays it and writes its turns."""

from typing import Any

from arena.codec.turns import WrittenEvents, turn_part
from arena.games.bluff import BluffView
from arena.match.flow import MatchFlow, MatchRecord, OpenTurn, TimedAction
from arena.match.transcript import Step
from arena.randomness import KeyedRandomness
from benchmarks.compiled_load.terms import Terms

Left = tuple[
    tuple[Step, ...],
    list[bytes],
    list[int],
    float,
    tuple[int, ...] | None,
    tuple[int, ...] | None,
]
"""The type that `Matches.leave` returns."""


class ReferenceMatch:
    """The match against which a compiled one is compared."""

    def __init__(self, terms: Terms, now: float) -> None:
        self.terms = terms
        self.record: MatchRecord | None = None
        """None until the match is over."""
        self._flow = MatchFlow(
            terms.setup.make_game(),
            terms.seats,
            KeyedRandomness(terms.key),
            terms.setup.fault_limit,
        )
        self._steps = self._flow.conduct()
        self._written = WrittenEvents("bluff")
        self._asked_at = now
        self.turn: OpenTurn = next(self._steps).turns[0]

    @property
    def view(self) -> BluffView:
        """The view of the seat on turn."""
        view: BluffView = self.turn.view
        return view

    def turn_part(self) -> bytes:
        """Return the open turn as it is encoded in a PlayResponse."""
        control = self.terms.setup.time_control
        return turn_part(
            self.terms.setup, self.turn, control.turn_ms, control.bank_ms, self._written
        )

    def play(self, action: Any, now: float) -> int:
        """Play an answer to the open turn. Return how many milliseconds it took."""
        milliseconds = int((now - self._asked_at) * 1000)
        try:
            self.turn = self._steps.send([TimedAction(action, milliseconds)]).turns[0]
            self._asked_at = now
        except StopIteration as stop:
            self.record = stop.value
        return milliseconds

    def left(self) -> Left:
        """Return what `Matches.leave` returns for the same match."""
        flow, record = self._flow, self.record
        events = self._written.after(record.events if record else self.turn.events, 0)
        return (
            # The flow's private state is read only for this comparison.
            tuple(flow._steps),
            events,
            flow._seen,
            self._asked_at,
            record.result.placing if record else None,
            record.result.scores if record else None,
        )
