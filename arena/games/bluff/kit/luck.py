"""The luck of Bluff's draws, in expected points (the share of the other seats that a seat beats).

Two kinds of draws have a value: the hidden rolls once only two seats have dice left, and the choice
of the opener at a table of two. All other draws have luck 0, a valid covariate that explains
nothing: re-rolls, and rolls among three or more seats (hands explained 1 % there when measured).

No step is replayed: a roll itself shows how many dice each seat has, and the first seat to act
after it is the opener.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from arena.games.bluff import BluffOptions, CupRoll, Dice, OpenerDraw, StartingRoll
from arena.games.bluff.kit.duels import cell_of
from arena.games.bluff.kit.luck_table import NAME, LuckTable, luck_table
from arena.games.game import DEALER
from arena.lab.luck.draws import DrawLuck, between
from arena.match.transcript import Step, Transcript

TABLE: Final = NAME
"""The name of the luck table in use."""

_STARTING: Final = (StartingRoll, OpenerDraw)


def lucks(transcript: Transcript) -> Iterator[DrawLuck]:
    """Yield the luck of the draws that have a value, in order; the transcript must be legal."""
    table, steps = luck_table(), transcript.steps
    seats, options = len(transcript.setup.entrants), transcript.setup.options
    assert isinstance(options, BluffOptions)
    worth = table.opening.get(options.dice_per_player)
    for index, step in enumerate(steps):
        if step.actor is not DEALER:
            continue
        draw = step.action
        if type(draw) is CupRoll:
            live = [seat for seat, dice in enumerate(draw.dice) if dice]
            opener = _opener(steps, index)
            if len(live) != 2 or opener is None:
                continue
            other = live[0] + live[1] - opener
            luck = luck_of_roll(table, draw.dice[opener], draw.dice[other])
            if luck is not None:
                given = between(opener, other, luck / (seats - 1), seats)
                yield DrawLuck(index + 1, draw, given)
        elif seats == 2 and worth is not None and type(draw) in _STARTING:
            # Before the draw and after a tie, both seats are equally likely to open: luck 0.
            opener = _opener(steps, index)
            if opener is None or type(steps[index + 1].action) in _STARTING:
                yield DrawLuck(index + 1, draw, (0.0, 0.0))
            else:
                yield DrawLuck(index + 1, draw, between(opener, 1 - opener, worth, 2))


def luck_of_roll(table: LuckTable, dice: Dice, other_dice: Dice) -> float | None:
    """Return the opener's luck, in wins, in a round between two seats; its dice come first.

    Return None if the table has no values for these numbers of dice.
    """
    duel = table.duels.get((len(dice), len(other_dice)))
    return None if duel is None else duel.lucks[cell_of(dice, other_dice)] / duel.unit


def _opener(steps: Sequence[Step], index: int) -> int | None:
    """Return the seat that opens after the draw at `index`; None if the record ends there.

    No match ends there: a match is broken off only after a seat acted.
    """
    for step in steps[index + 1 : index + 3]:
        if step.actor is not DEALER:
            return step.actor
    return None
