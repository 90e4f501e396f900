"""A match of the pure rules that asks one seat at a time, for environments that do so.

Where several seats are asked at the same moment (sealed answers), their answers are kept until all
are given, and only then applied: until then no view has changed.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.games.game import DEALER, AnyGame
from arena.randomness import Randomness


def rewards_of(placing: tuple[int, ...]) -> NDArray[np.float32]:
    """Return the reward of each seat, of shape (S,): those behind it less those ahead, over S - 1.

    It is 1 for a sole winner and -1 for a sole last; the sum is 0.
    """
    places = np.array(placing)
    ahead = np.sign(places[None, :] - places[:, None]).sum(axis=1)
    rewards: NDArray[np.float32] = ahead.astype(np.float32) / np.float32(len(places) - 1)
    return rewards


class SeatBySeat:
    """One match, whose dealer draws by itself.

    Args:
        game: The rules with their options.
        seats: The number of seats.
        randomness: The source of the dealer's draws.
    """

    def __init__(self, game: AnyGame, seats: int, randomness: Randomness) -> None:
        self.game: Final = game
        self._randomness = randomness
        self._answers: list[Any] = []
        self.state = game.start(seats)
        """The state before the answers that are kept."""
        self._asked: tuple[int, ...] = ()
        self._deal()

    @property
    def seat(self) -> int | None:
        """The seat that is asked now; None when the match is over."""
        return self._asked[len(self._answers)] if self._asked else None

    def view(self, seat: int) -> Any:
        """Return what a seat may know."""
        return self.game.view(self.state, seat)

    def act(self, action: Any) -> None:
        """Take a legal action of the seat that is asked."""
        self._answers.append(action)
        if len(self._answers) == len(self._asked):
            for seat, answer in zip(self._asked, self._answers, strict=True):
                self.state = self.game.apply(self.state, seat, answer)
            self._answers.clear()
            self._deal()

    def rewards(self) -> NDArray[np.float32]:
        """Return the rewards of a match that is over, by seat."""
        return rewards_of(self.game.placing(self.state))

    def _deal(self) -> None:
        while (asked := self.game.to_act(self.state)) is DEALER:
            draw = self.game.draw(self.state, self._randomness)
            self.state = self.game.apply(self.state, DEALER, draw)
        self._asked = asked
