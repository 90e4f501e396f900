"""What the contract test must know about Blöff: where its secrets lie, and what nearly is legal."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from arena.games.bloeff import (
    NUMBER_CARDS,
    Action,
    Ballot,
    BloeffPhase,
    BloeffState,
    Card,
    Cards,
    Deal,
    DealRow,
    Doubter,
    Number,
    Red,
    Reshuffle,
)
from arena.games.game import DEALER, Actor, AnyGame
from arena.randomness import KeyedRandomness

LARGE_HANDS = tuple(DealRow(seats=seats, cards=50 // seats) for seats in range(2, 7))
"""The draw pile is nearly empty from the start: reshuffles, also in the middle of a drawing."""

VARIANTS: tuple[Mapping[str, object], ...] = (
    {},
    {
        "below_zero": "bluff",
        "announce_range": "any",
        "call_mode": "auto",
        "draw2_ends_turn": True,
        "limits": (99, 9),
    },
    {
        "caught_card_returns": True,
        "doubt_choice": "turn_order",
        "publish_ballots": "all",
        "final_tie": "fewest_cards",
    },
    {"deal": LARGE_HANDS, "bust_penalty": 4, "call_penalty": 5, "max_turns": 60},
    {"limits": (3,), "max_turns": 9, "players_max": 3},
)
SMALL: tuple[Mapping[str, object], ...] = (
    {
        "players_max": 2,
        "deal": (DealRow(seats=2, cards=1),),
        "limits": (1, 0),
        "max_turns": 4,
    },
)


def vary_secrets(game: AnyGame, state: BloeffState, seat: int | None, random: Random) -> Any:
    """Other hidden cards everywhere but with the seat itself, and other ballots of the others."""
    if state.phase is BloeffPhase.DEAL:
        return state
    ballots = tuple(
        ballot if ballot is None or owner == seat else random.random() < 0.5
        for owner, ballot in enumerate(state.ballots)
    )
    own = () if seat is None else (seat,)
    return replace(_mixed(state, random, own, open_card=seat != state.on_turn), ballots=ballots)


def vary_step(
    game: AnyGame, before: BloeffState, actor: Actor, action: Any, random: Random
) -> tuple[BloeffState, Any]:
    """A card laid face down is revealed by a doubt only; hands never, but by their points."""
    if game.to_act(game.apply(before, actor, action)) == ():
        return before, action
    if actor is DEALER and not isinstance(action, Doubter):
        return before, game.draw(before, KeyedRandomness(random.randbytes(32)))
    if isinstance(action, Number):
        varied = _mixed(before, random, (), open_card=True)
        numbers = [card for card in varied.hands[before.on_turn] if card in NUMBER_CARDS]
        if not numbers:
            return before, action
        return varied, replace(action, value=int(random.choice(numbers)))
    if isinstance(action, Red | Action):
        return _mixed(before, random, (before.on_turn,), open_card=True), action
    if isinstance(action, Ballot) and before.ballots.count(None) > 2:
        varied = vary_secrets(game, before, None, random)
        return varied, Ballot(random.random() < 0.5)
    doubted = any(before.ballots) or (isinstance(action, Ballot) and action.doubt)
    return _mixed(before, random, (), open_card=not doubted), action


def near_misses(game: AnyGame, state: BloeffState, seat: int) -> Iterator[Any]:
    """Every card in every role, on both sides of every bound; and draws, never a seat's."""
    view = game.view(state, seat)
    yield Ballot(True)
    yield Ballot(False)
    yield Doubter(seat)
    yield Deal(state.draw_pile)
    yield Reshuffle(state.seen)
    for call in (False, True):
        for value in (*range(-3, 9), 10**5000):
            for announce in (-1, 0, view.lowest - 1, view.lowest, view.highest, view.highest + 1):
                yield Number(value, announce, call)
        for card in Card:
            yield Action(card, call)
            for target in range(-1, len(state.hands) + 1):
                yield Red(card, target, call)


def _mixed(
    state: BloeffState, random: Random, known: tuple[int, ...], *, open_card: bool
) -> BloeffState:
    """The hidden cards in other hidden places, but for the seats in `known` and what they laid."""
    places = [[] if seat in known else list(hand) for seat, hand in enumerate(state.hands)]
    laid = [[] if seat in known else list(pile) for seat, pile in enumerate(state.face_down)]
    window = [state.open_card] if open_card and state.open_card is not None else []
    numbers = [card for pile in (*laid, window) for card in pile]
    hidden = [card for pile in (*places, list(state.draw_pile)) for card in pile]
    # What lies face down is a number card: those places exchange with number cards only.
    pool = [card for card in hidden if card in NUMBER_CARDS] + numbers
    random.shuffle(pool)
    chosen, rest = pool[: len(numbers)], pool[len(numbers) :]
    rest += [card for card in hidden if card not in NUMBER_CARDS]
    random.shuffle(rest)
    window = [chosen.pop() for _ in window]
    face_down = [_taken(chosen, len(pile)) for pile in laid]
    hands = [tuple(sorted(_taken(rest, len(hand)))) for hand in places]
    return replace(
        state,
        hands=tuple(
            hand if seat in known else hands[seat] for seat, hand in enumerate(state.hands)
        ),
        face_down=tuple(
            pile if seat in known else face_down[seat] for seat, pile in enumerate(state.face_down)
        ),
        open_card=window[0] if window else state.open_card,
        draw_pile=tuple(rest),
    )


def _taken(cards: list[Card], count: int) -> Cards:
    taken = tuple(cards[:count])
    del cards[:count]
    return taken
