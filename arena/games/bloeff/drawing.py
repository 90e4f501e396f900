"""Drawing cards (BO-8): a seat draws owed cards at once, or after the dealer's reshuffle."""

from arena.games.bloeff.events import CardsDrawn, DrawCause, Reshuffled
from arena.games.bloeff.state import BloeffPhase, Draft, Owed
from arena.games.bloeff.values import Card, Cards


def owe(draft: Draft, seat: int, count: int, cause: DrawCause) -> None:
    """Record that a seat must draw cards before the turn continues; debts are paid in order."""
    if count:
        draft.owed.append(Owed(seat, count, cause))


def drawn_up(draft: Draft) -> bool:
    """Draw all owed cards and return True.

    Return False, in phase RESHUFFLE, if a reshuffle is due first.
    """
    while draft.owed:
        debt = draft.owed.pop(0)
        drawn = min(debt.count, len(draft.draw_pile))
        if drawn:
            draft.hands[debt.seat] = merged(draft.hands[debt.seat], draft.draw_pile[:drawn])
            draft.draw_pile = draft.draw_pile[drawn:]
        reshuffle = drawn < debt.count and centre_size(draft) > 0
        if drawn or not reshuffle:
            draft.news.append(CardsDrawn(debt.seat, drawn, debt.cause))
        if reshuffle:
            draft.owed.insert(0, Owed(debt.seat, debt.count - drawn, debt.cause))
            draft.phase = BloeffPhase.RESHUFFLE
            return False
    return True


def reshuffle(draft: Draft, cards: Cards) -> None:
    """Replace the draw pile by the centre pile, in the order of the dealer's draw."""
    draft.draw_pile = cards
    draft.seen = ()
    draft.face_down = [()] * len(draft.hands)
    draft.reshuffles += 1
    draft.news.append(Reshuffled(len(cards)))


def merged(hand: Cards, cards: Cards) -> Cards:
    """Return a hand with cards added, ascending."""
    return tuple(sorted(hand + cards))


def without(hand: Cards, card: Card) -> Cards:
    """Return a hand without one copy of `card`."""
    index = hand.index(card)
    return hand[:index] + hand[index + 1 :]


def centre_size(draft: Draft) -> int:
    """Return the number of cards in the centre pile, which a reshuffle would take."""
    return len(draft.seen) + sum(map(len, draft.face_down))
