"""Doubts what its own dice make unlikely; otherwise raises as little as it can."""

from arena.bot import Bot, Turn, run
from arena.games.bluff import Bet, BluffView, Doubt, Face


class Mine(Bot[BluffView, Bet | Doubt]):
    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
        view = turn.view
        if view.can_doubt:
            bet = view.bets[-1].bet
            unseen = sum(view.dice_counts) - len(view.hidden_dice)
            matching = sum(die in (bet.face, Face.STAR) for die in view.hidden_dice)
            if bet.quantity > matching + unseen / 3 or min(view.lowest) > view.highest:
                return Doubt()
        face = min(Face, key=lambda face: view.lowest[face - 1])
        return Bet(view.lowest[face - 1], face)


if __name__ == "__main__":
    run(Mine)
