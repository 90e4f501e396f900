"""Positions of Blöff as the worked examples of its rules describe them, and how they are played on.

Cards are words: "3 0 skip". Seats are A B C D = 0 1 2 3.
"""

from dataclasses import replace
from typing import Any

from arena.games.bloeff import (
    Action,
    Ballot,
    Bloeff,
    BloeffAction,
    BloeffOptions,
    BloeffPhase,
    BloeffState,
    Card,
    Cards,
    Direction,
    Doubter,
    Number,
    Red,
)
from arena.games.game import DEALER

A, B, C, D = range(4)

BLOEFF = Bloeff(BloeffOptions())


def bloeff(**options: Any) -> Bloeff:
    return Bloeff(BloeffOptions(**options))


def cards(words: str) -> Cards:
    by_name = {str(card): card for card in Card}
    return tuple(by_name[word] for word in words.split())


def position(
    *hands: str,
    total: int = 0,
    limit: int = 10,
    on_turn: int = A,
    turn: int = 1,
    waiting: dict[int, str] | None = None,
    direction: Direction = Direction.CLOCKWISE,
    draw_pile: str | None = None,
    draw_size: int | None = None,
    game: Bloeff = BLOEFF,
) -> BloeffState:
    """A seat on turn, with the cards named; the cards not named are the draw pile.

    `draw_pile` names its cards, `draw_size` says how many there are; then the rest lies in the
    centre pile.
    """
    seats = len(hands)
    in_front = tuple(cards((waiting or {}).get(seat, "")) for seat in range(seats))
    named = [card for hand in hands for card in cards(hand)]
    named += [card for row in in_front for card in row] + list(cards(draw_pile or ""))
    rest = list(game.start(seats).draw_pile)
    for card in named:
        rest.remove(card)
    if draw_pile is not None:
        pile, centre = cards(draw_pile), tuple(rest)
    elif draw_size is not None:
        pile, centre = tuple(rest[:draw_size]), tuple(rest[draw_size:])
    else:
        pile, centre = tuple(rest), ()
    return replace(
        game.start(seats),
        phase=BloeffPhase.PLAY,
        hands=tuple(tuple(sorted(cards(hand))) for hand in hands),
        waiting=in_front,
        draw_pile=pile,
        seen=centre,
        total=total,
        round=game.options.limits.index(limit) + 1,
        turn=turn,
        on_turn=on_turn,
        direction=direction,
    )


def play(
    state: BloeffState,
    action: BloeffAction,
    *doubts: int,
    chosen: int | None = None,
    game: Bloeff = BLOEFF,
) -> BloeffState:
    """The seat on turn acts; if that opens a window, the seats in `doubts` doubt and no others.
    `chosen` is the doubter that the dealer draws."""
    state = game.apply(state, state.on_turn, action)
    if state.phase is BloeffPhase.BALLOTS:
        asked = game.to_act(state)
        assert asked is not DEALER
        for seat in asked:
            state = game.apply(state, seat, Ballot(seat in doubts))
    if chosen is not None:
        state = game.apply(state, DEALER, Doubter(chosen))
    return state


def number(value: int, announce: int, *, call: bool = False) -> Number:
    return Number(value, announce, call)


def red(card: str, target: int, *, call: bool = False) -> Red:
    return Red(cards(card)[0], target, call)


REVERSE = Action(Card.REVERSE)


def sizes(state: BloeffState) -> tuple[int, ...]:
    return tuple(map(len, state.hands))


def announceable(state: BloeffState, value: int, game: Bloeff = BLOEFF) -> list[int]:
    """The totals the seat on turn may announce with a card."""
    legal = game.legal_actions(state, state.on_turn)
    return [a.announce for a in legal if isinstance(a, Number) and a == Number(value, a.announce)]


def all_cards(state: BloeffState) -> list[Card]:
    """Every card of a state, wherever it is, ascending."""
    open_card = () if state.open_card is None else (state.open_card,)
    places = (*state.hands, *state.waiting, *state.face_down, state.draw_pile, state.seen)
    return sorted(card for place in (*places, open_card) for card in place)
