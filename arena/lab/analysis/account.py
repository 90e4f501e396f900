"""The account of a match of Bluff between two: luck, decisions, and outcomes under uncertainty."""

from dataclasses import dataclass

import numpy as np

from arena.games.bluff import BluffOptions
from arena.games.bluff.state import BluffPhase, BluffState
from arena.lab.analysis.bluff.round_values import RoundValues
from arena.lab.analysis.bluff.solved_play import Situation, SolvedPlay, chosen
from arena.lab.analysis.bluff.table import hands_of
from arena.lab.analysis.match_analysis import MatchAnalysis
from arena.lab.analysis.values import BluffTables
from arena.match.replay import replay
from arena.match.result import Termination
from arena.match.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Account:
    """One seat's result as a sum of its causes, all in chances to win.

    start + luck + hidden + own + other + residual = result. With exact values and correct beliefs,
    `luck` and `hidden` have mean zero however the seats play, and `residual` is zero (the idea of
    Burch, Schmid, Moravčík, Morrill and Bowling 2018: chance is what changes the value of a public
    state).
    """

    start: float
    """The chance before the first draw: 1/2 if a roll decides who opens, else the value of the
    first round before its roll.
    """
    luck: float
    """The effect of the dice rolled: the value of each round with the dice of both visible, minus
    its value before the roll. Includes the roll that decides who opens.
    """
    hidden: float
    """The effect of hidden dice: the values of actions against the actual dice, minus their values
    by what the seat on turn knew.
    """
    own: float
    """The loss by the seat's own decisions: zero or less."""
    other: float
    """The loss by the other seat's decisions: zero or more."""
    residual: float
    """The error of the decisions' values: by how much they rate the best action above solved play,
    the seat's decisions minus the other's.
    """
    result: float
    """1 for a win, 0 for a loss, 1/2 for a tie."""


def accounts(match: MatchAnalysis, solved: SolvedPlay | None = None) -> tuple[Account, ...]:
    """Return each seat's account of a match's result; () if there is none.

    Args:
        match: The analysis of a match.
        solved: The tables by which every decision was valued, by default the chosen ones.

    Returns:
        One account for each of two seats, in chances to win; () unless there are two seats, the
        match was played to its end and every decision was valued by tables.

    Raises:
        PlayFileError: The chosen tables cannot be read.
    """
    solved = solved or chosen()
    if match.transcript.result.termination is not Termination.FINISHED:
        return ()
    if len(match.seats) != 2 or not match.decisions or solved is None:
        return ()
    if any(decision.source != BluffTables.name for decision in match.decisions):
        return ()
    lost, off = [0.0, 0.0], [0.0, 0.0]
    for decision in match.decisions:
        lost[decision.seat] += decision.loss or 0.0
        if decision.solved is not None and decision.win is not None:
            off[decision.seat] += decision.win + (decision.loss or 0.0) - decision.solved.win
    own, other = match.transcript.result.placing
    result = 0.5 if own == other else float(own < other)
    start, luck = _start_and_luck(match.transcript, solved)
    residual = off[0] - off[1]
    # Between two rolls the value changes by the losses of the decisions, by the error of the
    # values, and by the effect of the hidden dice.
    hidden = result - start - luck + lost[0] - lost[1] - residual
    return (
        Account(start, luck, hidden, -lost[0], lost[1], residual, result),
        Account(1 - start, -luck, -hidden, -lost[1], lost[0], -residual, 1 - result),
    )


def _start_and_luck(transcript: Transcript, solved: SolvedPlay) -> tuple[float, float]:
    """Return the `start` and the `luck` of seat 0's account."""
    options = transcript.setup.make_game().options
    start: float | None = None
    luck = 0.0
    for frame in replay(transcript):
        state: BluffState = frame.state
        if state.phase is not BluffPhase.BETTING or state.bets or state.opener is None:
            continue
        situation = solved.after(state.dice_counts, state.opener, ())
        assert situation is not None  # its first decision was valued by the tables
        before = _of_seat_0(situation, solved.values[situation.play.dice])
        if start is None:
            rolled = isinstance(options, BluffOptions) and options.start_mode == "roll"
            start = 0.5 if rolled else before
            luck += before - start
        luck += _of_seat_0(situation, _dealt(state, situation, solved)) - before
    assert start is not None
    return start, luck


def _of_seat_0(situation: Situation, value: float) -> float:
    """Return seat 0's chance to win, given the opener's."""
    return value if situation.opener == 0 else 1 - value


def _dealt(state: BluffState, situation: Situation, solved: SolvedPlay) -> float:
    """Return the opener's chance to win with all dice visible, if both play by the tables."""
    opener, play = situation.opener, situation.play
    mine, theirs = state.hidden[opener], state.hidden[1 - opener]
    their_hands, my_hands = hands_of(play.dice[1]).dice, hands_of(play.dice[0]).dice
    certain = np.zeros(len(their_hands))
    certain[their_hands.index(theirs)] = 1
    values = RoundValues(solved, play, 0, mine).values((), certain)
    return float(play.weights(0, ())[:, my_hands.index(mine)] @ values)
