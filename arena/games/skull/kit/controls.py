"""A person's choice of an action in Skull: one button for each action."""

from collections.abc import Iterable, Iterator, Sequence

from arena.games.skull.values import Disc, Lose, Place, SkullChoice, SkullPhase, SkullView, TurnOver
from arena.showing.options import Option
from arena.wording import number_of


def options(
    actions: Iterable[SkullChoice],
    view: SkullView,  # noqa: ARG001
    names: Sequence[str],
) -> Iterator[tuple[SkullChoice, Option]]:
    """Yield all actions with their buttons."""
    for action in actions:
        match action:
            case Place(disc):
                words = f"Lay {'your skull' if disc is Disc.SKULL else 'a flower'}"
            case TurnOver(seat):
                words = f"Turn over a disc of {names[seat]}"
            case Lose(disc):
                words = f"Give up {'your skull' if disc is Disc.SKULL else 'a flower'}"
            case _:
                words = str(action).capitalize()
        yield action, Option((("", words),), words)


def question(view: SkullView, names: Sequence[str]) -> str:
    """Return the question that the turn puts to the person."""
    lie = number_of(sum(view.mats), "disc")
    match view.phase:
        case SkullPhase.PLACE:
            return (
                f"Round {view.round}: lay your first disc; all seats lay theirs at the same time."
            )
        case SkullPhase.TURN:
            return f"Add a disc, or bid how many of the {lie} you can turn over without a skull."
        case SkullPhase.RAISE if view.bidder is not None:
            return f"{names[view.bidder]} bids {view.bid} of {lie}. Raise, or pass?"
        case SkullPhase.CHALLENGE:
            left = view.bid - sum(map(len, view.turned))
            return f"You have to turn over {number_of(left, 'more disc')}. Whose?"
        case _:
            return "You turned over your own skull: choose the disc that you give up for good."
