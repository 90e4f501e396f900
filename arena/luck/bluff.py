"""The luck of Bluff's draws, in expected points: the share of the other seats that one beats.

Only what two seats with dice left decide between them has a value: their hidden rolls, and at a
table of two who opens. All other draws have luck 0, which is a valid, if useless, covariate: rolls
among three or more seats (hands alone were measured to explain 1 % there) and re-rolls.

No step is played again: a roll shows by itself who has how many dice, and who opens is who acts
after it.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from arena.games.bluff import BluffOptions, CupRoll, Dice, OpenerDraw, StartingRoll
from arena.games.game import DEALER
from arena.luck.draws import DrawLuck, between
from arena.luck.duels import cell_of
from arena.luck.tables import LuckTable, bluff_table
from arena.match.transcript import Step, Transcript

_STARTING: Final = (StartingRoll, OpenerDraw)


def lucks(transcript: Transcript) -> Iterator[DrawLuck]:
    """The draws that the table gives a value, in order; of a transcript that follows the rules."""
    table, steps = bluff_table(), transcript.steps
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
            # Before, and after a tie, both are equally likely to open, and the mean is nothing.
            opener = _opener(steps, index)
            if opener is None or type(steps[index + 1].action) in _STARTING:
                yield DrawLuck(index + 1, draw, (0.0, 0.0))
            else:
                yield DrawLuck(index + 1, draw, between(opener, 1 - opener, worth, 2))


def luck_of_roll(table: LuckTable, dice: Dice, other_dice: Dice) -> float | None:
    """In wins, of the seat that opens a round between two, whose dice come first."""
    duel = table.duels.get((len(dice), len(other_dice)))
    return None if duel is None else duel.lucks[cell_of(dice, other_dice)] / duel.unit


def _opener(steps: Sequence[Step], index: int) -> int | None:
    """Who opens after the draw at `index`; None in a record that ends there, as no match does:
    one is broken off only after somebody acted."""
    for step in steps[index + 1 : index + 3]:
        if step.actor is not DEALER:
            return step.actor
    return None
