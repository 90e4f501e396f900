"""What a doubt leads to: the count, the losses and the next opener (BL-19 to 24)."""

from dataclasses import dataclass

from arena.games.bluff.bets import count_matching
from arena.games.bluff.state import BluffState, Phase
from arena.games.bluff.values import Dice


@dataclass(frozen=True, slots=True)
class Settlement:
    """The outcome of a showdown."""

    bettor: int
    dice: tuple[Dice, ...]
    """All dice by seat, hidden and face up together, ascending."""
    actual: int
    losses: tuple[int, ...]
    next_opener: int


def settle(state: BluffState, doubter: int) -> Settlement:
    """Settles the standing bet, doubted by `doubter`."""
    standing = state.bets[-1]
    dice = tuple(
        tuple(sorted(hidden + face_up))
        for hidden, face_up in zip(state.hidden, state.face_up, strict=True)
    )
    actual = count_matching(standing.bet.face, dice)
    losses = losses_of(state.dice_counts, standing.seat, doubter, actual - standing.bet.quantity)
    opener = standing.seat if actual >= standing.bet.quantity else doubter
    return Settlement(standing.seat, dice, actual, losses, opener)


def settled(state: BluffState, end: Settlement) -> BluffState:
    """The state after a showdown: before the next round's roll, or over (BL-23 to 26)."""
    counts = tuple(count - loss for count, loss in zip(state.dice_counts, end.losses, strict=True))
    out_in = tuple(
        out_in or (0 if count else state.round)
        for out_in, count in zip(state.out_in, counts, strict=True)
    )
    over = counts.count(0) == len(counts) - 1
    empty: tuple[Dice, ...] = ((),) * len(counts)
    return BluffState(
        phase=Phase.OVER if over else Phase.ROLL,
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
    """Dice lost by seat when the bet was `surplus` dice below the truth (BL-20 to 23)."""
    if surplus == 0:
        return tuple(
            min(count, 1) if seat != bettor else 0 for seat, count in enumerate(dice_counts)
        )
    loser = doubter if surplus > 0 else bettor
    return tuple(
        min(count, abs(surplus)) if seat == loser else 0 for seat, count in enumerate(dice_counts)
    )
