"""Laws of Blöff that hold in every match, under any options, between any seats."""

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.bloeff import (
    Action,
    ActionPlayed,
    Ballot,
    Bloeff,
    BloeffOptions,
    BloeffPhase,
    BloeffState,
    CardsDrawn,
    DealRow,
    Dealt,
    Ending,
    Number,
    NumberPlayed,
    Red,
    RedPlayed,
)
from arena.games.game import DEALER, Actor
from arena.randomness import KeyedRandomness
from tests.games.bloeff_positions import all_cards
from tests.thoroughness import tries

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "below_zero": st.just("bluff"),
        "announce_range": st.just("any"),
        "doubt_penalty": st.integers(0, 9),
        "bust_penalty": st.integers(0, 9),
        "call_penalty": st.integers(0, 20),
        "call_mode": st.just("auto"),
        "draw2_ends_turn": st.just(True),
        "caught_card_returns": st.just(True),
        "doubt_choice": st.just("turn_order"),
        "publish_ballots": st.just("all"),
        "final_tie": st.just("fewest_cards"),
        "max_turns": st.integers(1, 60),
        "limits": st.sampled_from([(0,), (10, 0), (99, 5), (6, 4, 2)]),
        "deal": st.integers(1, 8).map(
            lambda cards: tuple(DealRow(seats=seats, cards=cards) for seats in range(2, 7))
        ),
    },
)

Step = tuple[BloeffState, Actor, Any, BloeffState]


def steps(game: Bloeff, seats: int, seed: int, *, doubts: float = 0.15) -> Iterator[Step]:
    """A match between seats that play at random and doubt now and then."""
    random, randomness = Random(seed), KeyedRandomness(seed.to_bytes(32, "big"))
    state = game.start(seats)
    while (asked := game.to_act(state)) != ():
        actor: Actor = DEALER if asked is DEALER else asked[0]
        if actor is DEALER:
            action = game.draw(state, randomness)
        elif state.phase is BloeffPhase.BALLOTS:
            action = Ballot(random.random() < doubts)
        else:
            action = random.choice(list(game.legal_actions(state, actor)))
        after = game.apply(state, actor, action)
        yield state, actor, action, after
        state = after


@settings(max_examples=tries(80, quick=20), deadline=None)
@given(options=OPTIONS, seats=st.integers(2, 6), seed=st.integers(0, 2**64))
def test_every_card_is_always_in_exactly_one_place(
    options: dict[str, Any], seats: int, seed: int
) -> None:
    game = Bloeff(BloeffOptions(**options))
    deck = all_cards(game.start(seats))
    turns = 0
    for before, actor, _, after in steps(game, seats, seed):
        assert all_cards(after) == deck
        assert all(list(hand) == sorted(hand) for hand in after.hands)
        view = game.view(after, None)
        waiting = sum(map(len, view.waiting))
        assert sum(view.hand_sizes) + view.draw_pile + view.centre_pile + waiting == 52
        assert before.turn <= after.turn <= game.options.max_turns
        turns += actor is not DEALER
    assert turns <= game.longest(seats)
    assert min(game.placing(after)) == 1


@settings(max_examples=tries(20, quick=10), deadline=None)
@given(options=OPTIONS, seats=st.integers(2, 6), seed=st.integers(0, 2**64))
def test_a_view_alone_tells_what_is_legal(options: dict[str, Any], seats: int, seed: int) -> None:
    game = Bloeff(BloeffOptions(**options))
    for before, *_ in steps(game, seats, seed):
        asked = game.to_act(before)
        assert list(game.choices(game.view(before, None))) == []
        for seat in range(seats):
            # A view does not say that its seat's ballot is in.
            if (
                before.phase not in (BloeffPhase.BALLOTS, BloeffPhase.DOUBTER)
                or before.ballots[seat] is None
            ):
                legal = list(game.legal_actions(before, seat))
                assert list(game.choices(game.view(before, seat))) == legal
                assert bool(legal) == (asked is not DEALER and seat in asked)


@settings(max_examples=tries(40, quick=10), deadline=None)
@given(seats=st.integers(2, 6), seed=st.integers(0, 2**64))
def test_news_sum_up_to_what_the_view_shows(seats: int, seed: int) -> None:
    """A spectator who only listens knows the hand sizes all the same."""
    game = Bloeff(BloeffOptions())
    heard = [0] * seats
    for before, actor, action, after in steps(game, seats, seed):
        for event in game.events(before, actor, action, after):
            if isinstance(event, Dealt):
                heard = list(event.hand_sizes)
            elif isinstance(event, NumberPlayed | RedPlayed | ActionPlayed):
                heard[event.seat] -= 1
            elif isinstance(event, CardsDrawn):
                heard[event.seat] += event.count
        assert tuple(heard) == game.view(after, None).hand_sizes


def test_seats_that_never_call_nor_doubt_reach_the_cap_bo_26() -> None:
    game = Bloeff(BloeffOptions())
    state = game.start(2)
    randomness = KeyedRandomness(bytes(32))
    while (asked := game.to_act(state)) != ():
        if asked is DEALER:
            state = game.apply(state, DEALER, game.draw(state, randomness))
            continue
        for seat in asked:
            state = game.apply(state, seat, _never_calling(game, state, seat))
    assert (state.ending, state.turn) == (Ending.TURN_CAP, 200)
    assert state.reshuffles > 0


def _never_calling(game: Bloeff, state: BloeffState, seat: int) -> Any:
    """Believes everything, announces low and calls never."""
    if state.phase is BloeffPhase.BALLOTS:
        return Ballot(False)
    limit = game.view(state, seat).limit
    legal = game.legal_actions(state, seat)
    quiet = [a for a in legal if isinstance(a, Number | Red | Action) and not a.call]
    return next(a for a in quiet if not isinstance(a, Number) or a.announce <= limit)


def test_both_regular_endings_and_reshuffles_occur() -> None:
    game = Bloeff(BloeffOptions())
    endings, reshuffles = set[Ending | None](), 0
    for seed in range(60):
        for *_, after in steps(game, 2 + seed % 5, seed, doubts=0.05 + 0.3 * (seed % 2)):
            state = after
        endings.add(state.ending)
        reshuffles += state.reshuffles
    assert {Ending.LAST_LIMIT, Ending.EMPTY_HAND} <= endings
    assert reshuffles
