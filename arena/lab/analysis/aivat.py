"""AIVAT: a match's result with the luck taken out, where the play of one seat is known.

If one seat's play is known, a share of the result's variance is luck that can be computed: the
dice, the hidden hand of that seat among all that it would have played alike, and the chance by
which it chose. AIVAT subtracts each of these, valued by a function of the whole state, minus its
mean. Every term has mean zero whatever the other seat does and whatever the value function is, so
the estimate has the expectation of the result; a good value function makes it vary less.

Here for Bluff between two, round by round, with the values of solved tables. In a round from the
state s, with the known seat's hands k weighted by w(k), which is the probability of the hand given
its actions so far, the other's hand o, and u the value of a place:

    u(roll) - sum_k w(k) u(k, o)                              the dice
    sum_k w(k) (sum_a p(a | k) u(k, o, a)) - sum_k w'(k) u(k, o, a*)    each known action a*
    sum_k w(k) V(after the doubt) - V(s)                      the outcome

are added up. w' is w after a*. After the doubt all dice are seen, so the next round begins anew.

Source: Burch, Schmid, Moravčík, Morrill and Bowling 2018, "AIVAT: A New Variance Reduction
Technique for Agent Evaluation in Imperfect Information Games".
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np

from arena.games.bluff import BluffOptions, BluffView, Dice, Doubt
from arena.games.bluff.state import BluffPhase, BluffState
from arena.games.game import AnyGame
from arena.lab.analysis.bluff.pair_values import PairValues
from arena.lab.analysis.bluff.solved_play import RoundDice, SolvedPlay
from arena.lab.analysis.bluff.table import Weights, hands_of
from arena.match.replay import replay
from arena.match.transcript import Transcript

DeclaredPlay: TypeAlias = Callable[[Any], Mapping[Any, float]]
"""The probability of each action in a view of the known seat, with whatever dice the view has."""

PlaceValues: TypeAlias = Mapping[RoundDice, PairValues]

_KEPT_VIEWS = 4096
"""The number of public views whose play is kept: openings come again in every match."""


class UndeclaredPlayError(ValueError):
    """A seat took an action that its declared play never takes."""


def values_of(solved: SolvedPlay) -> PlaceValues:
    """Return the values of all rounds by solved tables; each is computed when it is needed."""
    return {dice: PairValues(solved, play) for dice, play in solved.rounds.items()}


class Aivat:
    """The estimator for matches in which one seat's play is known."""

    def __init__(self, values: PlaceValues, declared: DeclaredPlay) -> None:
        """Prepare for matches against a bot.

        Args:
            values: The values of places, by the dice of a round; they change only the variance.
            declared: The play of the known seat.
        """
        self._values = values
        self._shares = lru_cache(maxsize=_KEPT_VIEWS)(partial(_Shares, declared))

    def covers(self, game: AnyGame, seats: int) -> bool:
        """Return whether matches of a game under its options can be estimated."""
        options = game.options
        return (
            seats == 2
            and isinstance(options, BluffOptions)
            and not options.show_and_reroll
            and options.bet_cap == "dice_in_play"
            and (options.dice_per_player,) * 2 in self._values
        )

    def estimate(self, transcript: Transcript, known: int) -> float:
        """Return the estimate of the known seat's result, where 1 is a win and 0 a loss.

        It may lie outside of 0 to 1. A fault of the known seat is taken to be independent of its
        hand.

        Args:
            transcript: A match that `covers` allows.
            known: The seat whose play was declared.

        Raises:
            UndeclaredPlayError: The known seat took an action that its play never takes.
            TranscriptError: The transcript contradicts the rules.
        """
        options = transcript.setup.options
        assert isinstance(options, BluffOptions)
        # Without a seat given the start, both are equally likely to open.
        value = self._values[(options.dice_per_player,) * 2].start
        estimate = 0.5 if options.start_mode == "roll" else value if known == 0 else 1 - value
        game = transcript.setup.make_game()
        current: _Round | None = None
        before: BluffState | None = None
        for frame in replay(transcript):
            step, state = frame.step, frame.state
            if step is not None and before is not None and before.phase is BluffPhase.ROLL:
                estimate += 0 if current is None else current.value
                current = _Round(self._values, state, known)
                estimate += current.roll_term()
            elif step is not None and before is not None and current is not None:
                declared = step.actor == known and step.fault is None and not step.stand_in
                shares = self._shares(_public(game.view(before, known))) if declared else None
                estimate += current.action_term(step.actor, step.action, shares)
            before = state
        # A forfeit decides the match whatever the hands are.
        if current is None or any(transcript.result.forfeited):
            return estimate + _result(transcript, known)
        return estimate + current.value


