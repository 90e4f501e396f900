"""A session as the JSON that the browser draws: only what the seat may know."""

import time
from typing import Any, Final
from urllib.parse import urlencode

from arena.person.seat import PersonSeat
from arena.person.session import PersonSession
from arena.showing.controls import CONTROLS
from arena.showing.scenes import SCENES
from arena_dashboard.playing.controls import controls
from arena_dashboard.playing.story import Story

LOGGED: Final = 400
"""The most sentences of a match's log that are sent to a reloaded page: the newest."""


class Pictures:
    """The updates for one open page of a session; each has only what the page does not have yet."""

    def __init__(self, session: PersonSession) -> None:
        self._session = session
        self._story: Story | None = None
        self._frames = 0
        self._log = 0

    def next(self) -> dict[str, Any]:
        """Return the next update for the page; `person_types.js` describes its form."""
        session = self._session
        with session.lock:
            seat = session.seat
            if session.lost:
                return {"phase": "lost", "notice": session.lost}
            if session.awaited:
                return {"phase": "waiting", "notice": _waiting(session.awaited)}
            if session.not_played:
                return {"phase": "off", "notice": _sentence(session.not_played)}
            if seat is not None and seat.called_off:
                return {"phase": "off", "notice": _sentence(seat.called_off)}
            if seat is None or seat.match is None:
                return {"phase": "waiting", "notice": "Waiting for all to join: some seconds…"}
            return self._match(seat)

    def _match(self, seat: PersonSeat) -> dict[str, Any]:
        story = self._story
        anew = story is None or not story.fits(seat)
        if story is None or anew:
            story = self._story = Story(seat)
        story.go_on()
        if anew:
            self._frames, self._log = story.recent, max(0, len(story.log) - LOGGED)
        told = {
            **_state(seat, story),
            "first": self._frames,
            "frames": story.frames[self._frames :],
            "firstLogged": self._log,
            "log": story.log[self._log :],
        }
        # The newest frame may be replaced later, so it is sent again.
        self._frames, self._log = max(0, len(story.frames) - 1), len(story.log)
        return told


def _state(seat: PersonSeat, story: Story) -> dict[str, Any]:
    assert seat.match is not None
    game, names = seat.game, story.names
    scene = SCENES[game.name]
    turn, result = seat.turn, seat.result
    return {
        "phase": "over" if result is not None else "playing",
        "notice": "",
        "match": {
            "match": seat.match_id,
            "game": game.name,
            "title": game.title,
            "view": str(seat.match.seat),
            "names": names,
            "unit": scene.UNIT,
            "roundWord": scene.ROUND,
        },
        "faults": [
            f"{_sentence(refusal.reason)} {refusal.legal}".strip() for refusal in seat.refusals
        ],
        "faultLimit": seat.match.fault_limit,
        "turn": None
        if turn is None
        else {
            "number": turn.number,
            "left": list(turn.left_ms(time.monotonic())),
            "question": CONTROLS[game.name].question(turn.view, names),
            "choices": controls(game, turn.view, names),
        },
        "result": None
        if result is None
        else {
            "placing": list(result.placing),
            "scores": list(result.scores or ()),
            "scoreUnit": scene.SCORE,
            "forfeited": list(result.forfeited),
            "replay": replay_of(seat.match_id),
        },
    }


def replay_of(match_id: str) -> str:
    """Return the address of the replay of a match with everything revealed."""
    return "replay?" + urlencode({"match": match_id, "view": "everything"})


def _waiting(bots: str) -> str:
    return (
        f"Waiting until {bots} can play: some seconds, or until the end of another match if a bot "
        "already plays as many as it can. Then your match begins by itself."
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."
