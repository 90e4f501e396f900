"""A person's choice of an action in Bluff You!: the kind, then the seat, then the number."""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from arena.games.bluff_you.values import (
    Answer,
    BluffYouChoice,
    BluffYouPhase,
    BluffYouView,
    Give,
    Steal,
    Stop,
    Swap,
    Take,
    Win,
)
from arena.showing.options import Option
from arena.wording import listed


def options(
    actions: Iterable[BluffYouChoice],
    view: BluffYouView,  # noqa: ARG001
    names: Sequence[str],
) -> Iterator[tuple[BluffYouChoice, Option]]:
    """Yield all actions with their buttons."""
    for action in actions:
        yield action, _option(action, names)


def question(view: BluffYouView, names: Sequence[str]) -> str:
    """Return the question that the turn puts to the person."""
    said = view.announced
    match view.phase:
        case BluffYouPhase.ANNOUNCE:
            return (
                f"Your dice sum to {sum(view.dice)}. Say a number to another seat, true or not, "
                "or swap if you can."
            )
        case BluffYouPhase.ANSWER if said is not None:
            return f"{names[view.bluffer]} says that the dice sum to {said.number}. Is it true?"
        case BluffYouPhase.GIVE if said is not None:
            return f"Your steal failed: choose one of your chips for {names[said.seer]}."
        case BluffYouPhase.TAKE if said is not None:
            return f"Your steal worked: choose one of the chips of {names[said.seer]}."
        case BluffYouPhase.SWAP_AGAIN:
            return "Swap once more, or end your turn."
        case _:
            return "Choose what to do."


def _option(
    action: Win | Steal | Swap | Answer | Give | Take | Stop, names: Sequence[str]
) -> Option:
    match action:
        case Win(seer, number):
            path = (
                ("", "Win a chip"),
                ("Say to", names[seer]),
                ("The dice sum to", str(number)),
            )
            return Option(path, f"To {names[seer]}: “{number}!”")
        case Steal(seer, number):
            path = (("", "Steal a chip"), ("From", names[seer]), ("Its chip", str(number)))
            return Option(path, f"To {names[seer]}: “Your {number}!”")
        case Swap(give, take):
            given = listed([str(number) for number in give])
            path = (("", "Swap"), ("Give", given), ("Take", str(take)))
            return Option(path, f"Show the double and swap {given} for {take}")
        case Answer(believe):
            words = "Ok! (I believe it)" if believe else "Bluff you!"
            return Option((("", words),), words)
        case Give(number):
            return Option((("Give", str(number)),), f"Give {number}")
        case Take(number):
            return Option((("Take", str(number)),), f"Take {number}")
        case Stop():
            return Option((("", "Swap no more"),), "Swap no more")
        case _:
            assert_never(action)
