"""The luck of a match, from its transcript alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.games.bluff import Bluff
from arena.games.game import DEALER
from arena.luck.bluff import luck_of_draw
from arena.luck.tables import TableName, bluff_table
from arena.match.replay import advance, start
from arena.match.transcript import Transcript


@dataclass(frozen=True, slots=True)
class DrawLuck:
    """What one draw gave, beyond the expectation."""

    step: int
    """The position of the draw in the transcript, from 1."""
    draw: Any
    seats: tuple[float, ...]
    """In expected points: the share of the other seats that one beats. The sum is 0."""


@dataclass(frozen=True, slots=True)
class Luck:
    """The luck of all seats in one match. Its expectation is 0, whoever plays."""

    table: TableName | None
    """Where the values come from; None for a game without a table, where all luck is 0."""
    draws: tuple[DrawLuck, ...]
    """Only those that the table gives a value."""
    seats: tuple[float, ...]
    """The sum over all draws."""


def luck_of(transcript: Transcript) -> Luck:
    """The luck of each seat, in all and by draw.

    Raises TranscriptError for a transcript that contradicts the rules, LuckTableError.
    """
    seats = len(transcript.setup.entrants)
    if transcript.setup.game != Bluff.name:
        return Luck(None, (), (0.0,) * seats)
    table, draws = bluff_table(), []
    game = transcript.setup.make_game()
    state = start(game, transcript)
    for index, step in enumerate(transcript.steps, start=1):
        before, state = state, advance(game, state, index, step)
        if step.actor is DEALER:
            luck = luck_of_draw(table, before, step.action, state)
            if luck is not None:
                draws.append(DrawLuck(index, step.action, luck))
    return Luck(table.name, tuple(draws), _summed(draws, seats))


def _summed(draws: Sequence[DrawLuck], seats: int) -> tuple[float, ...]:
    return tuple(sum(draw.seats[seat] for draw in draws) for seat in range(seats))
