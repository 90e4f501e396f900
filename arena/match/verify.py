"""Verification of a finished match: its draws, its steps and its result."""

from typing import Any

from arena.games.game import DEALER
from arena.match.faults import FaultCount
from arena.match.json_text import difference
from arena.match.replay import TranscriptError, advance, name, start
from arena.match.result import Result, Termination, result_of
from arena.match.transcript import Step, Transcript
from arena.match.transcript_json import result_to_json
from arena.randomness import (
    MAX_ENTROPY_BYTES,
    MIN_ENTROPY_BYTES,
    SECRET_BYTES,
    KeyedRandomness,
    commitment,
    match_key,
)
from arena.validation_errors import json_excerpt, path_text


def verify(transcript: Transcript) -> None:
    """Recompute every draw from the opening and referee the match again.

    Raises TranscriptError naming the first difference: in the opening, in a step, in the result.
    """
    _check_opening(transcript)
    result = _Referee(transcript).result()
    found = difference(result_to_json(transcript.result), result_to_json(result))
    if found is not None:
        path, recorded, actual = found
        raise TranscriptError(
            f"{path_text(('result', *path))} is {_value_text(recorded)}, "
            f"but the steps give {_value_text(actual)}"
        )


def _check_opening(transcript: Transcript) -> None:
    setup, opening = transcript.setup, transcript.opening
    if len(opening.secret) != SECRET_BYTES or commitment(opening.secret) != transcript.commitment:
        raise TranscriptError("the opened secret does not match the commitment")
    if len(opening.entropies) != len(setup.entrants):
        raise TranscriptError("there is not one entropy for each seat")
    for seat, entropy in enumerate(opening.entropies):
        if not MIN_ENTROPY_BYTES <= len(entropy) <= MAX_ENTROPY_BYTES:
            raise TranscriptError(f"the entropy of seat {seat} has {len(entropy)} bytes")


def _value_text(at: tuple[Any] | None) -> str:
    return "nothing" if at is None else json_excerpt(at[0])


class _Referee:
    """A check of all steps against the rules, the opening and the fault policy."""

    def __init__(self, transcript: Transcript) -> None:
        setup, opening = transcript.setup, transcript.opening
        self._transcript = transcript
        self._game = setup.make_game()
        self._faults = FaultCount(len(setup.entrants), setup.fault_limit)
        key = match_key(opening.secret, setup.keyed_by, opening.entropies)
        self._randomness = KeyedRandomness(key)
        self._asked = 0
        """The number of seats that were asked simultaneously and have not acted yet."""

    def result(self) -> Result:
        """Return the result that the steps lead to. Raises TranscriptError."""
        state = start(self._game, self._transcript)
        for index, step in enumerate(self._transcript.steps, start=1):
            before, state = state, advance(self._game, state, index, step)
            if step.actor is DEALER:
                self._check_draw(before, index, step)
            else:
                self._check_answer(before, index, step, step.actor)
        return self._end(state)

    def _check_draw(self, before: Any, index: int, step: Step) -> None:
        if step.fault is not None or step.stand_in or step.milliseconds:
            raise TranscriptError(f"step {index}: the dealer has no clock and no faults")
        self._check_going_on(index)
        expected = self._game.draw(before, self._randomness)
        if step.action != expected:
            notation = self._game.notation
            found = difference(notation.to_json(step.action), notation.to_json(expected))
            assert found is not None
            path, drawn, due = found
            raise TranscriptError(
                f"step {index}: the dealer drew {_value_text(drawn)} at "
                f"{path_text(('action', *path))}, "
                f"but the opening gives {_value_text(due)}"
            )

    def _check_answer(self, before: Any, index: int, step: Step, seat: int) -> None:
        if self._asked == 0:
            self._check_going_on(index)
            self._asked = len(self._game.to_act(before))  # type: ignore[arg-type]
        self._asked -= 1
        if step.stand_in != self._faults.forfeited[seat]:
            raise TranscriptError(
                f"step {index}: {name(seat)} "
                + ("has not forfeited" if step.stand_in else "has forfeited and cannot act")
            )
        if step.stand_in and (step.fault is not None or step.milliseconds):
            raise TranscriptError(f"step {index}: a stand-in has no clock and no faults")
        at_fault = step.stand_in or step.fault is not None
        if at_fault and step.action != self._game.default_action(before, seat):
            raise TranscriptError(f"step {index}: not the default action of {name(seat)}")
        if step.fault is not None:
            self._faults.record(seat, step.fault)

    def _check_going_on(self, index: int) -> None:
        # Seats asked at the same moment all answer before a forfeit ends the match.
        if self._faults.decided:
            raise TranscriptError(f"step {index}: forfeits had ended the match")

    def _end(self, state: Any) -> Result:
        if self._game.to_act(state) == ():
            termination = Termination.FINISHED
        elif self._faults.decided:
            termination = Termination.FORFEIT
        else:
            steps = len(self._transcript.steps)
            raise TranscriptError(f"the match is not over after step {steps}")
        return result_of(self._game, state, self._faults, termination)
