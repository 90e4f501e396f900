"""The interface of every game: pure functions over immutable values.

A game never waits, rolls, logs, stores or sends. Chance is an actor like the seats: the dealer.
States, actions, views and events are frozen, slotted dataclasses made of tuples, numbers and enums;
states and views may be named tuples, which are faster to make. Games do not handle faults, except
that each game defines the default action, which is played for a seat that gives no valid answer.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from enum import Enum
from typing import Any, ClassVar, Final, Generic, Literal, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator

from arena.games.chance import ChanceOutcomes
from arena.games.notation import Notation
from arena.games.view_notation import ViewNotation
from arena.randomness import Randomness
from arena.wording import span


class Dealer(Enum):
    """The type of the chance player."""

    DEALER = "dealer"


DEALER: Final = Dealer.DEALER

Actor: TypeAlias = int | Literal[Dealer.DEALER]
"""A seat, counted from 0, or the dealer."""

ToAct: TypeAlias = tuple[int, ...] | Literal[Dealer.DEALER]
"""The actors now: the seats asked simultaneously, the dealer, or () when the match is over."""


class IllegalActionError(ValueError):
    """The error for an action that is not legal now; its text is `reason` followed by `legal`."""

    def __init__(self, reason: str, legal: str = "") -> None:
        super().__init__(f"{reason} {legal}" if legal else reason)
        self.reason = reason
        """A sentence that says what is wrong."""
        self.legal = legal
        """A sentence that says what is legal; "" if the reason says it or nothing is legal."""


class Options(BaseModel):
    """The parameters of a game.

    Every field has a default; variants of a game differ in values, not in code.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    players_min: int
    players_max: int

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.players_min > self.players_max:
            raise ValueError("players_min must not be above players_max")
        return self

    def changed(self) -> dict[str, Any]:
        """Return the options that differ from the defaults, as JSON values.

        They identify a variant.
        """
        return self.model_dump(mode="json", exclude_defaults=True)


OptionsT = TypeVar("OptionsT", bound=Options)
StateT = TypeVar("StateT")
ActionT = TypeVar("ActionT")
ViewT = TypeVar("ViewT")
EventT = TypeVar("EventT")


class Game(ABC, Generic[OptionsT, StateT, ActionT, ViewT, EventT]):
    """The rules of one game under fixed options.

    `ActionT` covers the dealer's draws as well as the seats' actions. Seats asked simultaneously
    (more than one: sealed answers) are applied one after the other in seat order; the caller
    collects all answers before it applies the first.
    """

    name: ClassVar[str]
    """The game's id on the wire, in tables and on the command line."""
    title: ClassVar[str]
    """The game's name for display."""
    options_type: ClassVar[type[Options]]
    notation: ClassVar[Notation]
    """The JSON form of this game's actions and draws, for transcripts."""
    view_notation: ClassVar[ViewNotation]
    """The JSON form of this game's views, events and answers, for bots that read lines of JSON."""

    def __init__(self, options: OptionsT) -> None:
        self.options = options

    @property
    def seat_counts(self) -> range:
        """The numbers of seats with which this game can be played."""
        return range(self.options.players_min, self.options.players_max + 1)

    def check_seats(self, seat_count: int) -> None:
        """Raise ValueError if `seat_count` is not in `seat_counts`; `start` calls it first."""
        if seat_count not in self.seat_counts:
            allowed = span(self.options.players_min, self.options.players_max)
            raise ValueError(f"{self.title} is played by {allowed} seats, not {seat_count}")

    @abstractmethod
    def start(self, seat_count: int) -> StateT:
        """Return the state before the first draw.

        Raises:
            ValueError: `seat_count` is not in `seat_counts`.
        """

    @abstractmethod
    def to_act(self, state: StateT) -> ToAct:
        """Return the actors that act now; each seat among them has at least one legal action."""

    @abstractmethod
    def draw(self, state: StateT, randomness: Randomness) -> ActionT:
        """Return the dealer's next draw; call it only while `to_act` is the dealer.

        Every key passed to `randomness` names what is drawn (round, seat, die, re-roll number; deal
        position) and occurs once in a match.
        """

    @abstractmethod
    def chance_outcomes(self, state: StateT) -> ChanceOutcomes[ActionT]:
        """Return the distribution of `draw` in this state, for solvers and searches.

        Call it only while `to_act` is the dealer.

        Returns:
            Every outcome with its exact probability, or a sampler of the outcomes if there are more
                than MOST_OUTCOMES (arena/games/chance.py).
        """

    @abstractmethod
    def legal_actions(self, state: StateT, seat: int) -> Iterator[ActionT]:
        """Return a lazy iterator over a seat's legal actions, each once.

        It is empty if the seat is not asked now.
        """

    @abstractmethod
    def choices(self, view: ViewT) -> Iterator[ActionT]:
        """Return a lazy iterator over the legal actions of the view's own seat, each once.

        It is empty if the seat is not asked now. The actions are those of `legal_actions`, for
        callers without the state, such as bots.
        """

    @abstractmethod
    def legal_hint(self, state: StateT, seat: int) -> str:
        """Return a sentence that says what is legal for a seat now; it is part of a refusal."""

    @abstractmethod
    def apply(self, state: StateT, actor: Actor, action: ActionT) -> StateT:
        """Return the state after an action.

        Raises:
            IllegalActionError: The action is not legal for this actor now.
        """

    @abstractmethod
    def view(self, state: StateT, seat: int | None) -> ViewT:
        """Return the view of one seat, built field by field; seat None is the spectator."""

    @abstractmethod
    def events(
        self, before: StateT, actor: Actor, action: ActionT, after: StateT
    ) -> tuple[EventT, ...]:
        """Return the public events of a step, in order; they hold no secret of any seat."""

    @abstractmethod
    def default_action(self, state: StateT, seat: int) -> ActionT:
        """Return the legal action played for a seat that gives no valid answer."""

    @abstractmethod
    def placing(self, state: StateT) -> tuple[int, ...]:
        """Return each seat's rank once the match is over: 1 is best, ties share (1, 2, 2, 4)."""

    @abstractmethod
    def scores(self, state: StateT) -> tuple[int, ...]:
        """Return each seat's points once the match is over, as the rules count them."""

    @abstractmethod
    def longest(self, seat_count: int) -> int:
        """Return an upper bound of the number of seat actions in one match."""


AnyGame: TypeAlias = Game[Any, Any, Any, Any, Any]
"""A game of any kind, for code that does not depend on the game."""


def competition_ranking(keys: list[Any]) -> tuple[int, ...]:
    """Return standard competition ranks (1, 2, 2, 4) by descending key.

    Each rank is 1 + the number of strictly larger keys.
    """
    ordered = sorted(keys, reverse=True)
    return tuple([1 + ordered.index(key) for key in keys])
