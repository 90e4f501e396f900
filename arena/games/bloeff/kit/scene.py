"""The scene of Blöff: the total, hands, laid cards and sealed ballots as data and in words."""

from collections.abc import Sequence
from typing import Any, Final, assert_never

from arena.games.bloeff import (
    Accepted,
    ActionPlayed,
    Ballot,
    BloeffEvent,
    BloeffOptions,
    BloeffRoundStarted,
    BloeffView,
    Card,
    CardsDrawn,
    Dealt,
    Direction,
    Doubted,
    Doubter,
    DrawCause,
    Ending,
    MatchEnded,
    Number,
    NumberPlayed,
    RedCarriedOut,
    RedPlayed,
    Reshuffled,
)
from arena.games.bloeff.chances import claim_chance
from arena.games.bloeff.turns import honest_total
from arena.games.game import Options
from arena.match.transcript import Step
from arena.showing.claims import ClaimOutcome, Mark, ShownClaim, chances
from arena.showing.moments import Moment
from arena.showing.seats import by_seat
from arena.wording import number_of

QUIET: Final = "The seats ballot, sealed."
UNIT: Final = "cards"
SCORE: Final = "points in hand, fewer are better"
ROUND: Final = "Round"

_CAUSES = {
    DrawCause.MISSED_CALL: "a missed call",
    DrawCause.BUST: "a bust",
    DrawCause.DOUBT: "being wrong about a doubt",
    DrawCause.DRAW2: "a draw2",
}
_ENDINGS = {
    Ending.LAST_LIMIT: "the last round is over",
    Ending.EMPTY_HAND: "a hand is empty",
    Ending.TURN_CAP: "the most turns are played",
}


def table(moment: Moment, before: Moment | None) -> dict[str, Any]:
    """Return the total, the cards laid in the round with their owners, hands and red cards."""
    view: BloeffView = moment.views[0]
    doubted = next((event for event in moment.events if isinstance(event, Doubted)), None)
    bust = _bust(moment, before)
    # A doubt and a bust end the round: the view is already in the next one.
    closed = before if doubted is not None or bust is not None else None
    views: Sequence[BloeffView] = moment.views if closed is None else closed.views
    shown = views[0]
    laid = _laid(views)
    if doubted is not None:
        laid[-1] = (doubted.seat, doubted.announced, int(doubted.card))
    if bust is not None:
        laid.append((bust.seat, bust.announce, _card_of(moment)))
    clockwise = shown.direction is Direction.CLOCKWISE
    drawn = [event for event in moment.events if isinstance(event, CardsDrawn)]
    hands = {own.seat: own.hand for own in moment.views if own.seat is not None}
    return {
        "facts": [
            "clockwise ↻" if clockwise else "counterclockwise ↺",
            f"draw pile {view.draw_pile}",
            f"centre pile {view.centre_pile}",
        ],
        "total": shown.total,
        "limit": shown.limit,
        "laid": laid,
        "seen": list(map(int, view.seen[-6:])),
        "seats": by_seat(
            {
                "note": number_of(size, "card"),
                "out": False,
                "role": "",
                "act": seat in view.to_act and closed is None,
                "drew": sum(event.count for event in drawn if event.seat == seat),
                "cards": list(map(int, hands.get(seat, ()))),
                "hidden": 0 if seat in hands else size,
                "wait": list(map(int, view.waiting[seat])),
            }
            for seat, size in enumerate(view.hand_sizes)
        ),
    }


def _laid(views: Sequence[BloeffView]) -> list[tuple[int, int, int | None]]:
    """Return the round's face-down cards as (seat, announced total, value if known)."""
    view = views[0]
    claims = [*view.announcements, *([view.balloted] if view.balloted else [])]
    known = {own.seat: list(own.face_down) for own in views if own.seat is not None}
    laid: list[tuple[int, int, int | None]] = []
    # A seat's latest face-down cards belong to its latest announcements; a reshuffle removes the
    # oldest cards.
    for claim in reversed(claims):
        own = known.get(claim.seat)
        laid.append((claim.seat, claim.total, int(own.pop()) if own else None))
    return laid[::-1]


def _card_of(moment: Moment) -> int | None:
    """Return the value of the card laid in this moment; None if the viewpoint does not know it."""
    action = None if moment.own is None else moment.own.action
    return int(action.value) if isinstance(action, Number) else None


def _bust(moment: Moment, before: Moment | None) -> NumberPlayed | None:
    """Return the announcement above the limit in this moment, if any (BO-17)."""
    played = next((event for event in moment.events if isinstance(event, NumberPlayed)), None)
    # Without a previous moment, the view is the one before the announcement.
    limit = (moment if before is None else before).views[0].limit
    return None if played is None or played.announce <= limit else played


