"""The legal actions of a turn as choices, step by step: first the face of a bet, then how many.

Each action is a path of labels; actions that begin alike share the beginning of their paths. The
browser shows one row of buttons for each step, whatever the game.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from arena.games.bloeff import Action, Ballot, BloeffView, Card, Number, Red
from arena.games.bluff import STAR, Bet, BluffView, Dice, Doubt, Face
from arena.games.bluff_you import (
    Answer,
    BluffYouPhase,
    BluffYouView,
    Give,
    Steal,
    Stop,
    Swap,
    Take,
    Win,
)
from arena.games.game import AnyGame
from arena_dashboard.scenes.words import listed


@dataclass(frozen=True, slots=True)
class Option:
    """One way to act."""

    path: tuple[tuple[str, str], ...]
    """(what is chosen, the choice) for each step."""
    words: str
    """The whole action, as the button that plays it says it."""


def controls(game: AnyGame, view: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    """The choices of the first step. Each has a `label` and either `next`, its choices, and `what`
    they are, or the `action` in its JSON form, and `words` for it. `names` are by seat."""
    roots: list[dict[str, Any]] = []
    actions = list(game.choices(view))
    if isinstance(view, BluffView):
        # Otherwise the faces would come in the order of the lowest legal bets.
        actions.sort(key=_by_face)
    for action in actions:
        option = _option(action, view, names)
        if option is None:
            continue
        level = roots
        for step, (what, label) in enumerate(option.path):
            node = next((one for one in level if one["label"] == label), None)
            if node is None:
                node = {"label": label, "group": what}
                level.append(node)
            if step == len(option.path) - 1:
                node |= {"action": game.notation.to_json(action), "words": option.words}
            else:
                level = node.setdefault("next", [])
    return roots


def _option(action: Any, view: Any, names: Sequence[str]) -> Option | None:
    match view:
        case BluffView():
            return _bluff(action)
        case BluffYouView():
            return _bluff_you(action, names)
        case BloeffView():
            return _bloeff(action, view, names)
        case _:  # a game that declares no controls: its actions as they are told at the table
            return Option((("", str(action)),), str(action))


def question(view: Any, names: Sequence[str]) -> str:
    """Return what the turn asks of the person, in a sentence or two. `names` are by seat."""
    match view:
        case BluffView():
            if not view.bets:
                return "You open the round: place a bet."
            bettor, bet = view.bets[-1]
            said = f"{names[bettor]} bets {bet.quantity} × {_face(bet.face)}."
            if min(view.lowest) > view.highest:
                return f"{said} Nothing higher is left: you have to doubt it."
            return f"{said} Bet higher, or doubt it."
        case BluffYouView():
            return _bluff_you_question(view, names)
        case BloeffView() if view.balloted is not None:
            seat, total = view.balloted.seat, view.balloted.total
            return f"{names[seat]} says that the total is now {total}. Do you doubt it?"
        case BloeffView():
            last = " It is your second-to-last card: call, or draw two." if view.call_due else ""
            return f"The total is {view.total}, the limit {view.limit}. Play a card.{last}"
        case _:
            return "Choose what to do."


def _bluff_you_question(view: BluffYouView, names: Sequence[str]) -> str:
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


def _by_face(action: Bet | Doubt) -> tuple[int, int]:
    return (0, 0) if isinstance(action, Doubt) else (action.face, action.quantity)


def _bluff(action: Bet | Doubt) -> Option:
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


def _bluff_you(
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


def _bloeff(
    action: Number | Red | Action | Ballot, view: BloeffView, names: Sequence[str]
) -> Option | None:
    if isinstance(action, Ballot):
        said = view.balloted
        total = "" if said is None else f" {said.total}"
        words = f"Doubt{total}!" if action.doubt else f"Let{total or ' it'} stand"
        return Option((("", words),), words)
    if action.call and not view.call_due:
        return None  # a needless call changes nothing
    path: list[tuple[str, str]]
    match action:
        case Number(value, announce):
            bust = " (bust)" if announce > view.limit else ""
            path = [("Play", _card(Card(value))), ("Announce", f"{announce}{bust}")]
            words = f"Lay {_card(Card(value))} and announce {announce}{bust}"
        case Red(card, target):
            path = [("Play", _card(card)), ("In front of", names[target])]
            words = f"Lay {_card(card)} in front of {names[target]}"
        case Action(card):
            path = [("Play", _card(card))]
            words = f"Play {_card(card)}"
        case _:
            assert_never(action)
    if view.call_due:
        path.append(("Second-to-last card", "call" if action.call else "no call"))
        words += ", calling" if action.call else ""
    return Option(tuple(path), words)


def _card(card: Card) -> str:
    return str(card).replace("-", "−")


def leaves(choices: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The choices that are whole actions."""
    for choice in choices:
        if "action" in choice:
            yield choice
        yield from leaves(choice.get("next", ()))
