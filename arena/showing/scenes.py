"""`Scene`: moments of a match as data for the player and in words; a kit's module `scene`.

A scene gets only the views of the viewpoint and the public events. All functions are pure.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol, cast, runtime_checkable

from arena.games.by_game import ByGame
from arena.games.game import Options
from arena.match.transcript import Step
from arena.showing import plain_scene
from arena.showing.claims import ClaimOutcome, ShownClaim
from arena.showing.moments import Moment


@runtime_checkable
class Scene(Protocol):
    """The functions of a game's module. `names` are the bots' names by seat."""

    @property
    def QUIET(self) -> str:  # noqa: N802  a constant of the module
        """The text for a step that changed the public state, but has no event."""

    @property
    def UNIT(self) -> str:  # noqa: N802
        """The unit of `standing`."""

    @property
    def SCORE(self) -> str:  # noqa: N802
        """The unit of a score of the result."""

    @property
    def ROUND(self) -> str:  # noqa: N802
        """The game's word for a round."""

    def table(self, moment: Moment, before: Moment | None) -> dict[str, Any]:
        """Return the table as JSON, in the form that the game's module of the player draws."""

    def standing(self, view: Any) -> Sequence[int]:
        """Return what each seat has, in units of `UNIT`."""

    def round_started(self, event: Any) -> int | None:
        """Return the number of the round that an event starts, or None if it starts none."""

    def claimed(
        self, moment: Moment, before: Moment | None, after: Moment | None, rules: Options
    ) -> ShownClaim | None:
        """Return the claim made in a moment, between the moments `before` and `after`, or None."""

    def outcome(self, moment: Moment, before: Moment | None) -> ClaimOutcome | None:
        """Return the outcome of the claim that ends in this moment; None if none does."""

    def tell(self, event: Any, names: Sequence[str]) -> str:
        """Return an event in words."""

    def reveal(self, step: Step, names: Sequence[str]) -> str | None:
        """Return what a fully visible step shows beyond its events, or None."""


SCENES: Final = ByGame[Scene](lambda kit: cast("Scene", kit.part("scene") or plain_scene))
"""Scenes by game."""


def sentences(moment: Moment, game: str, names: Sequence[str]) -> list[str]:
    """Return the moment's events in words, with secrets and faults that the viewpoint may see."""
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
    if not said:
        said.append(scene.QUIET if moment.step else "The seats are taken.")
    return said
