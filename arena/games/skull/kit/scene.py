"""The scene of Skull: mats, hands, the bid and turned discs as data and in words."""

from collections.abc import Sequence
from functools import reduce
from typing import Any, Final, assert_never

from arena.games.skull.chances import bid_chance
from arena.games.skull.kit.seen import after as seen_after
from arena.games.skull.options import SkullOptions
from arena.games.skull.values import (
    BidMade,
    ChallengeBegun,
    Disc,
    DiscAdded,
    DiscLost,
    DiscTurned,
    DrawnLoss,
    Lose,
    OpenerDrawn,
    Place,
    PointWon,
    SeatPassed,
    SkullEvent,
    SkullPhase,
    SkullRoundStarted,
    SkullView,
)
from arena.match.transcript import Step
from arena.showing.claims import ClaimOutcome, Mark, ShownClaim, chances
from arena.showing.moments import Moment
from arena.showing.seats import by_seat
from arena.wording import number_of

QUIET: Final = "A disc is laid face down."
UNIT: Final = "discs"
SCORE: Final = "points"
ROUND: Final = "Round"

_HIDDEN, _FLOWER, _SKULL = 0, 1, 2
"""The codes of discs in `games/skull.js`."""
_CODES = {Disc.FLOWER: _FLOWER, Disc.SKULL: _SKULL}


def table(moment: Moment, before: Moment | None) -> dict[str, Any]:
    """Return the bid, each seat's mat from the bottom and its hand, as far as known."""
    view, known = moment.views[0], moment.views
    if before is not None and any(map(_ends, moment.events)) and not sum(view.mats):
        # All discs are back in the hands: the picture still shows the challenge.
        told = [event for event in moment.events if not isinstance(event, DiscLost)]
        view = reduce(
            lambda seen, event: seen_after(seen, event, SkullOptions()), told, before.views[0]
        )
        known = before.views
    mats = {own.seat: own.own_mat for own in known if own.seat is not None}
    hands = {own.seat: own.hand for own in moment.views if own.seat is not None}
    return {
        "facts": [
            f"{number_of(sum(view.mats), 'disc')} on the mats",
            *([f"bid {view.bid}"] if view.bid else []),
        ],
        "bid": view.bid,
        "flowers": sum(discs.count(Disc.FLOWER) for discs in view.turned),
        "seats": by_seat(
            {
                "note": f"{number_of(owned, 'disc')} · {number_of(view.points[seat], 'point')}",
                "out": not owned,
                "act": seat in view.to_act,
                "role": _role(view, seat),
                "mat": _mat(view, seat, mats.get(seat, ())),
                "up": len(view.turned[seat]),
                "hand": [] if seat not in hands else [*map(_CODES.__getitem__, _all(hands[seat]))],
            }
            for seat, owned in enumerate(view.discs)
        ),
    }


def _ends(event: SkullEvent) -> bool:
    return isinstance(event, PointWon) or (
        isinstance(event, DiscTurned) and event.disc is Disc.SKULL
    )


def _role(view: SkullView, seat: int) -> str:
    if seat == view.bidder:
        challenge = view.phase in (SkullPhase.CHALLENGE, SkullPhase.LOSE, SkullPhase.LOSS)
        return "challenges" if challenge else f"bids {view.bid}"
    return "passed" if view.passed[seat] else ""


def _mat(view: SkullView, seat: int, own: Sequence[Disc]) -> list[int]:
    """Return the discs of a mat from the bottom; unknown discs are `_HIDDEN`."""
    height, turned = view.mats[seat], view.turned[seat]
    if len(own) == height:
        return [_CODES[disc] for disc in own]
    hidden = [_HIDDEN] * (height - len(turned))
    return hidden + [_CODES[disc] for disc in reversed(turned)]


def _all(hand: Any) -> list[Disc]:
    return [Disc.FLOWER] * hand.flowers + [Disc.SKULL] * hand.skulls


def standing(view: SkullView) -> Sequence[int]:
    """Return the number of discs that each seat owns."""
    return view.discs


def round_started(event: SkullEvent) -> int | None:
    """Return the number of the round that an event starts; None for other events."""
    return event.round if isinstance(event, SkullRoundStarted) else None


def claimed(
    moment: Moment,
    before: Moment | None,  # noqa: ARG001
    after: Moment | None,  # noqa: ARG001
    rules: SkullOptions,
) -> ShownClaim | None:
    """Return the bid of the moment.

    It is a bluff if the bidder would turn over a skull of its own mat.
    """
    bid = next((event for event in moment.events if isinstance(event, BidMade)), None)
    if bid is None:
        return None
    own = next((view.own_mat for view in moment.views if view.seat == bid.seat), ())
    bluff = Disc.SKULL in own[::-1][: bid.count]
    return ShownClaim(
        bid.seat,
        number_of(bid.count, "flower"),
        chances(bid_chance(view, bid.seat, bid.count, rules.flowers) for view in moment.views),
        "own skull" if bluff else None,
        Mark.BLUFF if bluff else None,
    )


def outcome(moment: Moment, before: Moment | None) -> ClaimOutcome | None:  # noqa: ARG001
    """Return the end of a challenge in this moment: a point, or a skull."""
    end = next(filter(_ends, moment.events), None)
    if end is None:
        return None
    if isinstance(end, PointWon):
        return ClaimOutcome((Mark.SHOWDOWN,), "met", Mark.TRUE)
    return ClaimOutcome((Mark.SHOWDOWN,), "a skull", Mark.BLUFF)


def tell(event: SkullEvent, names: Sequence[str]) -> str:
    """Return an event in words."""
    match event:
        case OpenerDrawn(seat):
            return f"{names[seat]} is drawn to open the first round."
        case SkullRoundStarted(number, opener):
            return f"Round {number}: all have laid a disc. {names[opener]} opens."
        case DiscAdded(seat, mat):
            return f"{names[seat]} adds a disc: {mat} lie on its mat."
        case BidMade(seat, count):
            return f"{names[seat]} bids {count}."
        case SeatPassed(seat):
            return f"{names[seat]} passes."
        case ChallengeBegun(seat, count):
            return f"{names[seat]} has to turn over {number_of(count, 'disc')}, its own first."
        case DiscTurned(owner, disc):
            return f"On the mat of {names[owner]}: {_named(disc)}."
        case PointWon(seat, points):
            return f"{names[seat]} meets its bid and has {number_of(points, 'point')}."
        case DiscLost(seat, left):
            rest = f"{number_of(left, 'disc')} left" if left else "and is out"
            return f"{names[seat]} loses a disc, {rest}."
        case _:
            assert_never(event)


def reveal(step: Step, names: Sequence[str]) -> str | None:
    """Return the secret of a step in words: the disc laid, given up or drawn."""
    match step.action:
        case Place(disc):
            return f"{_name(step, names)} lays {_named(disc)}."
        case Lose(disc):
            return f"{_name(step, names)} gives up {_named(disc)}."
        case DrawnLoss(disc):
            return f"The disc that is drawn is {_named(disc)}."
        case _:
            return None


def _name(step: Step, names: Sequence[str]) -> str:
    assert isinstance(step.actor, int)
    return names[step.actor]


def _named(disc: Disc) -> str:
    return "the skull" if disc is Disc.SKULL else "a flower"