def standing(view: BloeffView) -> Sequence[int]:
    """Return the number of cards in hand, by seat."""
    return view.hand_sizes


def round_started(event: BloeffEvent) -> int | None:
    """Return the number of the round that an event starts; None for other events."""
    return event.round if isinstance(event, BloeffRoundStarted) else None


def claimed(
    moment: Moment,
    before: Moment | None,
    after: Moment | None,  # noqa: ARG001
    rules: Options,
) -> ShownClaim | None:
    """Return the announcement that opens for doubt in this moment, or that is a bust."""
    view: BloeffView = moment.views[0]
    assert isinstance(rules, BloeffOptions)
    bust = _bust(moment, before)
    if bust is not None:  # it is not a lie and cannot be doubted
        unknown = (None,) * len(moment.views)
        return ShownClaim(bust.seat, f"Total {bust.announce}: a bust", unknown, None, None)
    if view.balloted is None or (before is not None and before.views[0].balloted is not None):
        return None
    said = view.balloted
    laid = next((own.face_down[-1] for own in moment.views if own.seat == said.seat), None)
    honest = None if laid is None else honest_total(rules, view.total, laid)
    return ShownClaim(
        said.seat,
        f"Total {said.total}",
        chances(claim_chance(own, rules) for own in moment.views),
        None if honest is None else str(honest),
        None if honest is None else Mark.TRUE if honest == said.total else Mark.BLUFF,
    )


def outcome(moment: Moment, before: Moment | None) -> ClaimOutcome | None:
    """Return how a claim ends in this moment: by a doubt, by acceptance or as a bust."""
    if _bust(moment, before) is not None:
        return ClaimOutcome((Mark.BUST,))
    for event in moment.events:
        if isinstance(event, Doubted):
            verdict = Mark.TRUE if event.right else Mark.BLUFF
            judged = Mark.WRONG if event.right else Mark.RIGHT
            marks = (Mark.SHOWDOWN, Mark.DOUBT, judged)
            return ClaimOutcome(marks, str(event.honest), verdict)
        if isinstance(event, Accepted):
            return ClaimOutcome(())
    return None


def _face(card: Card) -> str:
    return str(card).replace("-", "−")


def tell(event: BloeffEvent, names: Sequence[str]) -> str:
    """Return an event in words."""
    match event:
        case Dealt(sizes, pile):
            return f"{number_of(sizes[0], 'card')} each; {pile} are left to draw."
        case BloeffRoundStarted(number, limit, starter):
            return f"Round {number} with limit {limit}: {names[starter]} starts."
        case NumberPlayed(seat, announce, called):
            return f"{names[seat]} lays a card face down and announces {announce}{_called(called)}."
        case RedPlayed(seat, card, target, called):
            return f"{names[seat]} lays {card} in front of {names[target]}{_called(called)}."
        case ActionPlayed(seat, card, direction, called):
            return f"{names[seat]} plays {card}{_called(called)}: play goes on {direction}."
        case Accepted(_, total):
            return f"Nobody doubts: the total is {total}."
        case Doubted():
            judged = "was right" if event.right else f"should have been {event.honest}"
            who = f"{names[event.doubter]} doubts {names[event.seat]}"
            return f"{who}: the card is {_face(event.card)}, so {event.announced} {judged}."
        case CardsDrawn(seat, count, cause):
            return f"{names[seat]} draws {number_of(count, 'card')} for {_CAUSES[cause]}."
        case Reshuffled(pile):
            return f"The centre pile is shuffled: {number_of(pile, 'card')} to draw."
        case RedCarriedOut(seat, card):
            return f"{names[seat]} carries out {card}."
        case MatchEnded(ending, points):
            counts = ", ".join(
                f"{name} {number_of(own, 'point')}" for name, own in zip(names, points, strict=True)
            )
            return f"The match ends, {_ENDINGS[ending]}: {counts}."
        case _:
            assert_never(event)


def _called(called: bool) -> str:
    return ", calling" if called else ""


def reveal(step: Step, names: Sequence[str]) -> str | None:
    """Return the secret of a step in words: the laid card, a sealed ballot or the drawn doubter."""
    match step.action:
        case Number(value) if isinstance(step.actor, int):
            return f"{names[step.actor]} takes a {_face(Card(value))} from its hand."
        case Ballot(doubt) if isinstance(step.actor, int):
            return f"The sealed ballot of {names[step.actor]}: {'doubt' if doubt else 'no doubt'}."
        case Doubter(seat):
            return f"Several doubt; the doubt of {names[seat]} is drawn."
        case _:
            return None
