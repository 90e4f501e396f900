"""The sequence of a turn (BO-9 to BO-22, 1.10): the effects of cards and what follows them.

Each function takes a draft and an already checked action. A step ends as soon as a seat or the
dealer has to decide.
"""

from typing import assert_never

from arena.games.bloeff.drawing import drawn_up, merged, owe, without
from arena.games.bloeff.ending import end_match
from arena.games.bloeff.events import (
    Accepted,
    ActionPlayed,
    BloeffRoundStarted,
    Doubted,
    DrawCause,
    Ending,
    NumberPlayed,
    RedCarriedOut,
    RedPlayed,
)
from arena.games.bloeff.options import BloeffOptions
from arena.games.bloeff.state import BloeffPhase, Draft, Then
from arena.games.bloeff.values import Action, Announcement, Card, Direction, Number, Red

DRAW2_CARDS = 2


def begin_match(draft: Draft, options: BloeffOptions) -> None:
    """Begin the first turn, after the deal (BO-5)."""
    draft.starter = options.first_seat
    _begin_round(draft, options)
    go_on(draft, options)


def play(draft: Draft, options: BloeffOptions, action: Number | Red | Action) -> None:
    """Play a card from the hand of the seat on turn (BO-10 to BO-17)."""
    seat = draft.on_turn
    card = Card(action.value) if isinstance(action, Number) else action.card
    due = len(draft.hands[seat]) == 2
    called = due and (action.call or options.call_mode == "auto")
    draft.hands[seat] = without(draft.hands[seat], card)
    draft.then = Then.END_TURN
    if due and not called:
        owe(draft, seat, options.call_penalty, DrawCause.MISSED_CALL)
    if isinstance(action, Number):
        _lay_face_down(draft, options, card, action.announce)
        draft.news.append(NumberPlayed(seat, action.announce, called))
    elif isinstance(action, Red):
        draft.waiting[action.target] += (card,)
        draft.news.append(RedPlayed(seat, card, action.target, called))
    else:
        draft.seen += (card,)
        if card is Card.REVERSE:
            draft.direction = Direction(-draft.direction)
        draft.news.append(ActionPlayed(seat, card, draft.direction, called))
    go_on(draft, options)


def accept(draft: Draft, options: BloeffOptions) -> None:
    """Close the window without a doubt: the announcement becomes the total (BO-18)."""
    seat, card = draft.on_turn, draft.open_card
    assert card is not None  # A window has a card.
    draft.face_down[seat] += (card,)
    draft.open_card = None
    draft.ballots = ()
    draft.total = draft.announced
    draft.announcements += (Announcement(seat, draft.announced),)
    draft.news.append(Accepted(seat, draft.announced))
    draft.then = Then.END_TURN
    go_on(draft, options)


def doubt(draft: Draft, options: BloeffOptions, doubter: int) -> None:
    """Show the card: the seat that is wrong draws, the one that is right starts (BO-21, BO-22)."""
    seat, card = draft.on_turn, draft.open_card
    assert card is not None  # A window has a card.
    honest = honest_total(options, draft.total, card)
    right = draft.announced == honest
    everyone = options.publish_ballots == "all"
    doubts = tuple(s for s, ballot in enumerate(draft.ballots) if ballot) if everyone else ()
    draft.news.append(Doubted(seat, doubter, card, draft.announced, honest, right, doubts))
    draft.open_card = None
    draft.ballots = ()
    if options.caught_card_returns and not right:
        draft.hands[seat] = merged(draft.hands[seat], (card,))
    else:
        draft.seen += (card,)
    owe(draft, doubter if right else seat, options.doubt_penalty, DrawCause.DOUBT)
    draft.starter = seat if right else doubter
    draft.then = Then.END_ROUND
    go_on(draft, options)


