"""The luck of a match, computed from its transcript alone."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from arena.games.bloeff import Bloeff
from arena.games.bluff import Bluff
from arena.games.bluff_you import BluffYou
from arena.lab.luck import bloeff, bluff, bluff_you
from arena.lab.luck.draws import DrawLuck
from arena.lab.luck.tables import BLOEFF, BLUFF, BLUFF_YOU, TableName
from arena.match.replay import replay
from arena.match.transcript import Transcript

_Lucks: TypeAlias = Callable[[Transcript], Iterator[DrawLuck]]

_GAMES: Final[Mapping[str, tuple[TableName, _Lucks]]] = MappingProxyType(
    {
        Bluff.name: (BLUFF, bluff.lucks),
        BluffYou.name: (BLUFF_YOU, bluff_you.lucks),
        Bloeff.name: (BLOEFF, bloeff.lucks),
    }
)


@dataclass(frozen=True, slots=True)
class Luck:
    """The luck of all seats in one match. Its expectation is 0 for any players."""

    table: TableName | None
    """The table of the values; None for a game without one, where all luck is 0."""
    draws: tuple[DrawLuck, ...]
    """Only the draws to which the table gives a value."""
    seats: tuple[float, ...]
    """The sum over all draws."""


def table_of(game: str) -> TableName | None:
    """The table of a game's luck; None for a game without one."""
    known = _GAMES.get(game)
    return None if known is None else known[0]


def luck_of(transcript: Transcript) -> Luck:
    """The luck of each seat, in total and by draw. Raises LuckTableError.

    The steps are not checked: use `checked_luck_of` for an untrusted transcript.
    """
    sums = [0.0] * len(transcript.setup.entrants)
    known = _GAMES.get(transcript.setup.game)
    if known is None:
        return Luck(None, (), tuple(sums))
    table, lucks = known
    draws = tuple(lucks(transcript))
    for draw in draws:
        for seat, luck in enumerate(draw.seats):
            sums[seat] += luck
    return Luck(table, draws, tuple(sums))


def checked_luck_of(transcript: Transcript) -> Luck:
    """The luck of each seat, after a replay that checks the steps.

    Raises TranscriptError if the transcript contradicts the rules, and LuckTableError.
    """
    for _ in replay(transcript):
        pass
    return luck_of(transcript)
