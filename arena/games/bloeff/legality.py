"""The legal answers of a seat (1.9) as an iterator, a check and a sentence."""

from collections.abc import Iterator
from typing import Final

from arena.games.bloeff.options import HIGHEST_ANNOUNCEMENT, BloeffOptions
from arena.games.bloeff.state import BloeffPhase, BloeffState
from arena.games.bloeff.turns import honest_total, next_seat
from arena.games.bloeff.values import (
    HIGHEST_VALUE,
    LOWEST_VALUE,
    RED_CARDS,
    Action,
    Ballot,
    BloeffAction,
    BloeffChoice,
    BloeffView,
    Card,
    Cards,
    Number,
    Red,
)
from arena.games.game import IllegalActionError
from arena.wording import one_of

_BALLOTS: Final = (Ballot(False), Ballot(True))
_CALLS: Final = (False, True)
_PLAY: Final = BloeffPhase.PLAY


def asked(state: BloeffState, seat: int) -> bool:
    """Return whether the match waits for an answer of this seat."""
    if state.phase is _PLAY:
        return seat == state.on_turn
    return state.phase is BloeffPhase.BALLOTS and _ballot_awaited(state, seat)


def claimable(options: BloeffOptions, total: int) -> tuple[int, int]:
    """Return the smallest and the largest total that may be announced (BO-12)."""
    if options.announce_range == "any":
        return 0, HIGHEST_ANNOUNCEMENT
    return max(0, total + LOWEST_VALUE), total + HIGHEST_VALUE


def legal_actions(state: BloeffState, options: BloeffOptions, seat: int) -> Iterator[BloeffChoice]:
    """Yield every legal answer of a seat, each once."""
    if not asked(state, seat):
        return
    if state.phase is not _PLAY:
        yield from _BALLOTS
        return
    lowest, highest = claimable(options, state.total)
    yield from _plays(state.hands[seat], seat, len(state.hands), lowest, highest)


def choices(view: BloeffView) -> Iterator[BloeffChoice]:
    """Yield every legal answer of the view's own seat, from the view alone."""
    if view.seat is None or view.seat not in view.to_act:
        return
    if view.balloted is not None:
        yield from _BALLOTS
        return
    yield from _plays(view.hand, view.seat, len(view.hand_sizes), view.lowest, view.highest)


def check(state: BloeffState, options: BloeffOptions, seat: int, action: BloeffAction) -> None:
    """Raise IllegalActionError unless `legal_actions` contains the action.

    Types are compared exactly, because 1.0 and True equal 1. Refused values are never printed: they
    are untrusted and of any size.
    """
    if not asked(state, seat):
        raise IllegalActionError(hint(state, options, seat))
    why = _play_flaw(state, options, seat, action) if state.phase is _PLAY else _ballot_flaw(action)
    if why is not None:
        raise IllegalActionError(f"{why}.", hint(state, options, seat))


def hint(state: BloeffState, options: BloeffOptions, seat: int) -> str:
    """Return a sentence that says what is legal for a seat; it holds no secrets of other seats."""
    if state.phase is BloeffPhase.OVER:
        return "The match is over."
    if state.phase is _PLAY:
        if seat != state.on_turn:
            return f"Seat {state.on_turn} is on turn; others wait."
        return f"Legal is {'; or '.join(_ways(state, options, seat))}."
    if state.phase is BloeffPhase.BALLOTS:
        if seat == state.on_turn:
            return "The other seats ballot; the one that played waits."
        if not _ballot_awaited(state, seat):
            return "The ballot is in and cannot be changed."
        return "Legal is a ballot, to doubt or not."
    return "The dealer draws now; no seat acts."


def default_action(state: BloeffState, options: BloeffOptions, seat: int) -> BloeffChoice:
    """Return the action played for a faulty seat (BO-28).

    It is the smallest number card with its honest total; without a number card, the first action
    card in the order reverse, draw2, skip, with red cards laid before the next seat; always with a
    call. A ballot is not to doubt.
    """
    if state.phase is not _PLAY:
        return _BALLOTS[False]
    # Hands are ascending, and action cards follow the numbers in exactly this order.
    card = state.hands[seat][0]
    if card <= HIGHEST_VALUE:
        honest = honest_total(options, state.total, card)
        lowest, highest = claimable(options, state.total)
        return Number(card.value, min(max(lowest, honest), highest), True)
    if card in RED_CARDS:
        return Red(card, next_seat(seat, state.direction, len(state.hands)), True)
    return Action(card, True)


def _ways(state: BloeffState, options: BloeffOptions, seat: int) -> Iterator[str]:
    """Yield phrases that describe how the cards of the hand can be played."""
    hand = sorted(set(state.hands[seat]))
    numbers = [card for card in hand if card <= HIGHEST_VALUE]
    if numbers:
        lowest, highest = claimable(options, state.total)
        limit = options.limits[state.round - 1]
        bust = f" (above {limit} is a bust)" if highest > limit else ""
        yield f"the number card {one_of(numbers)}, announced as {lowest} to {highest}{bust}"
    reds = [card for card in hand if card in RED_CARDS]
    if reds:
        yield f"{one_of(reds)} for another seat"
    if Card.REVERSE in hand:
        yield str(Card.REVERSE)


def _plays(
    hand: Cards, seat: int, seat_count: int, lowest: int, highest: int
) -> Iterator[Number | Red | Action]:
    for card in sorted(set(hand)):
        for call in _CALLS:
            if card <= HIGHEST_VALUE:
                for announce in range(lowest, highest + 1):
                    yield Number(card.value, announce, call)
            elif card in RED_CARDS:
                for target in range(seat_count):
                    if target != seat:
                        yield Red(card, target, call)
            else:
                yield Action(card, call)


def _ballot_awaited(state: BloeffState, seat: int) -> bool:
    return 0 <= seat < len(state.ballots) and seat != state.on_turn and state.ballots[seat] is None


def _ballot_flaw(action: BloeffAction) -> str | None:
    """Return why an action is not a valid ballot; None if it is."""
    if type(action) is not Ballot:
        return "This is not a ballot"
    return None if type(action.doubt) is bool else "A ballot is true or false"


def _play_flaw(
    state: BloeffState, options: BloeffOptions, seat: int, action: BloeffAction
) -> str | None:
    """Return why a seat may not play this action now; None if it may."""
    hand = state.hands[seat]
    if type(action) is Number:
        value, announce = action.value, action.announce
        # A Card is accepted in place of its value.
        if type(value) is not int and type(value) is not Card:
            return "The value of a number card is a whole number"
        if not LOWEST_VALUE <= value <= HIGHEST_VALUE or value not in hand:
            return "This number card is not in the hand"
        if type(announce) is not int:
            return "An announcement is a whole number"
        lowest, highest = claimable(options, state.total)
        if not lowest <= announce <= highest:
            return "This total may not be announced"
    elif type(action) is Red:
        if type(action.card) is not Card or action.card not in RED_CARDS:
            return "Only draw2 and skip are laid in front of a seat"
        if action.card not in hand:
            return "This card is not in the hand"
        target = action.target
        if type(target) is not int or not 0 <= target < len(state.hands) or target == seat:
            return "A red card is laid in front of another seat"
    elif type(action) is Action:
        if action.card is not Card.REVERSE:
            return "Only a reverse is played like this"
        if action.card not in hand:
            return "This card is not in the hand"
    else:
        return "A seat on turn plays a card"
    return None if type(action.call) is bool else "A call is true or false"
