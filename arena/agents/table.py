"""`AgentTable`: a seat that an agent plays, one match at a time, in words and JSON."""

import asyncio
import time
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from arena.errors import UserError
from arena.games.game import AnyGame
from arena.person.play_endpoint import PlayEndpoint, Wanted
from arena.person.seat import AnswerError, PersonSeat
from arena.showing.controls import CONTROLS
from arena.showing.scenes import SCENES

LONGEST_WAIT: Final = 50.0
"""The seconds that a wait may take; clients give up a call after a minute."""
MOST_ACTIONS: Final = 200
"""The number of legal actions that are listed; the schema of the game has the form of all."""


class TableError(UserError):
    """An error at the table; the message says what is possible."""


class AgentTable:
    """A table from its first match until the agent leaves.

    All methods but `leave` are called in the event loop; calls to the referee run in threads.
    """

    def __init__(self, endpoint: PlayEndpoint, instance: str, wanted: Wanted) -> None:
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._wanted = replace(wanted, instance=instance)
        self._session = endpoint.session(instance, (wanted.game,), self._wake)
        self.asked_at = time.monotonic()
        """The time of the agent's last request about the table."""
        self._told: list[Any] = []
        """The seat's list of messages; the agent was told the first `_said` of them."""
        self._said = 0
        self._refused = 0

    def _wake(self) -> None:
        self._loop.call_soon_threadsafe(self._news.set)

    async def sit_down(self) -> None:
        """Connect and ask for the first match. Raises ChallengeError."""
        try:
            await asyncio.to_thread(self._session.open)
            await self.play_again()
        except BaseException:
            self._session.leave()
            raise

    async def play_again(self) -> None:
        """Ask for a match. Raises ChallengeError, and TableError while one is played."""
        seat = self._session.seat
        if self._session.awaited or (seat is not None and not seat.over):
            raise TableError("A match is being played at this table; wait_for_turn tells of it.")
        await asyncio.to_thread(self._session.challenge, self._wanted)

    def leave(self) -> None:
        """Leave; a running match is forfeited."""
        self._session.leave()

    async def wait_for_turn(self, seconds: float) -> dict[str, Any]:
        """Wait until the seat is asked or its match is over, and return what it knows then."""
        self.asked_at = time.monotonic()
        try:
            async with asyncio.timeout(min(seconds, LONGEST_WAIT)):
                while not self._asked_or_over():
                    self._news.clear()
                    if not self._asked_or_over():
                        await self._news.wait()
        except TimeoutError:
            pass  # the returned state says so
        return self._state()

    async def act(self, turn_number: int, action: object, note: str = "") -> None:
        """Answer the open turn. Raises AnswerError, after which the turn is still open."""
        try:
            self._session.answer(turn_number, action, note)
        except AnswerError as error:
            turn = None if self._session.seat is None else self._session.seat.turn
            if turn is None:
                raise AnswerError(f"{error} wait_for_turn tells what is open.") from error
            raise AnswerError(
                f"{error} Turn {turn.number} is still open; its legal_actions say what is allowed."
            ) from error

    def _asked_or_over(self) -> bool:
        session = self._session
        seat = session.seat
        if session.lost or session.leaving or session.not_played:
            return True
        return not session.awaited and seat is not None and (seat.turn is not None or seat.over)

    def _state(self) -> dict[str, Any]:
        session = self._session
        with session.lock:
            if session.lost or session.not_played:
                return {"state": "no_match", "reason": session.lost or session.not_played}
            seat = session.seat
            if seat is not None and seat.called_off and seat.match is None:
                return {"state": "no_match", "reason": seat.called_off}
            if session.awaited or seat is None or seat.match is None:
                return {"state": "waiting", "for": session.awaited or "the match to begin"}
            return self._of(seat)

    def _of(self, seat: PersonSeat) -> dict[str, Any]:
        assert seat.match is not None
        game, names = seat.game, seat.names
        known: dict[str, Any] = {
            "state": "over" if seat.over else "waiting",
            "match": seat.match_id,
            "game": game.name,
            "your_seat": seat.match.seat,
            "seats": names,
            "happened": self._happened(seat, game, names),
            "refused": [f"{one.reason} {one.legal}" for one in seat.refusals[self._refused :]],
        }
        self._refused = len(seat.refusals)
        if seat.called_off:
            known["called_off"] = seat.called_off
        if seat.result is not None:
            known["places"] = dict(zip(names, seat.result.placing, strict=True))
        if seat.turn is not None:
            turn_ms, bank_ms = seat.turn.left_ms(self._session.now())
            legal = list(islice(game.choices(seat.turn.view), MOST_ACTIONS + 1))
            known |= {
                "state": "your_turn",
                "turn": seat.turn.number,
                "question": CONTROLS[game.name].question(seat.turn.view, names),
                "view": game.view_notation.to_json(seat.turn.view),
                "legal_actions": [game.notation.to_json(one) for one in legal[:MOST_ACTIONS]],
                "more_legal_actions": len(legal) > MOST_ACTIONS,
                "seconds_left": turn_ms / 1000,
                "bank_seconds_left": bank_ms / 1000,
            }
        return known

    def _happened(self, seat: PersonSeat, game: AnyGame, names: list[str]) -> list[str]:
        """Return the events since the last report, in words."""
        if self._told is not seat.heard:
            self._told, self._said, self._refused = seat.heard, 0, 0
        new = self._told[self._said :]
        self._said = len(self._told)
        scene = SCENES[game.name]
        return [scene.tell(event, names) for heard in new for event in heard.events]
