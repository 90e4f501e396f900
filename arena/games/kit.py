"""`GameKit`: one value that declares everything the arena knows about a game.

The rules are the package arena.games.<game>. What the arena does with them is in its package `kit`:
`__init__.py` declares `KIT`, and each further part is a module of a fixed name that only its user
imports, so that rules load no codec and a referee no pictures:

codec       the game's messages on the wire         arena.codec.game_codec.GameCodec, as `CODEC`
claims      what is claimed, and what is false      arena.match.claims.GameClaims
luck        the values of draws                     arena.lab.luck.luck.GameLuck
scene       the table and its events in words       arena.showing.scenes.Scene
controls    the choices of a person                 arena.showing.controls.GameControls
seen        what a person at the table sees         arena.showing.seen.GameSeen

Each may be missing; the users' modules say what holds then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from arena.games.game import AnyGame


@dataclass(frozen=True, slots=True)
class GameKit:
    """A game of the arena."""

    game: type[AnyGame]
    """Its rules."""
    package: str
    """The package with its parts, such as "arena.games.bluff.kit"."""
    anchor: str | None = None
    """The house bot whose Elo is fixed on its ladders: of medium strength, and never changed.
    Without one the mean of all bots is."""
    opponent: str = "random"
    """The house bot that plays against a build when it is checked."""
    slow_bots: frozenset[str] = frozenset()
    """House bots that take tens of milliseconds for an action: they play only where they are asked
    to, so that a laptop stays cool."""
    other_options: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """By option, other values than its default, where its type does not tell them."""

    @property
    def name(self) -> str:
        """The game's id."""
        return self.game.name

    def part(self, name: str) -> ModuleType | None:
        """Import and return a part; None if the kit lacks it."""
        module = f"{self.package}.{name}"
        return import_module(module) if find_spec(module) else None
