"""`GameKit`: the declaration of everything that the arena knows about a game.

The rules are the package arena.games.<game>. The arena's use of them is in its package `kit`:
`__init__.py` declares `KIT`, and each further part is a module of a fixed name that only its user
imports, so that rules do not load codecs and a referee does not load pictures:

codec       the game's messages on the wire         arena.codec.plain_codec.PlainCodec, as `CODEC`
encoding    observations and action ids             arena.games.encoding.GameEncoding, as `ENCODING`
batch       many matches at once, compiled          arena.learn.batch_rules.GameBatch
claims      claims about hidden information         arena.games.claims.GameClaims
compiled    matches played by compiled rules        arena.server.play.compiled.CompiledGame
luck        the values of draws                     arena.lab.luck.luck.GameLuck
scene       the table and its events in words       arena.showing.scenes.Scene
controls    the choices of a person                 arena.showing.controls.GameControls
seen        what a person at the table sees         arena.showing.seen.GameSeen

Each part is optional; the module that uses a part documents the behaviour without it.
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
    """A game's rules, its package of parts, and its settings in the arena."""

    game: type[AnyGame]
    """The rules."""
    package: str
    """The package that holds the parts, such as "arena.games.bluff.kit"."""
    anchor: str | None = None
    """The house bot whose Elo is fixed on the game's ladders.

    It is of medium strength and never changes. Without an anchor, the mean Elo of all bots is
    fixed.
    """
    opponent: str = "random"
    """The house bot that plays against a build when it is checked."""
    slow_bots: frozenset[str] = frozenset()
    """House bots that take tens of milliseconds per action.

    They play only on explicit request, so that a laptop stays cool.
    """
    other_options: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Values other than the default, by option, for options whose type does not determine any."""

    @property
    def name(self) -> str:
        """The game's id."""
        return self.game.name

    def part(self, name: str) -> ModuleType | None:
        """Import and return the part `name`; return None if the kit does not have it."""
        module = f"{self.package}.{name}"
        return import_module(module) if find_spec(module) else None
