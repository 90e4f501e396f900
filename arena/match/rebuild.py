"""A match played again from its kept replies: where it stands, as if it had never stopped.

The flow does the rest: with the same randomness, equal replies give equal draws, turns, faults and
forfeits. A seat's replies are used up in the order of its turns, so they need no turn numbers.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from arena.match.flow import Ask, Flow, MatchRecord, Refused, Reply


@dataclass(slots=True)
class Rebuilt:
    """Where a match stands. Either its open question is there or its end."""

    ask: Ask | None = None
    given: dict[int, Reply] = field(default_factory=dict)
    """Replies to the open question by seat, of those seats that have given theirs."""
    record: MatchRecord | None = None
    refused: list[Refused] = field(default_factory=list)
    """All refusals before those that come with the open question or the record."""


def rebuild(flow: Flow, replies: Iterable[tuple[int, Reply]]) -> Rebuilt:
    """Play a new flow up to the first turn for which there is no reply.

    `replies` are (seat, reply) in the order in which each seat gave them. More than one match can
    take, or of seats that are never asked, are left over: raises ValueError.
    """
    waiting: dict[int, deque[Reply]] = {}
    for seat, reply in replies:
        waiting.setdefault(seat, deque()).append(reply)
    rebuilt = Rebuilt()
    try:
        ask = next(flow)
        while True:
            given = {
                turn.seat: waiting[turn.seat].popleft()
                for turn in ask.turns
                if waiting.get(turn.seat)
            }
            if len(given) < len(ask.turns):
                rebuilt.ask, rebuilt.given = ask, given
                break
            rebuilt.refused += ask.refused
            ask = flow.send([given[turn.seat] for turn in ask.turns])
    except StopIteration as stop:
        rebuilt.record = stop.value
    left = sum(map(len, waiting.values()))
    if left:
        raise ValueError(f"{left} replies belong to no turn of this match")
    return rebuilt
