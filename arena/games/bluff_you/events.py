"""The public events of each step of Bluff You!, including the dice once they are shown (BY-24)."""

from arena.games.bluff_you.state import TAKE, BluffYouState
from arena.games.bluff_you.values import (
    Announced,
    Answer,
    BluffYouAction,
    BluffYouEvent,
    Gift,
    Give,
    Revealed,
    Roll,
    Steal,
    Stop,
    Swap,
    Swapped,
    Take,
    Taken,
    TurnStarted,
    Win,
)


def events(
    before: BluffYouState, action: BluffYouAction, after: BluffYouState
) -> tuple[BluffYouEvent, ...]:
    """Return the public events of an action that led from `before` to `after`."""
    bluffer = before.bluffer
    match action:
        case Roll():
            return (TurnStarted(before.turn, bluffer, before.no_win_turns),)
        case Win() | Steal():
            return (Announced(bluffer, action),)
        case Answer(believe):
            return _reveal(before, believe, after)
        case Give(number):
            return (Gift(bluffer, before.said.seer, number),)
        case Take(number):
            return (Taken(bluffer, before.said.seer, number),)
        case Swap(give, take):
            return (Swapped(bluffer, before.dice, give, take),)
        case Stop():
            return ()


def winner(state: BluffYouState, believed: bool) -> int:
    """Return the winner under an answer (BY-10): the seer if it is right, else the bluffer."""
    announced = state.said
    return announced.seer if believed == (sum(state.dice) == announced.number) else state.bluffer


def _reveal(
    before: BluffYouState, believed: bool, after: BluffYouState
) -> tuple[BluffYouEvent, ...]:
    """Return the reveal, and the gift of the bluffer's only chip if it lost a steal attempt."""
    announced, bluffer = before.said, before.bluffer
    won_by = winner(before, believed)
    chip: int | None = announced.number
    gift: tuple[BluffYouEvent, ...] = ()
    if type(announced) is Win:
        if chip not in before.centre:
            chip = None
    elif won_by != bluffer:
        chip = None
        if len(before.chips[bluffer]) == 1:
            gift = (Gift(bluffer, won_by, before.chips[bluffer][0]),)
    elif after.phase is TAKE:
        chip = None
    return (Revealed(bluffer, announced, believed, before.dice, won_by, chip), *gift)
