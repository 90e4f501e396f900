"""The content of one message to a seat, as moments to be shown one after the other.

A message has the current view, and the events since the last message. Whatever was revealed in
between (a showdown, a reveal, a doubt) gets a moment of its own, so that a person sees it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.games.game import AnyGame
from arena.showing.moments import Moment, moment_of
from arena.showing.seen import SEEN


@dataclass(frozen=True, slots=True)
class Shown:
    """A moment to show, and the moment of the claim that stands in it or is resolved by it."""

    moment: Moment
    before: Moment | None
    claim: Moment | None
    told: tuple[Any, ...]
    """The events after the previous moment, up to this one."""


def shown(
    events: tuple[Any, ...], view: Any | None, before: Any | None, game: AnyGame
) -> Iterator[Shown]:
    """Yield the moments of a message with these events.

    `view` is the view in the message, if any, and `before` the view known before it.
    """
    seen, options = SEEN[game.name], game.options
    current = before if before is not None else view
    if current is None:
        return
    told: list[Any] = []
    for event in events:
        told.append(event)
        current = seen.after(current, event, options)
        opened = seen.opened(event, current)
        if opened is not None:
            claim, ahead = opened
            yield Shown(moment_of(current, event), moment_of(ahead), claim, tuple(told))
            told.clear()
    if view is not None:
        yield Shown(moment_of(view), None, seen.standing(view), tuple(told))
    elif told:
        yield Shown(moment_of(current), None, None, tuple(told))
