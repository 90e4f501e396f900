"""`Story`, all that a person has been shown of a match: frames of the player, and sentences.

It grows with the messages to the seat; no message is processed twice.
"""

from dataclasses import replace
from typing import Any, Final

from arena.games.game import AnyGame
from arena.person.seat import Heard, PersonSeat
from arena.showing.claims import ShownClaim
from arena.showing.scenes import SCENES, Scene
from arena.showing.seen import SEEN
from arena_dashboard.playing.reveals import Shown, shown
from arena_dashboard.reading.frames import claim_json

RECALLED: Final = 40
"""The most frames that are sent to a reloaded page."""


class Story:
    """What the person at a seat has been shown so far of a match that has begun."""

    def __init__(self, seat: PersonSeat) -> None:
        assert seat.match is not None
        self.seat = seat
        self.names = seat.names
        self.frames: list[dict[str, Any]] = []
        self.log: list[tuple[int, str]] = []
        """Pairs of a round's number and a sentence, oldest first."""
        self._game = seat.game
        self._scene = SCENES[seat.game.name]
        self._heard = seat.heard
        self._told = 0
        """The number of messages of `_heard` that are in the story."""
        self._round = 0
        self._own: Any = None
        """The seat's view of its last turn."""
        self._view: Any = None
        self._turns = [0]
        """The number of frames before each turn of the seat."""

    def fits(self, seat: PersonSeat) -> bool:
        """Return whether it is the story of this seat and of the seat's current messages."""
        return self.seat is seat and self._heard is seat.heard

    def go_on(self) -> None:
        """Add the messages that have arrived since the last call."""
        for heard in self._heard[self._told :]:
            self._hear(heard)
        self._told = len(self._heard)

    @property
    def recent(self) -> int:
        """The index of the first frame for a reloaded page: since the turn before the last."""
        return max(self._turns[-2:][0], len(self.frames) - RECALLED)

    def _hear(self, heard: Heard) -> None:
        view, own = heard.view, heard.view is not None and heard.view.seat is not None
        if view is not None and not own and self._own is not None:
            view = SEEN[self._game.name].between(view, self._own, heard.played)
        if own and not heard.events and self.frames and not self.frames[-1]["marks"]:
            # All events are in the story already: the seat's own view replaces the last frame.
            (now,) = shown((), view, self._view, self._game)
            told = self.frames.pop()["told"]
            self.frames.append(frame(now, self._scene, self._game, self._round, told))
        else:
            # At the end of a match the last showdown stays on the table, unless more happened.
            ended = self.seat.result is not None and heard is self._heard[-1]
            for one in shown(heard.events, view, self._view, self._game):
                if one.told or (own and not ended):
                    self._show(one)
        if own:
            self._own = view
            self._turns.append(len(self.frames))
        self._view = view if view is not None else self._view

    def _show(self, one: Shown) -> None:
        told = []
        for event in one.told:
            self._round = self._scene.round_started(event) or self._round
            told.append(self._scene.tell(event, self.names))
            self.log.append((self._round, told[-1]))
        self.frames.append(frame(one, self._scene, self._game, self._round, told))


def frame(one: Shown, scene: Scene, game: AnyGame, number: int, told: list[str]) -> dict[str, Any]:
    """Return a frame in the form that the player draws; see `types.js`."""
    claim: ShownClaim | None = None
    if one.claim is not None:
        claim = scene.claimed(one.claim, None, None, game.options)
    outcome = scene.outcome(one.moment, one.before) if one.moment.events else None
    if claim is not None:
        # The claim's chances are hidden: the person must work them out.
        claim = replace(claim, chances=(None,))
        if outcome is not None:
            claim = replace(claim, truth=outcome.truth, verdict=outcome.verdict)
    return {
        "step": 0,
        "round": number,
        "told": told,
        "marks": [] if outcome is None else [mark.value for mark in outcome.marks],
        "claim": None if claim is None else claim_json(claim),
        "standing": list(scene.standing(one.moment.views[0])),
        "luck": [],
        "table": scene.table(one.moment, one.before),
    }
