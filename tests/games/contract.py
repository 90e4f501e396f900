"""What every game is tested with: its hooks, the cases they make, and random playouts.

A new game adds one entry to HOOKS. `draw`, `placing` and `scores` at the wrong time raise
ValueError with a message that says "draw" or "over".
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from random import Random
from types import ModuleType
from typing import Any

from arena.games import make_game
from arena.games.game import DEALER, Actor, AnyGame
from arena.randomness import KeyedRandomness, Randomness
from tests.games import bloeff_hooks, bluff_hooks, bluff_you_hooks, skull_hooks, toy_game_hooks
from tests.toy_game import ToyGame, ToyOptions

Options = Mapping[str, object]


@dataclass(frozen=True)
class Hooks:
    """What the contract test cannot find out about a game by itself."""

    vary_secrets: Callable[[AnyGame, Any, int | None, Random], Any]
    """A state that differs only in what a seat (None: the spectator) may not know."""
    vary_step: Callable[[AnyGame, Any, Actor, Any, Random], tuple[Any, Any]]
    """A state and an action that differ from a step's (state before it, actor, action) only in
    what the step reveals to nobody."""
    near_misses: Callable[[AnyGame, Any, int], Iterator[Any]]
    """Actions that nearly are legal for a seat that is asked, mixed with legal ones."""
    variants: tuple[Options, ...]
    """Options worth testing."""
    small: tuple[Options, ...]
    """Options whose game tree is small; played with the fewest seats."""
    most_points_win: bool | None = True
    """None: points alone do not tell who is ahead."""


def _hooks(of: ModuleType, most_points_win: bool | None = True) -> Hooks:
    """The hooks of a game, from their module."""
    return Hooks(
        of.vary_secrets, of.vary_step, of.near_misses, of.VARIANTS, of.SMALL, most_points_win
    )


HOOKS: Mapping[str, Hooks] = {
    "bluff": _hooks(bluff_hooks),
    "bluff_you": _hooks(bluff_you_hooks),
    "bloeff": _hooks(bloeff_hooks, most_points_win=False),
    "skull": _hooks(skull_hooks, most_points_win=None),
}


TOY: Mapping[str, Hooks] = {ToyGame.name: _hooks(toy_game_hooks)}
"""Not in GAMES: the least that a game may be."""


def game_under(name: str, options: Options) -> AnyGame:
    """A game of GAMES, or the toy."""
    return ToyGame(ToyOptions()) if name == ToyGame.name else make_game(name, options)


@dataclass(frozen=True)
class Case:
    """A game under options, at a number of seats."""

    name: str
    options: tuple[tuple[str, object], ...]
    seats: int

    @property
    def game(self) -> AnyGame:
        return game_under(self.name, dict(self.options))

    @property
    def hooks(self) -> Hooks:
        return HOOKS.get(self.name) or TOY[self.name]

    def __str__(self) -> str:
        options = ",".join(f"{name}={value}" for name, value in self.options)
        return f"{self.name}({options})-{self.seats}"


def cases(hooks_of: Mapping[str, Hooks] = HOOKS) -> list[Case]:
    """Every variant with the fewest seats, the most, and a number between."""
    found = []
    for name, hooks in hooks_of.items():
        for options in hooks.variants:
            counts = game_under(name, options).seat_counts
            some = {counts[0], counts[len(counts) // 2], counts[-1]}
            found += [Case(name, tuple(options.items()), seats) for seats in sorted(some)]
    return found


def small_cases(hooks_of: Mapping[str, Hooks] = HOOKS) -> list[Case]:
    return [
        Case(name, tuple(options.items()), game_under(name, options).seat_counts[0])
        for name, hooks in hooks_of.items()
        for options in hooks.small
    ]


@dataclass(frozen=True)
class Step:
    """One action within a playout."""

    before: Any
    actor: Actor
    action: Any
    after: Any


class OnceRandomness:
    """Draws of a seed; a key that comes twice fails the test."""

    def __init__(self, seed: int) -> None:
        self._draws = KeyedRandomness(seed.to_bytes(32, "big"))
        self._seen: set[str] = set()

    def below(self, key: str, bound: int) -> int:
        assert key not in self._seen, f"the key {key!r} was drawn twice in one match"
        self._seen.add(key)
        return self._draws.below(key, bound)


def playout(case: Case, seed: int) -> list[Step]:
    """A whole match between seats that act at random."""
    game, random, randomness = case.game, Random(seed), OnceRandomness(seed)
    state = game.start(case.seats)
    steps: list[Step] = []
    while (asked := game.to_act(state)) != ():
        for actor, action in _answers(game, state, asked, random, randomness):
            after = game.apply(state, actor, action)
            steps.append(Step(state, actor, action, after))
            state = after
        assert len(steps) < 100_000, f"{case} does not end"
    return steps


def _answers(
    game: AnyGame, state: Any, asked: Any, random: Random, randomness: Randomness
) -> list[tuple[Actor, Any]]:
    if asked is DEALER:
        return [(DEALER, game.draw(state, randomness))]
    return [(seat, _some_action(game, state, seat, random)) for seat in asked]


def _some_action(game: AnyGame, state: Any, seat: int, random: Random) -> Any:
    # Half of the actions are chosen among the first ones: in games of rising bets a uniform
    # choice climbs to the top at once and never sees a long round.
    first = list(islice(game.legal_actions(state, seat), random.choice((8, 2000))))
    assert first, f"seat {seat} is asked without a choice in {state}"
    return random.choice(first)
