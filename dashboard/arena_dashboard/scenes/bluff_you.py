"""Bluff You!'s table: three dice, what is said of them, and who owns which chip."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from arena.games.bluff_you import (
    Announced,
    BluffYouAnnouncement,
    BluffYouEvent,
    BluffYouPhase,
    BluffYouView,
    Gift,
    Revealed,
    Swapped,
    Taken,
    TurnStarted,
    Win,
)
from arena.match.transcript import Step
from arena_dashboard.markup import Html, picture, tag
from arena_dashboard.scenes.pieces import (
    counted,
    die,
    facts,
    group,
    hidden_dice,
    labelled,
    listed,
    seat_card,
    speech,
    table,
)
from arena_dashboard.watching import Moment

QUIET = "The swapping ends."

_DICE = 3


def render(moment: Moment, names: Sequence[str]) -> Html:
    """The table."""
    view: BluffYouView = moment.views[0]
    shown = next((e for e in moment.events if isinstance(e, Revealed | Swapped)), None)
    # After a reveal the view is of the next turn; the picture still shows the revealed turn.
    bluffer = shown.bluffer if shown else view.bluffer
    turn = view.turn - (shown is not None and view.bluffer != bluffer)
    dice = shown.dice if shown else next((v.dice for v in moment.views if v.dice), ())
    said, answer = view.announced, ""
    if isinstance(shown, Revealed):
        said, answer = shown.announced, _answer(shown)
    header = facts(
        f"Turn {turn}",
        f"{names[bluffer]} bluffs",
        counted(len(view.centre), "chip") + " in the centre",
    )
    middle = (
        labelled(f"{names[bluffer]}'s dice", _dice(dice, view)),
        speech(f"{names[bluffer]} to {names[said.seer]}:", _claim(said), answer) if said else "",
        labelled("centre", _chips("in the centre", view.centre)),
    )
    return table(header, middle, _seats(view, names, _moved(moment.events)))


def _moved(events: Sequence[BluffYouEvent]) -> frozenset[int]:
    """The chips that were just moved to a seat."""
    chips = {event.chip for event in events if isinstance(event, Revealed)}
    return frozenset(
        {chip for chip in chips if chip is not None}
        | {event.number for event in events if isinstance(event, Gift | Taken)}
        | {event.take for event in events if isinstance(event, Swapped)}
    )


def _dice(dice: Sequence[int], view: BluffYouView) -> Html:
    if dice:
        total = sum(dice)
        label = f"dice: {' '.join(map(str, dice))}, together {total}"
        return group(label, *(die(face) for face in dice), tag("b", f"= {total}"))
    if view.phase is BluffYouPhase.ROLL:
        return tag("span", "not rolled yet", class_="ba-faint")
    return group("three hidden dice", hidden_dice(_DICE))


def _claim(said: BluffYouAnnouncement) -> str:
    return f"{said.number}!" if isinstance(said, Win) else f"Your {said.number}!"


def _answer(shown: Revealed) -> str:
    return "“Ok!”" if shown.believed else "“Bluff you!”"


def _chips(where: str, numbers: Sequence[int], moved: frozenset[int] = frozenset()) -> Html:
    if not numbers:
        return tag("span", "no chips", class_="ba-faint")
    return picture(
        f"chips {where}: {' '.join(map(str, numbers))}",
        *(
            tag(
                "span",
                str(number),
                class_=f"ba-chip ba-rare{_rarity(number)}" + (" ba-hit" if number in moved else ""),
            )
            for number in numbers
        ),
        class_="ba-group",
    )


def _rarity(number: int) -> int:
    """0 for the sums that three dice show most often, to 4 for the rarest (BY-2)."""
    off_middle = abs(2 * number - 21)
    return sum(off_middle > bound for bound in (3, 7, 11, 13))


def _seats(view: BluffYouView, names: Sequence[str], moved: frozenset[int]) -> Iterator[Html]:
    for seat, chips in enumerate(view.chips):
        yield seat_card(
            seat,
            names[seat],
            _chips(f"of {names[seat]}", chips, moved),
            acting=view.to_act == seat,
            note=counted(view.points[seat], "point"),
        )


def tell(event: BluffYouEvent, names: Sequence[str]) -> str:
    """An event in words."""
    match event:
        case TurnStarted(turn, bluffer):
            return f"Turn {turn}: {names[bluffer]} rolls in secret."
        case Announced(bluffer, said):
            what = "the chip" if isinstance(said, Win) else "its chip"
            to = f"{names[bluffer]} to {names[said.seer]}"
            return f"{to}: “{_claim(said)}” for {what} {said.number}."
        case Revealed():
            return _reveal_in_words(event, names)
        case Gift(giver, receiver, number):
            return f"{names[giver]} gives {names[receiver]} its {number}."
        case Taken(thief, owner, number):
            return f"{names[thief]} takes {number} from {names[owner]}."
        case Swapped(bluffer, dice, give, take):
            given = listed([str(number) for number in give])
            rolled = " ".join(map(str, dice))
            return f"{names[bluffer]} shows the double {rolled} and swaps {given} for {take}."
        case _:
            assert_never(event)


def _reveal_in_words(shown: Revealed, names: Sequence[str]) -> str:
    said, total = shown.announced, sum(shown.dice)
    truth = "true" if total == said.number else "a bluff"
    prize = f" and takes {shown.chip}" if shown.chip is not None else ""
    return (
        f"{names[said.seer]}: {_answer(shown)} The dice are {' '.join(map(str, shown.dice))}, "
        f"together {total}: {said.number} was {truth}. {names[shown.winner]} wins{prize}."
    )


def reveal(step: Step, names: Sequence[str]) -> str | None:  # noqa: ARG001 - all is in the dice
    """Nothing: the dice are on the table."""
    return None
