"""Deal blocks: the same deal played by several line-ups of bots that cannot remember it.

Block 7 of a seed is its match 7 (see `arena.local.in_process`), played once by every line-up with
the same secret. Equal situations get equal dice, and the bot in a given seat gets the same numbers
from its `random`, so the matches of a block differ only because of the bots. They share their match
id, since the draws are computed from it.

How they are played, so that no bot knows a deal from another match, is in
`arena.local.lineup_processes`.

BlockBrokenError    a line-up could not go on: no match of the unfinished block counts
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from arena.errors import UserError
from arena.games.game import AnyGame
from arena.lab.luck import Luck
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.flow import Refused
from arena.match.result import Result
from arena.match.seating import moved_on
from arena.match.transcript import Transcript
from arena.match.transcript_json import to_json


class BlockBrokenError(UserError):
    """A block could not be played to its end; the message says why."""


@dataclass(frozen=True, slots=True)
class NamedBot:
    """A bot of a series: a unique name, and the sample name or path to load it from."""

    name: str
    bot: str
    command: tuple[str, ...] = ()
    """The command that starts it, for a program that is not loaded but connects."""


@dataclass(frozen=True, slots=True)
class Lineup:
    """The bots of one match of every block and their seats."""

    entries: tuple[NamedBot, ...]
    shift: int = 0
    """The number of places that every bot has moved down."""
    moves_on: bool = False
    """Whether every bot moves one more place down with each block."""

    def seating(self, block: int) -> tuple[int, ...]:
        """By seat, the bot's position in `entries`."""
        shift = self.shift + (block if self.moves_on else 0)
        return moved_on(len(self.entries), shift)


@dataclass(frozen=True, slots=True)
class Series:
    """One line-up's matches over many blocks."""

    lineup: Lineup
    seed: str
    """The seed of the deals; series with the same seed play the same deals."""
    blocks: int | None
    """The number of blocks of all processes; None for no end."""
    transcripts: bool = False
    luck: bool = False
    time_control: TimeControl = DEFAULT_TIME_CONTROL
    first: int = 0
    """The number of the first block to play."""
    step: int = 1
    """This process plays one of so many blocks."""

    def numbers(self) -> Iterable[int]:
        """Yield the blocks to play."""
        if self.blocks is None:
            return count(self.first, self.step)
        return range(self.first, self.blocks, self.step)


@dataclass(frozen=True, slots=True)
class BlockMatch:
    """A finished match of a block, as its process sends it."""

    contenders: tuple[int, ...]
    """The position of each seat's bot in the line-up's entries."""
    result: Result
    refused: tuple[Refused, ...]
    written: str | None
    """The transcript as one line of JSON, if it was asked for."""
    luck: Luck | None = None
    """Its sums by seat, if they were asked for; deal blocks cancel luck themselves."""


def written_down(transcript: Transcript) -> str:
    """Return a transcript as one line of JSON."""
    return json.dumps(to_json(transcript), separators=(",", ":"))


def every_rotation(entries: Sequence[NamedBot]) -> list[Lineup]:
    """Return the line-ups of a block in which every bot sits in every seat once."""
    return [Lineup(tuple(entries), shift) for shift in range(len(entries))]


@dataclass(frozen=True, slots=True)
class DealBlocks:
    """Blocks to be played, each once by every line-up. A block of a single line-up is a match."""

    game: AnyGame
    lineups: Sequence[Lineup]
    seed: str
    blocks: int | None = None
    """The number after the last; None for no end."""
    first: int = 0
    transcripts: bool = False
    luck: bool = False
    time_control: TimeControl = DEFAULT_TIME_CONTROL

    def series(self, lineup: Lineup, first: int, end: int | None, step: int = 1) -> Series:
        """Return the matches of a line-up in some of the blocks."""
        return Series(
            lineup=lineup,
            seed=self.seed,
            blocks=end,
            transcripts=self.transcripts,
            luck=self.luck,
            time_control=self.time_control,
            first=first,
            step=step,
        )
