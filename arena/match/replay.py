"""The replay of a transcript from its recorded steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.games.game import DEALER, Actor, AnyGame, IllegalActionError
from arena.match.transcript import Step, Transcript


class TranscriptError(ValueError):
    """A transcript contradicts the rules or itself; the message names the first place."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A moment of a match: the state after `step` (None before the first) and its public events."""

    index: int
    """The number of steps played so far."""
    step: Step | None
    state: Any
    events: tuple[Any, ...]
    before: Any = None
    """The state before the step; None before the first."""


def replay(transcript: Transcript) -> Iterator[Frame]:
    """Yield the states of a match in order. Raises TranscriptError at the first impossible step."""
    game = transcript.setup.make_game()
    state = start(game, transcript)
    yield Frame(0, None, state, ())
    for index, step in enumerate(transcript.steps, start=1):
        before, state = state, advance(game, state, index, step)
        events = game.events(before, step.actor, step.action, state)
        yield Frame(index, step, state, events, before)


def start(game: AnyGame, transcript: Transcript) -> Any:
    """Return the state before the first step. Raises TranscriptError."""
    try:
        return game.start(len(transcript.setup.entrants))
    except ValueError as error:
        raise TranscriptError(str(error)) from error


def advance(game: AnyGame, state: Any, index: int, step: Step) -> Any:
    """Return the state after step `index`. Raises TranscriptError if the step is impossible."""
    to_act = game.to_act(state)
    if to_act == ():
        raise TranscriptError(f"step {index}: the match is over already")
    expected = to_act if to_act is DEALER else to_act[0]
    if step.actor != expected:
        raise TranscriptError(f"step {index}: {name(step.actor)} acts instead of {name(expected)}")
    try:
        return game.apply(state, step.actor, step.action)
    except IllegalActionError as error:
        raise TranscriptError(f"step {index}: {error}") from error


def name(actor: Actor) -> str:
    """Return an actor as text."""
    return "the dealer" if actor is DEALER else f"seat {actor}"
