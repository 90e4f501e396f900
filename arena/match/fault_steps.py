"""The faults in a transcript: what the seat saw, what was legal, and what was played instead."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.games.game import DEALER
from arena.match.faults import FaultKind
from arena.match.replay import advance, start
from arena.match.transcript import Transcript


@dataclass(frozen=True, slots=True)
class FaultStep:
    """A fault; the action and the view are JSON objects, as in transcripts and docs/stdio.md."""

    seat: int
    turn: int
    """The number of the turn in the match, from 1, over all seats."""
    step: int
    """The step of the transcript in which the default action was played, from 1."""
    kind: FaultKind
    view: Mapping[str, Any]
    legal: str
    played: Mapping[str, Any]


def turns_by_step(transcript: Transcript) -> dict[int, int]:
    """Return the turn numbers by step, for steps that a seat was asked for; both count from 1."""
    steps = enumerate(transcript.steps, start=1)
    asked = (n for n, step in steps if step.actor is not DEALER and not step.stand_in)
    return {step: turn for turn, step in enumerate(asked, start=1)}


def fault_steps(transcript: Transcript) -> Iterator[FaultStep]:
    """Yield the faults of all seats, in order."""
    game = transcript.setup.make_game()
    state, turns = start(game, transcript), turns_by_step(transcript)
    for number, step in enumerate(transcript.steps, start=1):
        if number in turns and step.actor is not DEALER and step.fault is not None:
            yield FaultStep(
                seat=step.actor,
                turn=turns[number],
                step=number,
                kind=step.fault,
                view=game.view_notation.to_json(game.view(state, step.actor)),
                legal=game.legal_hint(state, step.actor),
                played=game.notation.to_json(step.action),
            )
        state = advance(game, state, number, step)
