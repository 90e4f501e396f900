"""Moments of a match as HTML and in words; a module per game.

A scene renders what it is given, the views of whoever looks and the events that everybody learnt,
and nothing else reaches it. All functions are pure.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from arena.match.transcript import Step
from arena_dashboard.markup import Html
from arena_dashboard.scenes import bloeff, bluff, bluff_you
from arena_dashboard.watching import Moment


class Scene(Protocol):
    """The functions of a game's module. `names` are the bots' names by seat."""

    @property
    def QUIET(self) -> str:  # noqa: N802  a constant of the module
        """The text for a step that changed what everybody sees, but has no event."""

    def render(self, moment: Moment, names: Sequence[str]) -> Html:
        """The table."""

    def tell(self, event: Any, names: Sequence[str]) -> str:
        """An event in words."""

    def reveal(self, step: Step, names: Sequence[str]) -> str | None:
        """What a step that the viewpoint may see in full shows beyond its events."""


SCENES: Final[Mapping[str, Scene]] = {"bluff": bluff, "bluff_you": bluff_you, "bloeff": bloeff}


def luck_in_words(luck: Sequence[float], names: Sequence[str]) -> str:
    """The luck of each seat in words, in expected points."""
    told = [f"{points:+.2f}".replace("-", "−") for points in luck]
    return ", ".join(f"{name} {points}" for name, points in zip(names, told, strict=True))


def sentences(moment: Moment, game: str, names: Sequence[str]) -> list[str]:
    """What happened, in words."""
    scene = SCENES[game]
    secret = None if moment.own is None else scene.reveal(moment.own, names)
    said = [] if secret is None else [secret]
    said += [scene.tell(event, names) for event in moment.events]
    if moment.own is not None:
        if moment.fault is not None:
            who = names[moment.own.actor] if isinstance(moment.own.actor, int) else "The dealer"
            said.append(f"{who} was at fault ({moment.fault.value}): the default action is played.")
        elif moment.own.stand_in and isinstance(moment.own.actor, int):
            said.append(f"{names[moment.own.actor]} has forfeited: the default action is played.")
    if moment.luck is not None and any(moment.luck):
        said.append(f"Luck: {luck_in_words(moment.luck, names)}.")
    if not said:
        said.append(scene.QUIET if moment.step else "The seats are taken.")
    return said
