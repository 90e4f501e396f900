"""The rules of the toy game."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import ClassVar, Literal, TypeAlias

from arena.games.chance import ChanceOutcomes, equally_likely
from arena.games.game import (
    DEALER,
    Actor,
    Game,
    IllegalActionError,
    Options,
    ToAct,
    competition_ranking,
)
from arena.games.notation import Notation
from arena.games.view_notation import ViewNotation
from arena.randomness import Randomness

CARDS = (1, 2, 3)
OVER = ("pp", "bp", "bb", "pbp", "pbb")


class ToyOptions(Options):
    """There are none beside the seats."""

    players_min: Literal[2] = 2
    players_max: Literal[2] = 2


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards, by seat."""

    cards: tuple[int, ...]


DEALS = [Deal(cards) for cards in permutations(CARDS, 2)]


@dataclass(frozen=True, slots=True)
class Act:
    """A bet, or a pass."""

    bet: bool

    def __str__(self) -> str:
        return "bet" if self.bet else "pass"


@dataclass(frozen=True, slots=True)
class ToyState:
    """Everything."""

    cards: tuple[int, ...] = ()
    acts: str = ""


@dataclass(frozen=True, slots=True)
class ToyView:
    """What one seat knows."""

    seat: int | None
    card: int | None
    acts: str
    to_act: int | None


@dataclass(frozen=True, slots=True)
class CardDealt:
    """Both seats have a card."""


@dataclass(frozen=True, slots=True)
class Acted:
    """A seat bet or passed."""

    seat: int
    act: Act


Action: TypeAlias = Deal | Act
Event: TypeAlias = CardDealt | Acted


class ToyGame(Game[ToyOptions, ToyState, Action, ToyView, Event]):
    """The game; see the package's docstring."""

    name = "toy_game"
    title = "Toy Game"
    options_type = ToyOptions
    notation: ClassVar = Notation(Deal, Act)
    view_notation: ClassVar = ViewNotation(notation, ToyView, Act, Event)

    def start(self, seat_count: int) -> ToyState:
        self.check_seats(seat_count)
        return ToyState()

    def to_act(self, state: ToyState) -> ToAct:
        if not state.cards:
            return DEALER
        return () if state.acts in OVER else (len(state.acts) % 2,)

    def draw(self, state: ToyState, randomness: Randomness) -> Deal:
        if state.cards:
            raise ValueError("there is nothing to draw")
        first = randomness.below("card 0", 3)
        left = [card for card in CARDS if card != CARDS[first]]
        return Deal((CARDS[first], left[randomness.below("card 1", 2)]))

    def chance_outcomes(self, state: ToyState) -> ChanceOutcomes[Action]:
        if state.cards:
            raise ValueError("there is nothing to draw")
        return equally_likely(DEALS)

    def legal_actions(self, state: ToyState, seat: int) -> Iterator[Act]:
        if self.to_act(state) == (seat,):
            yield from (Act(False), Act(True))

    def choices(self, view: ToyView) -> Iterator[Act]:
        if view.seat is not None and view.seat == view.to_act:
            yield from (Act(False), Act(True))

    def legal_hint(self, state: ToyState, seat: int) -> str:
        return "Bet or pass."

    def apply(self, state: ToyState, actor: Actor, action: Action) -> ToyState:
        asked = self.to_act(state)
        if actor is DEALER and asked is DEALER and type(action) is Deal:
            if action in DEALS:
                return replace(state, cards=action.cards)
        elif asked == (actor,) and type(action) is Act and type(action.bet) is bool:
            return replace(state, acts=state.acts + ("b" if action.bet else "p"))
        raise IllegalActionError("This is not legal now.", "Bet or pass.")

    def view(self, state: ToyState, seat: int | None) -> ToyView:
        asked = self.to_act(state)
        seen = state.cards[seat] if state.cards and seat is not None else None
        return ToyView(seat, seen, state.acts, None if asked in (DEALER, ()) else asked[0])

    def events(
        self,
        before: ToyState,
        actor: Actor,
        action: Action,
        after: ToyState,
    ) -> tuple[Event, ...]:
        if isinstance(action, Act) and actor is not DEALER:
            return (Acted(actor, action),)
        return (CardDealt(),)

    def default_action(self, state: ToyState, seat: int) -> Act:
        return Act(False)

    def scores(self, state: ToyState) -> tuple[int, ...]:
        if state.acts not in OVER:
            raise ValueError("the match is not over")
        folded = state.acts[-2:] == "bp"
        winner = len(state.acts) % 2 if folded else state.cards.index(max(state.cards))
        points = 2 if state.acts.endswith("bb") else 1
        return (points, -points) if winner == 0 else (-points, points)

    def placing(self, state: ToyState) -> tuple[int, ...]:
        return competition_ranking(list(self.scores(state)))

    def longest(self, seat_count: int) -> int:
        return 3
