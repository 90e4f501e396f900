"""Two-seat Bluff play that depends only on the last bet, fitted to a seat's decisions in matches.

A choice model: the probability of an action is in proportion to exp(w . x), where x are features of
the action, with the seat's hand, after the last bet. The weights w are those that make the
decisions likeliest, with a ridge penalty (McFadden 1974, "Conditional Logit Analysis of Qualitative
Choice Behavior").

Letters in the shapes of arrays: a = action, b = bet, h = hand, n = decision, x = feature.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import minimize

from arena.games.bluff import Bet, Doubt
from arena.games.bluff.bets import track
from arena.games.bluff.state import BluffPhase, BluffState
from arena.lab.analysis.bluff.last_bet_play import LastBetPlay
from arena.lab.analysis.bluff.solved_play import RoundDice
from arena.lab.analysis.bluff.table import OFFSET, Singles, Weights, hands_of, tails
from arena.match.replay import replay
from arena.match.transcript import Transcript

_PENALTY: Final = 1.0
"""The strength of the ridge: half of it times the squared weights is added to the loss."""
_RARE: Final = 0.01
"""Added to probabilities before taking logarithms: an action that a guide never takes may occur."""
_MOST_PAIRS: Final = 64
"""The size of the cache of features by dice and role: enough for all rounds of up to five dice."""


class SeenDecision(NamedTuple):
    """An action that a seat chose, and what it knew."""

    dice: RoundDice
    role: int
    """The seat's role: 0 for the opener, 1 for the other."""
    place: int
    """The number of the last bet on the track, 0 before the first."""
    hand: int
    action: int
    """0 for the doubt, else the distance of the bet from the last one."""


def decisions(transcript: Transcript, seat: int) -> Iterator[SeenDecision]:
    """Yield a seat's own decisions; default actions played for it are left out.

    Args:
        transcript: A match of two, without dice laid out.
        seat: The seat.

    Raises:
        TranscriptError: The transcript contradicts the rules.
    """
    for frame in replay(transcript):
        step, before = frame.step, frame.before
        if (
            step is not None
            and step.actor == seat
            and not (step.fault or step.stand_in)
            and before.phase is BluffPhase.BETTING
        ):
            yield _decision(before, seat, step.action)


def _decision(state: BluffState, seat: int, action: Bet | Doubt) -> SeenDecision:
    assert state.opener is not None
    counts, bets = state.dice_counts, track(sum(state.dice_counts))
    place = bets.index(state.bets[-1].bet) + 1 if state.bets else 0
    return SeenDecision(
        (counts[state.opener], counts[1 - state.opener]),
        0 if seat == state.opener else 1,
        place,
        hands_of(counts[seat]).dice.index(state.hidden[seat]),
        0 if isinstance(action, Doubt) else bets.index(action) + 1 - place,
    )


class ChoiceModel:
    """A choice model of play: features are the guides' play and the probabilities of bets."""

    def __init__(self, guides: Sequence[LastBetPlay]) -> None:
        """Take the guides: plays whose log-probabilities are features of actions."""
        self._features = lru_cache(maxsize=_MOST_PAIRS)(partial(_Features.of, guides))

    def fitted(self, seen: Sequence[SeenDecision]) -> LastBetPlay:
        """Return the play under which decisions are likeliest, with the ridge penalty.

        Args:
            seen: The decisions; with none, all actions are equally likely.
        """
        weights = self._likeliest(seen) if seen else None

        def play(dice: RoundDice, role: int) -> list[Weights]:
            places = range(len(track(sum(dice))) + 1)
            return [self._shares(dice, role, place, weights) for place in places]

        return play

    def _likeliest(self, seen: Sequence[SeenDecision]) -> Singles:
        rows = [
            self._features(each.dice, each.role).of_actions(each.place, each.hand)[:, 0]
            for each in seen
        ]
        actions = max(map(len, rows))
        features = np.zeros((len(seen), actions, rows[0].shape[1]), np.float32)
        legal = np.zeros((len(seen), actions), bool)
        for number, (each, row) in enumerate(zip(seen, rows, strict=True)):
            features[number, : len(row)] = row
            legal[number, 0 if each.place else 1 : len(row)] = True
        every, taken = np.arange(len(seen)), np.array([each.action for each in seen])

        def negative_log_likelihood(weights: Weights) -> tuple[float, Weights]:
            values = np.where(legal, features @ weights.astype(np.float32), -np.inf)
            values -= values.max(1, keepdims=True)
            shares = np.exp(values)
            totals = shares.sum(1, keepdims=True)
            gradient = np.einsum("na,nax->x", shares / totals, features, optimize=True)
            gradient -= features[every, taken].sum(0)
            loss = np.log(totals).sum() - values[every, taken].sum()
            return (
                float(loss + _PENALTY * weights @ weights / 2),
                (gradient + _PENALTY * weights).astype(np.float64),
            )

        found = minimize(
            negative_log_likelihood, np.zeros(features.shape[2]), jac=True, method="L-BFGS-B"
        )
        best: Singles = found.x.astype(np.float32)
        return best

    def _shares(self, dice: RoundDice, role: int, place: int, weights: Singles | None) -> Weights:
        features = self._features(dice, role).of_actions(place)
        values = np.zeros(features.shape[:2]) if weights is None else features @ weights
        if not place:
            values[0] = -np.inf
        shares = np.exp(values - values.max(0)).astype(np.float64)
        normal: Weights = shares / shares.sum(0)
        return normal


