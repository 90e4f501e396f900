"""A bot for tables of three to six: a small net chooses among the actions that `bayes` weighs.

The net was trained in self-play, and against `bayes` and `honest`, by policy gradient
(`python -m tools.crowd`). For each action it sees what `bayes` expects of it: the dice that it is
worth, how likely the bet is true, how likely the next seat lets it pass; and for the round, who has
how many dice and who bet on which face. It draws from the net's probabilities, so it bluffs. When
two are left it plays the tables of `cfr`; with dice laid out, or with more seats or dice than in
its training, it plays like `bayes`. It needs numpy (the extra `play`).
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.bot import Turn, run
from arena.games.bluff import STAR, Bet, BluffView, Doubt, Face
from arena_sample_bots.bayes import REACH, TRUSTS, Table, at_least, fair_chance, matching, spread
from arena_sample_bots.cfr import Cfr

NET = Path(__file__).with_name("crowd.npz")
MOST_SEATS = 6
MOST_DICE = 5
"""The most seats and the most dice of a seat in the net's training."""
LARGEST_GAIN = 4.0
"""The limit to which the gain or loss of an action, in dice, is clipped for the net."""

Numbers = NDArray[np.float32]


class Crowd(Cfr):
    """A bot that draws its actions by a net that learned in self-play."""

    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
        """Return an action drawn by the net; elsewhere that of `cfr`."""
        if not knows(turn.view):
            return super().act(turn)
        actions, chances = weighed(turn.view, turn.seat)
        return self.random.choices(actions, chances)[0]

    def probabilities(self, turn: Turn[BluffView, Bet | Doubt]) -> dict[Bet | Doubt, float]:
        """Return the probabilities of the net, or those of `cfr`."""
        if not knows(turn.view):
            return super().probabilities(turn)
        return dict(zip(*weighed(turn.view, turn.seat), strict=True))


def knows(view: BluffView) -> bool:
    """Return whether the net was trained at such tables."""
    live = sum(dice > 0 for dice in view.dice_counts)
    return (
        2 < live <= MOST_SEATS
        and max(view.dice_counts) <= MOST_DICE
        and view.highest == sum(view.dice_counts)
        and not any(view.face_up)
    )


def weighed(view: BluffView, seat: int) -> tuple[list[Bet | Doubt], list[float]]:
    """Return the actions that are weighed, and their probabilities."""
    actions, seen = look(view, seat)
    into, out, past, bias = weights()
    logits = np.maximum(seen @ into + bias, 0) @ out[:, 0] + seen @ past[:, 0]
    chances = np.exp(logits - logits.max())
    return actions, (chances / chances.sum()).tolist()


@cache
def weights() -> list[Numbers]:
    """Return the net: into the hidden layer, out of it, past it, and its bias."""
    with np.load(NET) as kept:
        return [kept[f"arr_{number}"].astype(np.float32) for number in range(4)]


def look(view: BluffView, seat: int) -> tuple[list[Bet | Doubt], Numbers]:
    """Return the actions that are weighed, and what the net sees of each: [action, number]."""
    table, counts, total = Table(view, seat), view.dice_counts, sum(view.dice_counts)
    own, others, bets = counts[seat], table.others, len(view.bets)
    follower, live, unseen = others[0], len(others) + 1, total - own
    actions: list[Bet | Doubt] = []
    rows: list[list[float]] = []
    standing_true = 0.0
    for face in Face:
        star = face is STAR
        match, chance = matching(view.hidden_dice, face), fair_chance(face)
        held = table.held(follower, face)
        rest = spread([table.held(other, face) for other in others[1:]])
        every = spread([table.held(other, face) for other in others])
        naming = sum((other, face) in table.named for other in others[1:]) / (live - 2)
        mine = (seat, face) in table.named

        if bets and view.bets[-1].bet.face is face:
            missing = view.bets[-1].bet.quantity - match
            false = sum(every[: max(0, missing)])
            standing_true = 1 - false
            gain = gain_of(table.worth_of_doubt() * total - own)
            unlikely = 1 - at_least(missing, unseen, chance)
            exact = every[missing] if 0 <= missing <= unseen else 0.0
            bettor = counts[view.bets[-1].seat] / MOST_DICE
            row = [gain, 0, false, unlikely, exact, match / own, star, 0, mine, bettor, 0, 1, 0]
            actions.append(Doubt())
            rows.append(row)

        lowest = view.lowest[face - 1]
        for quantity in range(lowest, min(lowest + REACH - 1, view.highest) + 1):
            missing = quantity - match
            gain = gain_of(table.worth_of_bet(quantity, face, held, rest) * total - own)
            passes = sum(
                likely
                for count, likely in enumerate(held)
                if at_least(quantity - count, total - counts[follower], chance) >= TRUSTS
            )
            true = sum(every[max(0, missing) :])
            likely = at_least(missing, unseen, chance)
            exact = every[missing] if 0 <= missing <= unseen else 0.0
            above, short = (quantity - lowest) / 3, missing / unseen * 3
            row = [gain, passes, true, likely, exact, match / own, star, above, mine]
            row += [(follower, face) in table.named, naming, 0, short]
            actions.append(Bet(quantity, face))
            rows.append(row)
    share = own * live / total / 2
    table_row = [own / MOST_DICE, counts[follower] / MOST_DICE, total / (MOST_DICE * MOST_SEATS)]
    table_row += [live / MOST_SEATS, not bets, min(bets, 12) / 6, share, standing_true, 1]
    return actions, np.array([row + table_row for row in rows], np.float32)


def gain_of(dice: float) -> float:
    """Return an action's expected gain in dice, clipped and scaled for the net."""
    return min(LARGEST_GAIN, max(-LARGEST_GAIN, dice)) / 2


if __name__ == "__main__":
    run(Crowd)
