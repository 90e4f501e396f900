"""Rebuilding an interrupted match: a new flow is played again with the stored replies.

With the same randomness, equal replies give equal draws, turns, faults and forfeits, so the match
continues as if it had never stopped. A seat's replies are consumed in the order of its turns, so
they need no turn numbers.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from arena.match.flow import Ask, Flow, MatchRecord, Refused, Reply


@dataclass(slots=True)
class Rebuilt:
    """The position of a rebuilt match: either `ask` or `record` is set."""

    ask: Ask | None = None
    given: dict[int, Reply] = field(default_factory=dict)
    """The replies to `ask` that are already given, by seat."""
    record: MatchRecord | None = None
    refused: list[Refused] = field(default_factory=list)
    """All refusals before those in `ask` or `record`."""


def rebuild(flow: Flow, replies: Iterable[tuple[int, Reply]]) -> Rebuilt:
    """Play a new flow up to the first turn for which there is no reply.

    `replies` are (seat, reply) in the order in which each seat gave them. Raises ValueError if
    replies are left over: too many, or from seats that are not asked.
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