@dataclass(frozen=True)
class _Features:
    """The features of the actions of a round, with each hand of a seat."""

    guides: list[Singles]
    """[p][a, h, guide] The logarithms of the guides' probabilities."""
    chances: Singles
    """[b, h] The probability that the bet is true, if the other's dice are fair."""
    matching: Singles
    """[b, h] The share of the own dice that match."""
    held_most: Singles
    """[b, h] 1 where the hand matches no other face better."""
    quantities: Singles
    """[b]"""
    all_dice: float
    """The dice in play, in units of ten."""

    @staticmethod
    def of(guides: Sequence[LastBetPlay], dice: RoundDice, role: int) -> "_Features":
        bets, hands = track(sum(dice)), hands_of(dice[role])
        faces = np.array([bet.face - 1 for bet in bets])
        quantities = np.array([bet.quantity for bet in bets])
        matching = hands.matching[faces]
        needed = quantities[:, None] - matching + OFFSET
        plays = zip(*(guide(dice, role) for guide in guides), strict=True)
        return _Features(
            [np.log(np.stack(each, -1) + _RARE).astype(np.float32) for each in plays],
            tails(dice[1 - role])[faces[:, None], needed].astype(np.float32),
            (matching / dice[role]).astype(np.float32),
            (matching == hands.matching.max(0)).astype(np.float32),
            quantities.astype(np.float32),
            sum(dice) / 10,
        )

    def of_actions(self, place: int, hand: int | None = None) -> Singles:
        """Return the features of the actions at a place, with all hands or one: [a, h, x].

        The doubt comes first.
        """
        hands = slice(None) if hand is None else slice(hand, hand + 1)
        chances, matching = self.chances[place:, hands], self.matching[place:, hands]
        raised = np.zeros_like(chances) + (self.quantities[place:] - self._quantity(place))[:, None]
        steps = np.zeros_like(chances) + np.log(np.arange(1, len(chances) + 1))[:, None]
        opens = float(place == 0)
        bets = (
            *(chances, chances**2, np.log(chances + _RARE), matching),
            *(self.held_most[place:, hands], steps, raised),
            *(raised * self.all_dice, chances * self.all_dice),
            *(opens * chances, opens * raised, opens * matching),
        )
        ones = np.ones(chances.shape[1])
        true = self.chances[place - 1, hands] if place else ones
        doubt = ones, true, true**2, true < 0.5, ones * self.all_dice
        found = np.zeros((len(chances) + 1, len(ones), len(bets) + len(doubt)), np.float32)
        found[1:, :, : len(bets)] = np.stack(bets, -1)
        if place:
            found[0, :, len(bets) :] = np.stack(doubt, -1)
        return np.concatenate([self.guides[place][:, hands], found], -1)

    def _quantity(self, place: int) -> float:
        return float(self.quantities[place - 1]) if place else 0.0
