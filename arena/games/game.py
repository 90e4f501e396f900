"""The interface of every game: pure functions over frozen values.

A game never waits, rolls, logs, stores or sends. Chance is an actor like the seats: the dealer.
States, actions, views and events are frozen, slotted dataclasses made of tuples, numbers and
enums; states and views may be named tuples, which are faster to make. Games do not handle faults,
except that each game defines the default action, played for a seat that gives no valid answer.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from enum import Enum
from typing import Any, ClassVar, Final, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

from arena.games.chance import ChanceOutcomes
from arena.games.notation import Notation
from arena.games.view_notation import ViewNotation
from arena.randomness import Randomness


class Dealer(Enum):
    """The actor of chance."""

    DEALER = "dealer"


DEALER: Final = Dealer.DEALER

Actor: TypeAlias = int | Literal[Dealer.DEALER]
"""A seat, counted from 0, or the dealer."""

ToAct: TypeAlias = tuple[int, ...] | Literal[Dealer.DEALER]
"""The actors now: the seats to ask at the same moment, the dealer, or () when the match is over."""


class IllegalActionError(ValueError):
    """An action is not legal now. The text is `reason` followed by `legal`."""

    def __init__(self, reason: str, legal: str = "") -> None:
        super().__init__(f"{reason} {legal}" if legal else reason)
        self.reason = reason
        """One sentence that says what is wrong."""
        self.legal = legal
        """One sentence that says what is legal; "" where the reason says it or nothing is legal."""


class Options(BaseModel):
    """The parameters of a game. Every field has a default; variants differ in values, not code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    players_min: int
    players_max: int

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

    `ActionT` covers the dealer's draws as well as the seats' actions. The seats asked at the same
    moment (more than one: sealed answers) are applied one after the other in seat order; the
    caller collects all answers before it applies the first.
    """

    name: ClassVar[str]
    """The game's id on the wire, in tables and on the command line."""
    title: ClassVar[str]
    """The name of the game for display."""
    options_type: ClassVar[type[Options]]
    notation: ClassVar[Notation]
    """The JSON form of this game's actions and draws, for transcripts."""
    view_notation: ClassVar[ViewNotation]
    """The JSON form of this game's views, events and answers, for bots that read lines of JSON."""

    def __init__(self, options: OptionsT) -> None:
        self.options = options

    @property
    def seat_counts(self) -> range:
        """The numbers of seats this game can be played with."""
        return range(self.options.players_min, self.options.players_max + 1)

    @abstractmethod
    def start(self, seat_count: int) -> StateT:
        """Return the state before anything is drawn.

        Args:
            seat_count: How many seats play; one of `seat_counts`.

        Raises:
            ValueError: The game is not played by that many.
        """

    @abstractmethod
    def to_act(self, state: StateT) -> ToAct:
        """Return the actors that act now; each seat among them has at least one legal action."""

    @abstractmethod
    def draw(self, state: StateT, randomness: Randomness) -> ActionT:
        """Return the dealer's next draw; call it only while `to_act` is the dealer.

        Args:
            state: A state in which the dealer acts.
            randomness: Draws by keys. Every key names what is drawn (round, seat, die, re-roll
                number; deal
                position) and occurs once in a match.

        Raises:
            ValueError: No draw is due.
        """

    @abstractmethod
    def chance_outcomes(self, state: StateT) -> ChanceOutcomes[ActionT]:
        """Return what `draw` may return now, for solvers and searches.

        Args:
            state: A state in which the dealer acts.

        Returns:
            Every outcome with its exact probability, or a sampler of them if there are more than
            MOST_OUTCOMES (arena/games/chance.py).

        Raises:
            ValueError: No draw is due.
        """

    @abstractmethod
    def legal_actions(self, state: StateT, seat: int) -> Iterator[ActionT]:
        """All legal actions of a seat that is asked now, lazily, each once; else none."""

    @abstractmethod
    def choices(self, view: ViewT) -> Iterator[ActionT]:
        """All legal actions of the seat whose turn `view` shows, lazily, each once; else none.

        The same as `legal_actions`, for callers without the state, such as bots.
        """

    @abstractmethod
    def legal_hint(self, state: StateT, seat: int) -> str:
        """One sentence saying what is legal for a seat now, for refusals."""

    @abstractmethod
    def apply(self, state: StateT, actor: Actor, action: ActionT) -> StateT:
        """Return the state after an action; the state given is not changed.

        Args:
            state: The state before it.
            actor: The seat that acts, from 0, or DEALER for a draw.
            action: What it does; may come from an untrusted transcript.

        Raises:
            IllegalActionError: It is not legal; the message says what is.
        """

    @abstractmethod
    def view(self, state: StateT, seat: int | None) -> ViewT:
        """Return what one seat may know, built up field by field.

        Args:
            state: The state to look at.
            seat: The seat, from 0; None is the spectator, who knows no secret.
        """

    @abstractmethod
    def events(
        self, before: StateT, actor: Actor, action: ActionT, after: StateT
    ) -> tuple[EventT, ...]:
        """Return the public events of a step, in order.

        Args:
            before: The state before the action.
            actor: The seat that acted, from 0, or DEALER.
            action: What it did.
            after: The state that `apply` returned.

        Returns:
            The events; they hold no secret of any seat.
        """

    @abstractmethod
    def default_action(self, state: StateT, seat: int) -> ActionT:
        """Return the legal action played for a seat that gives no valid answer."""

    @abstractmethod
    def placing(self, state: StateT) -> tuple[int, ...]:
        """Return the rank of every seat once the match is over.

        Returns:
            Ranks by seat: 1 is best, ties share a rank (1, 2, 2, 4).
        """

    @abstractmethod
    def scores(self, state: StateT) -> tuple[int, ...]:
        """Return the points of every seat once the match is over, as the rules count them."""

    @abstractmethod
    def longest(self, seat_count: int) -> int:
        """Return an upper bound of the number of actions of seats in one match."""


AnyGame: TypeAlias = Game[Any, Any, Any, Any, Any]
"""A game of any kind, for code that does not depend on which one."""


def competition_ranking(keys: list[Any]) -> tuple[int, ...]:
    """Ranks by descending key: 1 + the number of strictly larger keys."""
    ordered = sorted(keys, reverse=True)
    return tuple(1 + ordered.index(key) for key in keys)
