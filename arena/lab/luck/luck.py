"""The luck of a match, computed from its transcript alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Protocol, cast, runtime_checkable

from arena.games import KITS
from arena.lab.luck.draws import DrawLuck
from arena.lab.luck.tables import TableName
from arena.match.replay import replay
from arena.match.transcript import Transcript


@runtime_checkable
class GameLuck(Protocol):
    """The luck of one game: the interface of a kit's module `luck`."""

    @property
    def TABLE(self) -> TableName:  # noqa: N802  a constant of the module
        """The table of the values."""

    def lucks(self, transcript: Transcript) -> Iterator[DrawLuck]:
        """Yield the luck of each draw that has a value, in order; the transcript must be legal.

        Raises LuckTableError.
        """


@cache
def _luck_of_game(game: str) -> GameLuck | None:
    kit = KITS.get(game)
    return None if kit is None else cast("GameLuck | None", kit.part("luck"))


@dataclass(frozen=True, slots=True)
class Luck:
    """The luck of all seats in one match. Its expectation is 0 for any players."""

    table: TableName | None
    """The table of the values; None for a game without one, where all luck is 0."""
    draws: tuple[DrawLuck, ...]
    """The luck of the draws to which the table gives a value."""
    seats: tuple[float, ...]
    """The sum over all draws, by seat."""


def table_of(game: str) -> TableName | None:
    """Return the table of a game's luck, or None for a game without one."""
    known = _luck_of_game(game)
    return None if known is None else known.TABLE


def luck_of(transcript: Transcript) -> Luck:
    """Return the luck of each seat, in total and by draw. Raises LuckTableError.

    The steps are not checked: use `checked_luck_of` for an untrusted transcript.
    """
    sums = [0.0] * len(transcript.setup.entrants)
    known = _luck_of_game(transcript.setup.game)
    if known is None:
        return Luck(None, (), tuple(sums))
    draws = tuple(known.lucks(transcript))
    for draw in draws:
        for seat, luck in enumerate(draw.seats):
            sums[seat] += luck
    return Luck(known.TABLE, draws, tuple(sums))


def checked_luck_of(transcript: Transcript) -> Luck:
    """Return the luck of each seat, after a replay that checks the steps.

    Raises TranscriptError if the transcript contradicts the rules, and LuckTableError.
    """
    for _ in replay(transcript):
        pass
    return luck_of(transcript)