class _Round:
    """The terms of one round; all values are the known seat's chances to win."""

    def __init__(self, values: PlaceValues, state: BluffState, known: int) -> None:
        assert state.opener is not None
        dice = state.dice_counts[state.opener], state.dice_counts[1 - state.opener]
        self._values, self._known = values[dice], known
        self._role = 0 if known == state.opener else 1
        self._place = 0
        self._numbers = {bet: number for number, bet in enumerate(self._values.play.bets, start=1)}
        other = hands_of(dice[1 - self._role])
        self._other_hand = other.dice.index(state.hidden[1 - known])
        self._hands = hands_of(dice[self._role])
        self._weights = self._hands.chances
        self.value = 0.0
        """The value of the place, over the hands that the known seat may have."""

    def roll_term(self) -> float:
        """Return the term of the roll, less the value with which the round began."""
        rolled = self._of_known(self._values.after_roll(1 - self._role, self._other_hand))
        self.value = float(self._weights @ rolled)
        before = self._of_known(np.array([self._values.before_roll, self._values.start]))
        return float(before[0] - self.value - before[1])

    def action_term(self, actor: object, action: Any, shares: "_Shares | None") -> float:
        """Return the term of an action: that of the known seat if its shares are given, else 0."""
        role = self._role if actor == self._known else 1 - self._role
        found = self._values.after_actions(self._place, role, 1 - self._role, self._other_hand)
        after, taken = self._of_known(found), self._row(action)
        term = 0.0
        if shares is not None:
            play = shares.by_hand(self._hands.dice, self._weights, len(after), self._row)
            before = float((play * after).sum(0) @ self._weights)
            weights = self._weights * play[taken]
            if not weights.any():
                raise UndeclaredPlayError(f"Seat {self._known}'s declared play never has: {action}")
            self._weights = weights / weights.sum()
            term = before - float(self._weights @ after[taken])
        self.value = float(self._weights @ after[taken])
        self._place += taken
        return term

    def _row(self, action: Any) -> int:
        """Return 0 for the doubt, else the distance of the bet from the standing one."""
        return 0 if isinstance(action, Doubt) else self._numbers[action] - self._place

    def _of_known(self, values: Weights) -> Weights:
        return values if self._role == 0 else 1 - values


class _Shares:
    """The declared play in one public view, by the hands for which it was needed so far."""

    def __init__(self, declared: DeclaredPlay, public: BluffView) -> None:
        self._declared, self._public = declared, public
        self._shares: Weights | None = None
        self._known: set[int] = set()

    def by_hand(
        self, hands: Sequence[Dice], weights: Weights, actions: int, row: Callable[[Any], int]
    ) -> Weights:
        """Return the probability of each action with each hand of positive weight: [a, hand]."""
        if self._shares is None:
            self._shares = np.zeros((actions, len(hands)))
        for hand in np.flatnonzero(weights).tolist():
            if hand not in self._known:
                self._known.add(hand)
                view = self._public._replace(hidden_dice=hands[hand])
                for action, share in self._declared(view).items():
                    self._shares[row(action), hand] = share
        return self._shares


def _public(view: BluffView) -> BluffView:
    return view._replace(hidden_dice=())


def _result(transcript: Transcript, seat: int) -> float:
    own, other = transcript.result.placing[seat], transcript.result.placing[1 - seat]
    return 0.5 if own == other else float(own < other)
