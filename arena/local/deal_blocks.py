"""Deal blocks: the same deal played by several line-ups of bots that cannot remember it.

Block 7 of a seed is its match 7 (see `arena.local.in_process`), played once by every line-up with
the same secret. Equal situations get equal dice, and the bot in a given seat gets the same numbers
from its `random`, so the matches of a block differ only because of the bots. They share their match
id, since the draws are computed from it.

`arena.local.playing` plays them. `arena.local.lineup_processes` plays them in processes, so that no
bot knows a deal from another match.

BlockBrokenError    a line-up could not continue: no match of the unfinished block counts
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeAlias

from arena.errors import UserError
from arena.lab.luck import Luck, luck_of
from arena.local.bot_modules import BotSettings
from arena.match.flow import Refused
from arena.match.notes import Note, note_to_json
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
    """The command that starts the bot, if it is a program that connects; else it is loaded."""
    settings: BotSettings = ()
    """The environment variables that only this bot has."""


@dataclass(frozen=True, slots=True)
class Lineup:
    """The bots of one match of every block, and their seats."""

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
class BlockMatch:
    """A finished match of a block, as its process sends it."""

    contenders: tuple[int, ...]
    """The position of each seat's bot in the line-up's entries."""
    result: Result
    refused: tuple[Refused, ...]
    written: str | None
    """The transcript as one line of JSON, if requested."""
    noted: str | None = None
    """The match's id and its bots' notes as one line of JSON, if requested."""
    luck: Luck | None = None
    """The sums of luck by seat, if requested; deal blocks do not need it, as they cancel luck."""


PlayedBlock: TypeAlias = tuple[BlockMatch, ...]
"""The matches of a complete block, by line-up."""


@dataclass(frozen=True, slots=True)
class Series:
    """Blocks to play, each once by every line-up. A block of a single line-up is one match."""

    lineups: tuple[Lineup, ...]
    seed: str
    """The seed of the deals; series with the same seed play the same deals."""
    blocks: int | None = None
    """The number after the last block's; None for an endless series."""
    first: int = 0
    step: int = 1
    """Every `step`-th block is played."""
    fresh: bool = False
    """Whether every line-up has deals of its own."""
    transcripts: bool = False
    notes: bool = False
    luck: bool = False
    name: str = ""
    """The prefix of the message of an error in one of the blocks."""

    def numbers(self) -> Iterable[int]:
        """Return the numbers of the blocks to play."""
        if self.blocks is None:
            return count(self.first, self.step)
        return range(self.first, self.blocks, self.step)

    def of_lineup(self, number: int) -> "Series":
        """Return the series of one line-up's matches."""
        seed = f"{self.seed} rotation {number + 1}" if self.fresh else self.seed
        return replace(self, lineups=(self.lineups[number],), seed=seed, fresh=False)

    def finished(
        self,
        order: tuple[int, ...],
        transcript: Transcript,
        refused: tuple[Refused, ...],
        notes: Iterable[Note] = (),
    ) -> BlockMatch:
        """Return a finished match with the requested data."""
        written = noted = None
        if self.transcripts:
            written = json.dumps(to_json(transcript), separators=(",", ":"))
        if self.notes:
            said = {"match_id": transcript.setup.match_id, "notes": [*map(note_to_json, notes)]}
            noted = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
        # Only the sums are used later.
        luck = replace(luck_of(transcript), draws=()) if self.luck else None
        return BlockMatch(order, transcript.result, refused, written, noted, luck)


def every_rotation(entries: Sequence[NamedBot]) -> tuple[Lineup, ...]:
    """Return the line-ups of a block in which every bot sits in every seat once."""
    return tuple(Lineup(tuple(entries), shift) for shift in range(len(entries)))
