"""AIVAT: a match's result with the luck taken out, where the play of one seat is known.

If one seat's play is known, a share of the result's variance is luck that can be computed: the
dice, which hand that seat has among those with which it could have acted the same, and its random
choices of actions. AIVAT subtracts each of these, valued by a function of the whole state, minus
its mean. Every term has mean zero whatever the other seat does and whatever the value function is,
so the estimate has the expectation of the result; a good value function lowers its variance.

Here for Bluff between two, round by round, with the values of solved tables. In a round from the
state s, with the known seat's hands k weighted by w(k), which is the probability of the hand given
its actions so far, the other's hand o, and u the value of a place:

    u(roll) - sum_k w(k) u(k, o)                              the dice
    sum_k w(k) (sum_a p(a | k) u(k, o, a)) - sum_k w'(k) u(k, o, a*)    each known action a*
    sum_k w(k) V(after the doubt) - V(s)                      the outcome

are added up. w' is w after a*. After the doubt all dice are seen, so the next round begins anew.
u may depend on everything known except k and a*, so also on w and p; a response's u does.

Several sets of values give several estimates. How well each fits a match depends on how both seats
play; a regression of results on the luck that each finds weights the estimates accordingly.

Source: Burch, Schmid, Moravčík, Morrill and Bowling 2018, "AIVAT: A New Variance Reduction
Technique for Agent Evaluation in Imperfect Information Games".
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from arena.errors import UserError
from arena.games.bluff import BluffOptions, BluffView, Dice, Doubt
from arena.games.bluff.bets import track
from arena.games.bluff.state import BluffPhase, BluffState
from arena.games.game import AnyGame
from arena.lab.analysis.bluff.pair_values import MatchValues
from arena.lab.analysis.bluff.table import Weights, hands_of
from arena.match.replay import replay
from arena.match.transcript import Transcript

DeclaredPlay: TypeAlias = Callable[[Any], Mapping[Any, float]]
"""The probability of each action in a view of the known seat, with whatever dice the view has."""

_KEPT_VIEWS = 2048
"""The size of the cache of play by public view: openings recur in every match.

With five dice an entry takes 60 kB on average. Of 10,000 views in 900 matches, half occur again.
"""

_ROUNDING = 1e-6
"""The largest accepted difference of a sum of probabilities from 1."""


class DeclaredPlayError(UserError):
    """A declared play that is no distribution over legal actions, or not what the seat plays."""


class UndeclaredActionError(DeclaredPlayError):
    """A seat took an action that its declared play never takes."""


class Aivat:
    """The estimator for matches in which one seat's play is known."""

    def __init__(
        self, values: Sequence[MatchValues], most_dice: int, declared: DeclaredPlay
    ) -> None:
        """Prepare for matches against a bot.

        Args:
            values: Sets of values of places; they change only the variance.
            most_dice: The most dice of a seat for which there are values.
            declared: The play of the known seat.
        """
        self._values, self._most_dice = values, most_dice
        self._shares = lru_cache(maxsize=_KEPT_VIEWS)(partial(_Shares, declared))

    def covers(self, game: AnyGame, seats: int) -> bool:
        """Return whether matches of a game under its options can be estimated."""
        options = game.options
        return (
            seats == 2
            and isinstance(options, BluffOptions)
            and not options.show_and_reroll
            and options.bet_cap == "dice_in_play"
            and options.dice_per_player <= self._most_dice
        )

    def estimates(self, transcript: Transcript, known: int, *more: MatchValues) -> Weights:
        """Return the estimates of the known seat's result, where 1 is a win and 0 a loss.

        They may lie outside of 0 to 1. A fault of the known seat is taken to be independent of its
        hand.

        Args:
            transcript: A match that `covers` allows.
            known: The seat whose play was declared.
            more: Further sets of values, which must not be derived from this match.

        Returns:
            [v] An estimate by each set of values.

        Raises:
            UndeclaredActionError: The known seat took an action that its play never takes.
            DeclaredPlayError: The play is no distribution over legal actions.
            TranscriptError: The transcript contradicts the rules.
        """
        options = transcript.setup.options
        assert isinstance(options, BluffOptions)
        # If a roll decides who opens, both seats are equally likely to.
        dice, sets = (options.dice_per_player,) * 2, (*self._values, *more)
        opens, follows = (
            np.array([values.start(dice, opener) for values in sets]) for opener in (0, 1)
        )
        follows = 1 - follows
        estimates = opens if known == 0 else follows
        if options.start_mode == "roll":
            estimates = (opens + follows) / 2
        game = transcript.setup.make_game()
        current: _Round | None = None
        for frame in replay(transcript):
            step, state, before = frame.step, frame.state, frame.before
            if step is not None and before.phase is BluffPhase.ROLL:
                if current is not None:
                    estimates = estimates + current.ends
                current = _Round(sets, state, known)
                estimates = estimates + current.roll_terms()
            elif step is not None and current is not None:
                declared = step.actor == known and not step.stand_in
                shares = self._shares(_public(game.view(before, known))) if declared else None
                try:
                    if shares is not None and step.fault is not None:
                        # The default action reveals nothing. The play is still checked: an
                        # invalid one may have caused the fault.
                        current.play_of(shares)
                        shares = None
                    terms = current.action_terms(step.actor, step.action, shares)
                except DeclaredPlayError as error:
                    setup = transcript.setup
                    raise type(error)(
                        f"{setup.entrants[known]} in match {setup.match_id}: {error}"
                    ) from error
                estimates = estimates + terms
        # A forfeit decides the match whatever the hands are.
        if current is None or any(transcript.result.forfeited):
            return estimates + _result(transcript, known)
        return estimates + current.ends


