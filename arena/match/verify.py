"""Checking a finished match: was it dealt as promised, and does its result follow?"""

from arena.games.game import DEALER
from arena.match.replay import TranscriptError, referee, replay
from arena.match.transcript import Transcript
from arena.randomness import (
    MAX_ENTROPY_BYTES,
    MIN_ENTROPY_BYTES,
    SECRET_BYTES,
    KeyedRandomness,
    commitment,
    match_key,
)


def verify(transcript: Transcript) -> None:
    """Recompute every draw from the opening and referee the match again.

    Raises TranscriptError naming the first difference: in the opening, in a step, in the result.
    """
    setup, opening = transcript.setup, transcript.opening
    if len(opening.secret) != SECRET_BYTES or commitment(opening.secret) != transcript.commitment:
        raise TranscriptError("the opened secret does not match the commitment")
    if len(opening.entropies) != len(setup.entrants):
        raise TranscriptError("there is not one entropy for each seat")
    for seat, entropy in enumerate(opening.entropies):
        if not MIN_ENTROPY_BYTES <= len(entropy) <= MAX_ENTROPY_BYTES:
            raise TranscriptError(f"the entropy of seat {seat} has {len(entropy)} bytes")
    _verify_draws(transcript)
    result = referee(transcript)
    for name in ("termination", "placing", "scores", "faults", "forfeited"):
        recorded, actual = getattr(transcript.result, name), getattr(result, name)
        if recorded != actual:
            raise TranscriptError(f"result: {name} is {recorded}, but the steps give {actual}")


def _verify_draws(transcript: Transcript) -> None:
    setup, opening = transcript.setup, transcript.opening
    game = setup.make_game()
    randomness = KeyedRandomness(match_key(opening.secret, setup.match_id, opening.entropies))
    state = None
    for frame in replay(transcript):
        if frame.step is not None and frame.step.actor is DEALER:
            expected = game.draw(state, randomness)
            if frame.step.action != expected:
                raise TranscriptError(
                    f"step {frame.index}: the dealer drew {frame.step.action}, "
                    f"but the opening gives {expected}"
                )
        state = frame.state
