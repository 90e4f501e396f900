"""A person's choice of an action in Bluff: first the face of a bet, then the quantity."""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from arena.games.bluff.values import STAR, Bet, BluffChoice, BluffView, Dice, Doubt, Face
from arena.showing.options import Option


def options(
    actions: Iterable[BluffChoice],
    view: BluffView,  # noqa: ARG001
    names: Sequence[str],  # noqa: ARG001
) -> Iterator[tuple[BluffChoice, Option]]:
    """Yield all actions with their buttons, sorted by face and then quantity."""
    for action in sorted(actions, key=_by_face):
        yield action, _option(action)


def question(view: BluffView, names: Sequence[str]) -> str:
    """Return the question that the turn puts to the person."""
    if not view.bets:
        return "You open the round: place a bet."
    bettor, bet = view.bets[-1]
    said = f"{names[bettor]} bets {bet.quantity} × {_face(bet.face)}."
    if min(view.lowest) > view.highest:
        return f"{said} Nothing higher is left: you have to doubt it."
    return f"{said} Bet higher, or doubt it."


def _by_face(action: Bet | Doubt) -> tuple[int, int]:
    return (0, 0) if isinstance(action, Doubt) else (action.face, action.quantity)


def _option(action: Bet | Doubt) -> Option:
    match action:
        case Doubt():
            return Option((("", "Doubt!"),), "Doubt!")
        case Bet(quantity, face, show):
            path = [("Bet on", _face(face)), ("At least", f"{quantity} ×")]
            words = f"Bet {quantity} × {_face(face)}"
            if show:
                path.append(("Lay out", _dice(show)))
                words += f", laying out {_dice(show)}"
            return Option(tuple(path), words)
        case _:
            assert_never(action)


def _face(face: Face) -> str:
    return "★" if face is STAR else str(face)


def _dice(dice: Dice) -> str:
    return " ".join(map(_face, dice))
