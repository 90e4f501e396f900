"""Two-seat Bluff play that responds to the known play of the opposite seat.

Letters in the shapes of arrays: a = action, h = own hand, k = the opposite seat's hand, p = place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.lab.analysis.bluff.last_bet_play import LastBetPlay
from arena.lab.analysis.bluff.solved_play import RoundDice
from arena.lab.analysis.bluff.table import hands_of

TEMPERATURE: Final = 0.01
"""The difference, in chances to win, that makes an action of a response e times rarer."""


@dataclass(frozen=True)
class Response:
    """A player whose every action is nearly the best against the play of the opposite seat."""

    usual: LastBetPlay
    """Play that approximates how often the player reaches each place."""


def likely_hands(
    dice: RoundDice, role: int, plays: Sequence[Sequence[NDArray[np.float32]]]
) -> NDArray[np.float32]:
    """Return how likely the opposite seat has each hand when a player is on turn: [p, k].

    Args:
        dice: The opener's dice and the other's.
        role: The player's role: 0 for the opener, 1 for the other.
        plays: [role][p][a, hand] The play of both roles. That of the player is averaged over its
            hands, and only tells how often it reaches each place.
    """
    own, opposite = hands_of(dice[role]).chances, hands_of(dice[1 - role]).chances
    reach = np.zeros((2, len(plays[role]), len(opposite)))
    """[role on turn, p, k] The joint probability of place and hand."""
    reach[0, 0] = opposite
    for place, (mine, theirs) in enumerate(zip(plays[role], plays[1 - role], strict=True)):
        reach[1 - role, place + 1 :] += np.outer(mine[1:] @ own, reach[role, place])
        reach[role, place + 1 :] += theirs[1:] * reach[1 - role, place]
    total = reach[role].sum(1, keepdims=True)
    likely = np.where(total > 0, reach[role] / np.where(total > 0, total, 1), opposite)
    return likely.astype(np.float32)


def nearly_best(chances: NDArray[Any]) -> NDArray[Any]:
    """Return the softmax of the chances to win, with temperature TEMPERATURE: [a, …].

    Args:
        chances: [a, …] The player's chance to win after each action; -inf for an impossible one.
    """
    shares = np.exp((chances - chances.max(0)) / TEMPERATURE)
    normal: NDArray[Any] = shares / shares.sum(0)
    return normal