class _Round:
    """The terms of one round by each set of values; all are the known seat's chances to win."""

    def __init__(self, values: Sequence[MatchValues], state: BluffState, known: int) -> None:
        assert state.opener is not None
        dice = state.dice_counts[state.opener], state.dice_counts[1 - state.opener]
        self._known, self._role = known, 0 if known == state.opener else 1
        self._values = [each.round(dice, self._role) for each in values]
        self._starts = np.array([each.start(dice, self._role) for each in values])
        self._place = 0
        self._numbers = {bet: number for number, bet in enumerate(track(sum(dice)), start=1)}
        other = hands_of(dice[1 - self._role])
        self._other_hand = other.dice.index(state.hidden[1 - known])
        self._hands = hands_of(dice[self._role])
        self._weights = self._hands.chances
        self.ends = np.zeros(len(values))
        """[v] The value after the doubt, averaged over the known seat's possible hands."""

    def roll_terms(self) -> Weights:
        """Return the terms of the roll, minus the values at the start of the round: [v]."""
        role, hand = 1 - self._role, self._other_hand
        rolled = self._of_known([each.after_roll(role, hand) for each in self._values])
        before = self._of_known([np.array(each.before_roll) for each in self._values])
        terms: Weights = before - rolled @ self._weights - self._of_known(self._starts)
        return terms

    def play_of(self, shares: "_Shares") -> Weights:
        """Return the known seat's play in its turn: [a, hand]. Raises DeclaredPlayError."""
        actions = len(self._numbers) - self._place + 1
        return shares.by_hand(self._hands.dice, self._weights, actions, self._row)

    def action_terms(self, actor: object, action: Any, shares: "_Shares | None") -> Weights:
        """Return the terms of an action: [v].

        They are 0 unless the shares of the known seat's play are given.
        """
        known, taken = actor == self._known, self._row(action)
        terms = np.zeros(len(self._values))
        role = self._role if known else 1 - self._role
        where = self._place, role, 1 - self._role, self._other_hand
        if shares is not None:
            joint = self.play_of(shares) * self._weights
            weights = joint[taken]
            if not weights.any():
                raise UndeclaredActionError(
                    f"it played {action}, to which its declared play gives no chance."
                )
            hand = self._other_hand
            after = self._of_known(
                [each.after_play(self._place, role, hand, joint) for each in self._values]
            )
            terms = np.tensordot(after, joint, 2)
            self._weights = weights / weights.sum()
            terms -= after[:, taken] @ self._weights
        if isinstance(action, Doubt):
            after = self._of_known([each.after_doubt(*where) for each in self._values])
            self.ends = after @ self._weights
        self._place += taken
        return terms

    def _row(self, action: Any) -> int:
        """Return 0 for the doubt, else the distance of the bet from the standing one.

        Returns -1 for an action that is not legal.
        """
        if isinstance(action, Doubt):
            return 0 if self._place else -1
        distance = self._numbers.get(action, 0) - self._place
        return distance if distance > 0 else -1

    def _of_known(self, values: Sequence[Weights] | Weights) -> Weights:
        return np.array(values) if self._role == 0 else 1 - np.array(values)


class _Shares:
    """The declared play in one public view, computed for each hand when it is first needed."""

    def __init__(self, declared: DeclaredPlay, public: BluffView) -> None:
        self._declared, self._public = declared, public
        self._shares: Weights | None = None
        self._known: set[int] = set()

    def by_hand(
        self, hands: Sequence[Dice], weights: Weights, actions: int, row: Callable[[Any], int]
    ) -> Weights:
        """Return the probability of each action with each hand of positive weight: [a, hand].

        `row` returns the number of an action, -1 for one that is not legal. Raises
        DeclaredPlayError.
        """
        if self._shares is None:
            self._shares = np.zeros((actions, len(hands)))
        for hand in np.flatnonzero(weights).tolist():
            if hand not in self._known:
                self._shares[:, hand] = self._with(hands[hand], actions, row)
                self._known.add(hand)
        return self._shares

    def _with(self, hand: Dice, actions: int, row: Callable[[Any], int]) -> Weights:
        """Return the probability of each action with a hand: [a]."""
        shares = np.zeros(actions)
        declared = self._declared(self._public._replace(hidden_dice=hand))
        for action, share in declared.items():
            number = row(action)
            if not (isinstance(share, Real) and share >= 0) or (share and number < 0):
                raise DeclaredPlayError(
                    f"its declared play with the dice {_faces(hand)} has the probability {share} "
                    f"for {action}, which is " + ("not legal." if number < 0 else "no probability.")
                )
            shares[number] += share
        if abs(shares.sum() - 1) > _ROUNDING:
            raise DeclaredPlayError(
                f"the probabilities of its declared play with the dice {_faces(hand)} sum to "
                f"{shares.sum():g}, not to 1."
            )
        return shares


def _faces(hand: Dice) -> str:
    return " ".join(map(str, hand))


def _public(view: BluffView) -> BluffView:
    return view._replace(hidden_dice=())


def _result(transcript: Transcript, seat: int) -> float:
    own, other = transcript.result.placing[seat], transcript.result.placing[1 - seat]
    return 0.5 if own == other else float(own < other)
