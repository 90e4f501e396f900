"""Blöff's table: the total and its limit, hands, red cards that wait, sealed ballots."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from arena.games.bloeff import (
    Accepted,
    ActionPlayed,
    Ballot,
    BloeffEvent,
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
from arena.match.transcript import Step
from arena_dashboard.markup import Html, picture, tag
from arena_dashboard.scenes.pieces import counted, facts, group, labelled, seat_card, speech, table
from arena_dashboard.watching import Moment

QUIET = "The seats ballot, sealed."

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
_NAMES = {Card.REVERSE: "⇄", Card.DRAW2: "+2", Card.SKIP: "⊘"}


def render(moment: Moment, names: Sequence[str]) -> Html:
    """The table."""
    view: BloeffView = moment.views[0]
    clockwise = view.direction is Direction.CLOCKWISE
    header = facts(
        f"Round {view.round}" if view.round else "Before the deal",
        f"turn {view.turn}" if view.turn else "",
        "clockwise ↻" if clockwise else "counterclockwise ↺",
        f"draw pile {view.draw_pile}",
        f"centre pile {view.centre_pile}",
    )
    shown = next((event for event in moment.events if isinstance(event, Doubted)), None)
    own_face_down = [own.face_down for own in moment.views if own.face_down]
    middle = (
        _meter(view),
        speech(f"{names[view.balloted.seat]} announces", f"{view.balloted.total}", "doubt it?")
        if view.balloted
        else "",
        labelled("the doubted card", _cards("shown", (shown.card,))) if shown else "",
        labelled("seen last", _cards("seen last", view.seen[-8:])) if view.seen else "",
        *(
            labelled("laid face down, known", _cards("known face down", cards))
            for cards in own_face_down
        ),
    )
    return table(header, middle, _seats(moment.views, names))


def _meter(view: BloeffView) -> Html:
    share = min(100, 100 * view.total // max(1, view.limit))
    return tag(
        "div",
        tag("b", f"Total {view.total}"),
        picture(
            f"total {view.total} of limit {view.limit}",
            tag("span", style=f"width:{share}%"),
            class_="ba-meter",
        ),
        tag("span", f"limit {view.limit}"),
        class_="ba-row",
    )


def _seats(views: Sequence[BloeffView], names: Sequence[str]) -> Iterator[Html]:
    view = views[0]
    hands = {own.seat: own.hand for own in views if own.seat is not None}
    for seat, size in enumerate(view.hand_sizes):
        hand = hands.get(seat)
        cards = (
            _cards(f"hand of {names[seat]}", hand)
            if hand
            else group(
                f"{counted(size, 'hidden card')}",
                *(tag("span", class_="ba-card ba-back", aria_hidden="true"),) * size,
            )
        )
        waiting = view.waiting[seat]
        yield seat_card(
            seat,
            names[seat],
            cards if size else "",
            labelled("waiting in front", _cards("waiting", waiting)) if waiting else "",
            acting=seat in view.to_act,
            note=counted(size, "card"),
        )


def _cards(label: str, cards: Sequence[Card]) -> Html:
    return group(f"{label}: {' '.join(map(str, cards))}", *(_card(card) for card in cards))


def _card(card: Card) -> Html:
    kind = "ba-red" if card in (Card.DRAW2, Card.SKIP) else "ba-action" if card in _NAMES else ""
    return tag(
        "span",
        _NAMES.get(card) or _face(card),
        class_=f"ba-card {kind}".strip(),
        aria_hidden="true",
    )


def _face(card: Card) -> str:
    return str(card).replace("-", "−")


def tell(event: BloeffEvent, names: Sequence[str]) -> str:
    """An event in words."""
    match event:
        case Dealt(sizes, pile):
            return f"{counted(sizes[0], 'card')} each; {pile} are left to draw."
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
            return f"{names[seat]} draws {counted(count, 'card')} for {_CAUSES[cause]}."
        case Reshuffled(pile):
            return f"The centre pile is shuffled: {counted(pile, 'card')} to draw."
        case RedCarriedOut(seat, card):
            return f"{names[seat]} carries out {card}."
        case MatchEnded(ending, points):
            counts = ", ".join(
                f"{name} {counted(own, 'point')}" for name, own in zip(names, points, strict=True)
            )
            return f"The match ends, {_ENDINGS[ending]}: {counts}."
        case _:
            assert_never(event)


def _called(called: bool) -> str:
    return ", calling" if called else ""


def reveal(step: Step, names: Sequence[str]) -> str | None:
    """The card behind an announcement, a sealed ballot, the choice among doubts."""
    match step.action:
        case Number(value) if isinstance(step.actor, int):
            return f"{names[step.actor]} takes a {_face(Card(value))} from its hand."
        case Ballot(doubt) if isinstance(step.actor, int):
            return f"{names[step.actor]}'s sealed ballot: {'doubt' if doubt else 'no doubt'}."
        case Doubter(seat):
            return f"Several doubt; {names[seat]}'s doubt is drawn."
        case _:
            return None
