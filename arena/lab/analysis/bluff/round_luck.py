"""The luck of the rolls in Bluff at tables of any size, valued by playouts of each round.

It is the chance term of AIVAT (see `arena.lab.analysis.aivat`) with values from playouts: the mean
value of a round with the dice that were rolled, minus its mean value with dice rolled afresh. Both
means are over the same number of playouts, so the expectation of the difference is zero whatever
play is assumed. A playout ends with the round, and is valued by the numbers of dice left.
"""

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from arena.games.bluff import CupRoll, Face
from arena.games.bluff.state import BluffPhase, BluffState
from arena.games.game import DEALER, AnyGame
from arena.lab.analysis.aivat import DeclaredPlay
from arena.match.replay import replay
from arena.match.transcript import Transcript

PLAYOUTS = 16
"""The number of playouts of each mean: enough that they add little variance."""
STRENGTH = 2.5
"""The exponent s: a seat's chance to win is proportional to its number of dice to the power s.

The likeliest in matches of `bayes` with itself: 2.7, 2.0 and 3.1 at three, four and six seats.
"""
_FACES = tuple(Face)


def round_luck(
    transcript: Transcript,
    seat: int,
    plays: Sequence[DeclaredPlay],
    random: np.random.Generator,
    playouts: int = PLAYOUTS,
) -> float:
    """Return the luck of a seat's rolls, and of the others', in chances to win the match.

    Args:
        transcript: A match of Bluff without `show_and_reroll`.
        seat: The seat whose luck is returned.
        plays: The play that is assumed of each seat; it changes only the variance.
        random: The source of rolls and actions.
        playouts: The number of playouts for each of the two means of a round.

    Raises:
        TranscriptError: The transcript contradicts the rules.
    """
    game = transcript.setup.make_game()
    luck = 0.0
    for frame in replay(transcript):
        state, before = frame.state, frame.before
        if before is not None and before.phase is BluffPhase.ROLL and before.dice_counts[seat]:
            afresh = [_rolled(game, before, random) for _ in range(playouts)]
            found = [_played_on(game, one, seat, plays, random) for one in [state] * playouts]
            expected = [_played_on(game, one, seat, plays, random) for one in afresh]
            luck += fmean(found) - fmean(expected)
    return luck


def _rolled(game: AnyGame, state: BluffState, random: np.random.Generator) -> BluffState:
    """Return the state after a roll of all dice."""
    drawn = [np.sort(random.integers(len(_FACES), size=count)) for count in state.dice_counts]
    dice = [tuple(_FACES[index] for index in cup) for cup in drawn]
    after: BluffState = game.apply(state, DEALER, CupRoll(tuple(dice)))
    return after


def _played_on(
    game: AnyGame,
    state: BluffState,
    seat: int,
    plays: Sequence[DeclaredPlay],
    random: np.random.Generator,
) -> float:
    """Return a seat's chance to win by the dice that are left after the round."""
    while state.phase is BluffPhase.BETTING and state.turn is not None:
        shares = plays[state.turn](game.view(state, state.turn))
        index = random.choice(len(shares), p=[*shares.values()])
        state = game.apply(state, state.turn, [*shares][index])
    strengths = [count**STRENGTH for count in state.dice_counts]
    return float(strengths[seat] / sum(strengths))
