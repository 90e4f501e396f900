"""The dealer's draws in Blöff: the deal, reshuffles, and the choice of the doubter."""

from collections.abc import Sequence
from functools import partial

from arena.games.bloeff.drawing import reshuffle
from arena.games.bloeff.events import Dealt
from arena.games.bloeff.options import BloeffOptions
from arena.games.bloeff.state import BloeffPhase, BloeffState, Draft, centre_pile
from arena.games.bloeff.turns import begin_match, doubt, go_on
from arena.games.bloeff.values import BloeffAction, Card, Cards, Deal, Doubter, Reshuffle
from arena.games.chance import MOST_OUTCOMES, ChanceOutcomes, equally_likely, orders, shuffles
from arena.games.game import IllegalActionError
from arena.randomness import Randomness, shuffled


def draw(state: BloeffState, randomness: Randomness) -> BloeffAction:
    """Return the dealer's next draw. Raises ValueError if no draw is due."""
    if state.phase is BloeffPhase.DEAL:
        return Deal(shuffled(randomness, "deal", state.draw_pile))
    if state.phase is BloeffPhase.RESHUFFLE:
        key = f"recycle {state.reshuffles + 1}"
        return Reshuffle(shuffled(randomness, key, centre_pile(state)))
    if state.phase is BloeffPhase.DOUBTER:
        seats = doubting(state.ballots)
        return Doubter(seats[randomness.below(f"doubter {state.turn}", len(seats))])
    raise ValueError("the dealer draws nothing now")


def chance_outcomes(state: BloeffState) -> ChanceOutcomes[BloeffAction]:
    """Return the distribution of `draw`, or a sampler for large piles.

    Raises ValueError if no draw is due.
    """
    if state.phase is BloeffPhase.DOUBTER:
        return equally_likely([Doubter(seat) for seat in doubting(state.ballots)])
    if state.phase is BloeffPhase.RESHUFFLE and orders(centre_pile(state)) <= MOST_OUTCOMES:
        return equally_likely([Reshuffle(order) for order in shuffles(centre_pile(state))])
    if state.phase in (BloeffPhase.DEAL, BloeffPhase.RESHUFFLE):
        return partial(draw, state)
    raise ValueError("the dealer draws nothing now")


def apply_draw(state: BloeffState, options: BloeffOptions, action: BloeffAction) -> BloeffState:
    """Return the state after a draw. Raises IllegalActionError if the draw is not possible now."""
    draft = Draft(state)
    if state.phase is BloeffPhase.DEAL and type(action) is Deal:
        _check_order(action.cards, state.draw_pile)
        _hand_out(draft, options, action)
    elif state.phase is BloeffPhase.RESHUFFLE and type(action) is Reshuffle:
        _check_order(action.cards, centre_pile(state))
        reshuffle(draft, action.cards)
        go_on(draft, options)
    elif state.phase is BloeffPhase.DOUBTER and type(action) is Doubter:
        if type(action.seat) is not int or action.seat not in doubting(state.ballots):
            raise IllegalActionError("The doubter is one of the seats that doubt.")
        doubt(draft, options, action.seat)
    else:
        raise IllegalActionError(f"The dealer's draw does not belong here: {state.phase.value}.")
    return draft.frozen()


def doubting(ballots: Sequence[bool | None]) -> tuple[int, ...]:
    """Return the seats whose ballot is to doubt."""
    return tuple(seat for seat, ballot in enumerate(ballots) if ballot)


def _hand_out(draft: Draft, options: BloeffOptions, deal: Deal) -> None:
    seat_count = len(draft.hands)
    size = options.cards_dealt(seat_count)
    draft.hands = [
        tuple(sorted(deal.cards[seat * size : (seat + 1) * size])) for seat in range(seat_count)
    ]
    draft.draw_pile = deal.cards[seat_count * size :]
    draft.news.append(Dealt((size,) * seat_count, len(draft.draw_pile)))
    begin_match(draft, options)


def _check_order(cards: Cards, expected: Cards) -> None:
    """Raise IllegalActionError unless `cards` is a permutation of the ascending `expected`."""
    known = type(cards) is tuple and all(type(card) is Card for card in cards)
    if not known or tuple(sorted(cards)) != expected:
        raise IllegalActionError("A shuffle has exactly the cards of its pile.")
