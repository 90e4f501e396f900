"""What the nets of policy_gradient.py see and begin with: how likely each action is right.

A bet is right if it is true, a doubt if the standing bet is false, as far as the own dice tell:
each die that a seat does not see matches with probability 1/3, for stars with 1/6.
"""

from math import comb

import numpy as np

SHARPNESS = 15
"""The logit of an action that is surely right, before the net has learned anything."""
OPENS_AT = 0.6
"""The probability with which the sample bot `honest` opens."""


class Sight:
    """The probabilities by the observations of an encoding of Bluff."""

    def __init__(self, encoded):
        self.fields, self.dice = encoded.fields, encoded.game.options.dice_per_player
        self.most = encoded.seats * self.dice
        self.tails = np.array([self.tails_of(chance) for chance in 5 * [1 / 3] + [1 / 6]])
        """[face, unseen dice, most + wanted] The probability that at least `wanted` match."""
        quantities = np.arange(1, self.most + 1)[:, None]
        self.wanted = self.most + quantities
        self.places = np.where(np.arange(6) == 5, 4 * quantities - 1, 2 * quantities)
        """[quantity, face] The place of each bet on the track."""

    def tails_of(self, chance):
        """Return the table of one probability that a die matches."""
        found = np.zeros((self.most + 1, 2 * self.most + 1))
        for dice in range(self.most + 1):
            likely = [
                comb(dice, n) * chance**n * (1 - chance) ** (dice - n) for n in range(dice + 1)
            ]
            for wanted in range(-self.most, self.most + 1):
                # Not exactly 1 if none is wanted: `honest` sums so, too, and ties depend on it.
                found[dice, self.most + wanted] = sum(likely[max(0, wanted) :])
        return found

    def right(self, observations):
        """Return how likely each action is right, legal or not: [N, A]."""
        held = np.rint(observations[:, self.fields["hidden_dice"]] * self.dice).astype(int)
        counts = np.rint(observations[:, self.fields["dice_counts"]] * self.dice).astype(int)
        standing = np.rint(observations[:, self.fields["quantity"]][:, 0] * self.most).astype(int)
        face = observations[:, self.fields["face"]].argmax(1)
        matching = (held + held[:, 5:] * (np.arange(6) < 5))[:, None]
        unseen = (counts.sum(1) - counts[:, 0])[:, None, None]
        bets = self.tails[np.arange(6), unseen, self.wanted - matching].reshape(len(held), -1)
        bet = np.maximum(6 * (standing - 1) + face, 0)
        doubt = np.where(standing > 0, 1 - bets[np.arange(len(bets)), bet], 0)
        return np.hstack([doubt[:, None], bets])

    def inputs(self, observations, masks, right):
        """Return the actor's inputs: observation, chances of the doubt and of the lowest bets."""
        lowest, any_legal = self.lowest(masks)
        bets = np.take_along_axis(right, lowest, 1) * any_legal
        return np.hstack([observations, right[:, :1], bets]).astype(np.float32)

    def lowest(self, masks):
        """Return the ids of the lowest bets by face, and whether there are any."""
        legal = masks[:, 1:].reshape(len(masks), self.most, 6) > 0
        return 1 + 6 * legal.argmax(1) + np.arange(6), legal.any(1)

    def honest(self, masks, right, random):
        """Return what the sample bot `honest` plays, one of equally good actions."""
        lowest, any_legal = self.lowest(masks)
        worth = np.where(any_legal, np.take_along_axis(right, lowest, 1), -1)
        opens = np.flatnonzero(masks[:, 0] == 0)
        likely = right[opens, 1:].reshape(-1, self.most, 6) >= OPENS_AT
        likely[:, 0] = True
        legal = masks[opens, 1:].reshape(-1, self.most, 6) > 0
        places = np.where(legal & likely, self.places, 0)
        worth[opens], lowest[opens] = places.max(1), 1 + 6 * places.argmax(1) + np.arange(6)
        doubts = (masks[:, 0] > 0) & (right[:, 0] >= worth.max(1))
        ties = (worth == worth.max(1, keepdims=True)) * random.random(worth.shape)
        return np.where(doubts, 0, lowest[np.arange(len(masks)), ties.argmax(1)])
