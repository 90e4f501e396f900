"""The complete state of a match of Blöff, including secrets; it never leaves the referee.

`Draft` is its mutable form while a step is computed: a step often runs through several parts of a
turn (a doubt, a penalty, the next seat's red cards), and making a frozen state for each would take
longer than the rules themselves. A draft never outlives `Bloeff.apply`.
"""

from dataclasses import dataclass, field
from enum import Enum

from arena.games.bloeff.events import BloeffEvent, DrawCause, Ending
from arena.games.bloeff.values import Announcement, Card, Cards, Direction


class BloeffPhase(Enum):
    """The phase of a match: the decision that it waits for."""

    DEAL = "deal"
    PLAY = "play"
    BALLOTS = "ballots"
    DOUBTER = "doubter"
    RESHUFFLE = "reshuffle"
    OVER = "over"


class Then(Enum):
    """The next part of the turn once all owed cards are drawn (sequence of 1.10)."""

    CARRY_OUT = "carry out the next red card"
    SET_ASIDE = "set aside the red card carried out"
    WINDOW = "open the doubt window"
    END_TURN = "end the turn"
    END_ROUND = "end the round"


@dataclass(frozen=True, slots=True)
class Owed:
    """The cards that a seat still has to draw."""

    seat: int
    count: int
    cause: DrawCause


@dataclass(frozen=True, slots=True)
class BloeffState:
    """The state of a match.

    Tuples by seat have one entry per seat. Every card is in exactly one of `hands`, `waiting`,
    `draw_pile`, `seen`, `face_down` and `open_card`.
    """

    phase: BloeffPhase
    hands: tuple[Cards, ...]
    """The cards in hand by seat, each ascending."""
    waiting: tuple[Cards, ...]
    """The red cards in front of each seat, oldest first."""
    draw_pile: Cards
    """The draw pile, top card first."""
    seen: Cards
    """The part of the centre pile that all seats saw, oldest first."""
    face_down: tuple[Cards, ...]
    """The rest of the centre pile by the seat that laid it, which alone knows it; oldest first."""
    open_card: Card | None
    """The number card whose doubt window is open, or opens once penalties are drawn."""
    announced: int
    """The total announced with `open_card`; meaningless without an open card."""
    announcements: tuple[Announcement, ...]
    """This round's accepted announcements, oldest first."""
    total: int
    round: int
    """The number of the round, from 1; 0 before the deal."""
    turn: int
    """The number of the turn in the match, from 1, skipped turns included; 0 before the deal."""
    on_turn: int
    direction: Direction
    ballots: tuple[bool | None, ...]
    """The ballots by seat while a window is open; None for the card's player and missing ones."""
    owed: tuple[Owed, ...]
    """The draws that wait for a reshuffle, the interrupted one first."""
    then: Then
    """The continuation of an interrupted step; otherwise meaningless."""
    starter: int
    """The seat that starts the next round, once a round is ending; otherwise meaningless."""
    reshuffles: int
    ending: Ending | None
    news: tuple[BloeffEvent, ...] = field(default=(), compare=False, repr=False)
    """The public events of the step to this state; not part of the position."""


class Draft:
    """A mutable state with the fields of BloeffState; tuples by seat are lists."""

    __slots__ = tuple(BloeffState.__dataclass_fields__)

    def __init__(self, state: BloeffState) -> None:
        self.phase = state.phase
        self.hands = list(state.hands)
        self.waiting = list(state.waiting)
        self.draw_pile = state.draw_pile
        self.seen = state.seen
        self.face_down = list(state.face_down)
        self.open_card = state.open_card
        self.announced = state.announced
        self.announcements = state.announcements
        self.total = state.total
        self.round = state.round
        self.turn = state.turn
        self.on_turn = state.on_turn
        self.direction = state.direction
        self.ballots = state.ballots
        self.owed = list(state.owed)
        self.then = state.then
        self.starter = state.starter
        self.reshuffles = state.reshuffles
        self.ending = state.ending
        self.news: list[BloeffEvent] = []

    def frozen(self) -> BloeffState:
        """Return the draft as a frozen state."""
        return BloeffState(
            self.phase,
            tuple(self.hands),
            tuple(self.waiting),
            self.draw_pile,
            self.seen,
            tuple(self.face_down),
            self.open_card,
            self.announced,
            self.announcements,
            self.total,
            self.round,
            self.turn,
            self.on_turn,
            self.direction,
            self.ballots,
            tuple(self.owed),
            self.then,
            self.starter,
            self.reshuffles,
            self.ending,
            tuple(self.news),
        )


def centre_pile(state: BloeffState | Draft) -> Cards:
    """Return the cards that a reshuffle takes, ascending: their order does not matter."""
    cards = list(state.seen)
    for pile in state.face_down:
        cards += pile
    return tuple(sorted(cards))


def seats_balloting(state: BloeffState) -> tuple[int, ...]:
    """Return every seat except the player of the card."""
    return tuple(seat for seat in range(len(state.hands)) if seat != state.on_turn)
