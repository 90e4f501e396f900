"""`Scene`: moments of a match as data for the player and in words; a kit's module `scene`.

A scene gets the views of whoever looks and the events that everybody learnt, and nothing else
reaches it. All functions are pure.
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
        """The text for a step that changed what everybody sees, but has no event."""

    @property
    def UNIT(self) -> str:  # noqa: N802
        """What `standing` counts."""

    @property
    def SCORE(self) -> str:  # noqa: N802
        """What a score of the result counts."""

    @property
    def ROUND(self) -> str:  # noqa: N802
        """What the game calls a round."""

    def table(self, moment: Moment, before: Moment | None) -> dict[str, Any]:
        """Return the table as JSON, in the form that the game's module of the player draws."""

    def standing(self, view: Any) -> Sequence[int]:
        """Return what each seat has."""

    def round_started(self, event: Any) -> int | None:
        """Return the number of the round that an event starts, if it starts one."""

    def claimed(
        self, moment: Moment, before: Moment | None, after: Moment | None, rules: Options
    ) -> ShownClaim | None:
        """Return the claim made in a moment, between the moments `before` and `after`."""

    def outcome(self, moment: Moment, before: Moment | None) -> ClaimOutcome | None:
        """How the standing claim ends in this moment; None if it does not."""

    def tell(self, event: Any, names: Sequence[str]) -> str:
        """Return an event in words."""

    def reveal(self, step: Step, names: Sequence[str]) -> str | None:
        """Return what a step that the viewpoint may see in full shows beyond its events."""


SCENES: Final = ByGame[Scene](lambda kit: cast("Scene", kit.part("scene") or plain_scene))
"""Scenes by game."""


def sentences(moment: Moment, game: str, names: Sequence[str]) -> list[str]:
    """Return what happened, in words."""
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
