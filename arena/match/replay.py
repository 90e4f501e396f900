"""Playing a transcript again, from its facts alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.games.game import DEALER, AnyGame, IllegalActionError
from arena.match.faults import FaultCount
from arena.match.result import Result, Termination, place_with_forfeits
from arena.match.transcript import Step, Transcript


class TranscriptError(ValueError):
    """A transcript that contradicts the rules or itself; the message names the first place."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A moment of a match: the state after `step` (None before the first) and what all learned."""

    index: int
    """How many steps were played before this state."""
    step: Step | None
    state: Any
    events: tuple[Any, ...]


def replay(transcript: Transcript) -> Iterator[Frame]:
    """The states of a match in order. Raises TranscriptError at the first impossible step."""
    game = transcript.setup.make_game()
    state = _start(transcript, game)
    yield Frame(0, None, state, ())
    for index, step in enumerate(transcript.steps, start=1):
        _check_turn(game, state, index, step)
        before = state
        try:
            state = game.apply(before, step.actor, step.action)
        except IllegalActionError as error:
            raise TranscriptError(f"step {index}: {error}") from error
        yield Frame(index, step, state, game.events(before, step.actor, step.action, state))


def referee(transcript: Transcript) -> Result:
    """The result that the steps lead to, by the rules and the policy of faults.

    Raises TranscriptError. The caller compares it with the recorded result.
    """
    game = transcript.setup.make_game()
    faults = FaultCount(len(transcript.setup.entrants), transcript.setup.fault_limit)
    state: Any = None
    asked = 0
    for frame in replay(transcript):
        if frame.step is not None:
            if asked == 0:
                # Seats asked at the same moment all answer before a forfeit ends the match.
                if faults.decided:
                    raise TranscriptError(f"step {frame.index}: forfeits had ended the match")
                to_act = game.to_act(state)
                asked = 1 if to_act is DEALER else len(to_act)
            asked -= 1
            _check_stand_in(game, state, frame.index, frame.step, faults)
        state = frame.state
    if game.to_act(state) == ():
        termination = Termination.FINISHED
        placing, scores = game.placing(state), game.scores(state)
    elif faults.decided:
        termination = Termination.FORFEIT
        placing, scores = (1,) * len(transcript.setup.entrants), None
    else:
        raise TranscriptError(f"the match is not over after step {len(transcript.steps)}")
    return Result(
        place_with_forfeits(placing, faults.forfeited),
        scores,
        termination,
        tuple(faults.faults),
        tuple(faults.forfeited),
    )


def _start(transcript: Transcript, game: AnyGame) -> Any:
    try:
        return game.start(len(transcript.setup.entrants))
    except ValueError as error:
        raise TranscriptError(str(error)) from error


def _check_turn(game: AnyGame, state: Any, index: int, step: Step) -> None:
    to_act = game.to_act(state)
    if to_act == ():
        raise TranscriptError(f"step {index}: the match is over already")
    expected = to_act if to_act is DEALER else to_act[0]
    if step.actor != expected:
        raise TranscriptError(
            f"step {index}: {_name(step.actor)} acts instead of {_name(expected)}"
        )


def _check_stand_in(game: AnyGame, before: Any, index: int, step: Step, faults: FaultCount) -> None:
    if step.actor is DEALER:
        if step.fault is not None or step.stand_in:
            raise TranscriptError(f"step {index}: the dealer cannot be at fault")
        return
    if step.stand_in != faults.forfeited[step.actor]:
        raise TranscriptError(
            f"step {index}: {_name(step.actor)} "
            + ("has not forfeited" if step.stand_in else "has forfeited and cannot act")
        )
    if (step.stand_in or step.fault is not None) and step.action != game.default_action(
        before, step.actor
    ):
        raise TranscriptError(f"step {index}: not the default action of {_name(step.actor)}")
    if step.fault is not None:
        faults.record(step.actor, step.fault)


def _name(actor: object) -> str:
    return "the dealer" if actor is DEALER else f"seat {actor}"
