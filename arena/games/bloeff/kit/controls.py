"""A person's choice of an action in Blöff: first the card, then the total or the seat."""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from arena.games.bloeff.values import Action, Ballot, BloeffChoice, BloeffView, Card, Number, Red
from arena.showing.options import Option


def options(
    actions: Iterable[BloeffChoice], view: BloeffView, names: Sequence[str]
) -> Iterator[tuple[BloeffChoice, Option]]:
    """Yield the actions without needless calls, which change nothing (BO-16)."""
    for action in actions:
        if isinstance(action, Ballot):
            yield action, _ballot(action, view)
        elif view.call_due or not action.call:
            yield action, _card_played(action, view, names)


def question(view: BloeffView, names: Sequence[str]) -> str:
    """Return the question that the turn puts to the person."""
    if view.balloted is not None:
        seat, total = view.balloted.seat, view.balloted.total
        return f"{names[seat]} says that the total is now {total}. Do you doubt it?"
    last = " It is your second-to-last card: call, or draw two." if view.call_due else ""
    return f"The total is {view.total}, the limit {view.limit}. Play a card.{last}"


def _ballot(action: Ballot, view: BloeffView) -> Option:
    said = view.balloted
    total = "" if said is None else f" {said.total}"
    words = f"Doubt{total}!" if action.doubt else f"Let{total or ' it'} stand"
    return Option((("", words),), words)


def _card_played(action: Number | Red | Action, view: BloeffView, names: Sequence[str]) -> Option:
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
