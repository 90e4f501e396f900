"""The scene of Bluff You!: the dice, the announcement and the chips as data and in words."""

from collections.abc import Sequence
from typing import Any, Final, assert_never

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
from arena.games.bluff_you.chances import claim_chance
from arena.games.game import Options
from arena.match.transcript import Step
from arena.showing.claims import ClaimOutcome, Mark, ShownClaim, chances
from arena.showing.moments import Moment
from arena.showing.seats import by_seat
from arena.wording import listed, number_of

QUIET: Final = "The swapping ends."
UNIT: Final = "points"
SCORE: Final = "points"
ROUND: Final = "Turn"


def table(moment: Moment, before: Moment | None) -> dict[str, Any]:  # noqa: ARG001
    """Return the dice of the turn, the announcement, and the owners of the chips."""
    view: BluffYouView = moment.views[0]
    shown = next((e for e in moment.events if isinstance(e, Revealed | Swapped)), None)
    # After a reveal, the view is of the next turn; the picture still shows the revealed turn.
    bluffer = shown.bluffer if shown else view.bluffer
    dice = shown.dice if shown else next((own.dice for own in moment.views if own.dice), ())
    said = shown.announced if isinstance(shown, Revealed) else view.announced
    moved = _moved(moment.events)
    return {
        "facts": [number_of(len(view.centre), "chip") + " in the centre"],
        "bluffer": bluffer,
        "dice": list(dice),
        "hidden": int(not dice and view.phase is not BluffYouPhase.ROLL),
        "to": -1 if said is None else said.seer,
        "answer": _answer(shown) if isinstance(shown, Revealed) else "",
        "centre": list(view.centre),
        "seats": by_seat(
            {
                "note": number_of(view.points[seat], "point"),
                "out": False,
                "act": view.to_act == seat and not isinstance(shown, Revealed),
                "role": "bluffs" if seat == bluffer else "",
                "chips": list(chips),
                "moved": [number for number in chips if number in moved],
            }
            for seat, chips in enumerate(view.chips)
        ),
    }


def _moved(events: Sequence[BluffYouEvent]) -> frozenset[int]:
    """Return the chips that were just moved to a seat."""
    chips = {event.chip for event in events if isinstance(event, Revealed)}
    return frozenset(
        {chip for chip in chips if chip is not None}
        | {event.number for event in events if isinstance(event, Gift | Taken)}
        | {event.take for event in events if isinstance(event, Swapped)}
    )


def standing(view: BluffYouView) -> Sequence[int]:
    """Return the points, by seat."""
    return view.points


def round_started(event: BluffYouEvent) -> int | None:
    """Return the number of the turn that an event starts; None for other events."""
    return event.turn if isinstance(event, TurnStarted) else None


def claimed(
    moment: Moment,
    before: Moment | None,  # noqa: ARG001
    after: Moment | None,  # noqa: ARG001
    rules: Options,  # noqa: ARG001
) -> ShownClaim | None:
    """Return the announcement of the moment."""
    said = next((event for event in moment.events if isinstance(event, Announced)), None)
    if said is None:
        return None
    dice = next((view.dice for view in moment.views if view.dice), ())
    return ShownClaim(
        said.bluffer,
        _claim(said.announced),
        chances(claim_chance(view) for view in moment.views),
        str(sum(dice)) if dice else None,
        _verdict(dice, said.announced) if dice else None,
    )


def _verdict(dice: Sequence[int], said: BluffYouAnnouncement) -> Mark:
    return Mark.TRUE if sum(dice) == said.number else Mark.BLUFF


def outcome(moment: Moment, before: Moment | None) -> ClaimOutcome | None:  # noqa: ARG001
    """Return the reveal of the moment: the sum, the verdict and whether the answer was right."""
    end = next((event for event in moment.events if isinstance(event, Revealed)), None)
    if end is None:
        return None
    judged = Mark.RIGHT if end.winner == end.announced.seer else Mark.WRONG
    doubt = () if end.believed else (Mark.DOUBT,)
    marks = (Mark.SHOWDOWN, *doubt, judged)
    return ClaimOutcome(marks, str(sum(end.dice)), _verdict(end.dice, end.announced))


def _claim(said: BluffYouAnnouncement) -> str:
    return f"{said.number}!" if isinstance(said, Win) else f"Your {said.number}!"


def _answer(shown: Revealed) -> str:
    return "“Ok!”" if shown.believed else "“Bluff you!”"


def tell(event: BluffYouEvent, names: Sequence[str]) -> str:
    """Return an event in words."""
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
    """Return None: the table shows the dice."""
    return None