def honest_total(options: BloeffOptions, total: int, card: Card) -> int:
    """Return the honest total h(T, v) of BO-7.

    It is below 0 only if the card cannot be announced honestly.
    """
    honest = total + card
    return 0 if honest < 0 and options.below_zero == "floor" else int(honest)


def next_seat(seat: int, direction: Direction, seat_count: int) -> int:
    """Return the next seat in the direction of play (BO-20)."""
    return (seat + direction) % seat_count


def go_on(draft: Draft, options: BloeffOptions) -> None:
    """Draw owed cards and continue until a seat or the dealer has to decide."""
    while drawn_up(draft):
        match draft.then:
            case Then.WINDOW:
                draft.phase = BloeffPhase.BALLOTS
                draft.ballots = (None,) * len(draft.hands)
                return
            case Then.END_TURN | Then.END_ROUND:
                ending = _ending(draft, options)
                if ending is not None:
                    end_match(draft, options, ending)
                    return
                if draft.then is Then.END_ROUND:
                    _begin_round(draft, options)
                else:
                    seat = next_seat(draft.on_turn, draft.direction, len(draft.hands))
                    _begin_turn(draft, seat)
            case Then.CARRY_OUT:
                if not draft.waiting[draft.on_turn]:
                    draft.phase = BloeffPhase.PLAY
                    return
                _carry_out(draft)
            case Then.SET_ASIDE:
                _set_aside(draft)
                draft.then = Then.END_TURN if options.draw2_ends_turn else Then.CARRY_OUT
            case _:
                assert_never(draft.then)


def _lay_face_down(draft: Draft, options: BloeffOptions, card: Card, announce: int) -> None:
    """Open the doubt window for a laid card, or end the round if its total is a bust (BO-17)."""
    if announce > options.limits[draft.round - 1]:
        draft.face_down[draft.on_turn] += (card,)
        owe(draft, draft.on_turn, options.bust_penalty, DrawCause.BUST)
        draft.starter = draft.on_turn
        draft.then = Then.END_ROUND
    else:
        # It is not on the centre pile yet: a reshuffle for a missed call omits it (BO-8).
        draft.open_card = card
        draft.announced = announce
        draft.then = Then.WINDOW


def _ending(draft: Draft, options: BloeffOptions) -> Ending | None:
    """Return the first reason that ends the match with this turn; None if it goes on (BO-23)."""
    if draft.then is Then.END_ROUND and draft.round == len(options.limits):
        return Ending.LAST_LIMIT
    if not draft.hands[draft.on_turn]:
        return Ending.EMPTY_HAND
    return Ending.TURN_CAP if draft.turn >= options.max_turns else None


def _begin_round(draft: Draft, options: BloeffOptions) -> None:
    draft.round += 1
    draft.total = 0
    draft.announcements = ()
    limit = options.limits[draft.round - 1]
    draft.news.append(BloeffRoundStarted(draft.round, limit, draft.starter))
    _begin_turn(draft, draft.starter)


def _begin_turn(draft: Draft, seat: int) -> None:
    draft.turn += 1
    draft.on_turn = seat
    draft.then = Then.CARRY_OUT


def _carry_out(draft: Draft) -> None:
    """Carry out the oldest red card in front of the seat on turn (BO-9)."""
    seat = draft.on_turn
    card = draft.waiting[seat][0]
    draft.news.append(RedCarriedOut(seat, card))
    if card is Card.SKIP:
        _set_aside(draft)
        draft.then = Then.END_TURN
    else:
        # The card stays in front of the seat until it has drawn, so no reshuffle takes it (BO-E17).
        owe(draft, seat, DRAW2_CARDS, DrawCause.DRAW2)
        draft.then = Then.SET_ASIDE


def _set_aside(draft: Draft) -> None:
    """Move the red card just carried out to the seen part of the centre pile."""
    card, *rest = draft.waiting[draft.on_turn]
    draft.waiting[draft.on_turn] = tuple(rest)
    draft.seen += (card,)
