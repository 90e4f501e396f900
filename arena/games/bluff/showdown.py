"""The showdown after a doubt: the count, the losses and the next opener (BL-19 to 24)."""

from operator import sub
from typing import NamedTuple

from arena.games.bluff.bets import count_matching
from arena.games.bluff.state import BluffPhase, BluffState
from arena.games.bluff.values import Dice


class Settlement(NamedTuple):
    """The outcome of a showdown."""

    bettor: int
    dice: tuple[Dice, ...]
    """All dice by seat, hidden and face up combined, ascending."""
    actual: int
    losses: tuple[int, ...]
    next_opener: int


def settle(state: BluffState, doubter: int) -> Settlement:
    """Return the settlement of the standing bet, doubted by `doubter`."""
    standing = state.bets[-1]
    dice = state.hidden
    if any(state.face_up):
        dice = tuple(
            tuple(sorted(hidden + face_up))
            for hidden, face_up in zip(state.hidden, state.face_up, strict=True)
        )
    actual = count_matching(standing.bet.face, dice)
    losses = losses_of(state.dice_counts, standing.seat, doubter, actual - standing.bet.quantity)
    opener = standing.seat if actual >= standing.bet.quantity else doubter
    return Settlement(standing.seat, dice, actual, losses, opener)


def settled(state: BluffState, end: Settlement) -> BluffState:
    """Return the state after a showdown: before the next round's roll, or over (BL-23 to 26)."""
    counts = tuple(map(sub, state.dice_counts, end.losses))
    out_in = tuple(
        [
            out_in or (0 if count else state.round)
            for out_in, count in zip(state.out_in, counts, strict=True)
        ]
    )
    over = counts.count(0) == len(counts) - 1
    empty: tuple[Dice, ...] = ((),) * len(counts)
    return BluffState(
        phase=BluffPhase.OVER if over else BluffPhase.ROLL,
        round=state.round if over else state.round + 1,
        opener=end.next_opener,
        turn=None,
        hidden=empty,
        face_up=empty,
        dice_counts=counts,
        out_in=out_in,
        bets=(),
        starting=None,
    )


def losses_of(
    dice_counts: tuple[int, ...], bettor: int, doubter: int, surplus: int
) -> tuple[int, ...]:
    """Return the dice lost by seat if the count exceeds the bet by `surplus` dice (BL-20 to 23)."""
    if surplus == 0:
        losses = [min(count, 1) for count in dice_counts]
        losses[bettor] = 0
    else:
        loser = doubter if surplus > 0 else bettor
        losses = [0] * len(dice_counts)
        losses[loser] = min(dice_counts[loser], abs(surplus))
    return tuple(losses)


def after_doubt(
    dice_counts: tuple[int, int], bettor: int, surplus: int
) -> tuple[tuple[int, int], int]:
    """Return the dice left to two seats after a doubt, and the next opener (BL-20 to 24)."""
    losses = losses_of(dice_counts, bettor, 1 - bettor, surplus)
    left = dice_counts[0] - losses[0], dice_counts[1] - losses[1]
    return left, bettor if surplus >= 0 else 1 - bettor
