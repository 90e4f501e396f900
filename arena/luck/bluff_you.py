"""The luck of Bluff You!'s rolls, in expected points: the share of the other seats that one beats.

What a roll is worth to the bluffer depends on its sum, and on where the chip with that number lies:
in the centre, with the bluffer itself, or with another seat. The mean runs over all 216 rolls with
the chips where they lie, in whole numbers: it is zero exactly. What the bluffer gains, the others
lose in equal parts.

No step is played again: who won a chip follows from the dice, what was said and what was answered.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from arena.games.bluff_you import (
    CHIPS,
    Answer,
    Give,
    Roll,
    Steal,
    Swap,
    Take,
    Win,
)
from arena.games.game import DEALER
from arena.luck.draws import DrawLuck
from arena.luck.sums import CENTRE, OTHER, OWN, ROLLS, WAYS, kind_of
from arena.luck.tables import SCALE, RollTable, bluff_you_table
from arena.match.transcript import Transcript

UNIT: Final = ROLLS * SCALE
"""What a point is in whole numbers."""
_FIRST: Final = CHIPS[0]


class RollMade(NamedTuple):
    """A roll, and where the chips lay before it."""

    step: int
    """Its position in the transcript, from 1."""
    roll: Roll
    bluffer: int
    owners: dict[int, int | None]
    """By number; None is the centre. It changes when the next roll is asked for."""
    moved: list[int]
    """Numbers of the chips that moved since the roll before. It changes likewise."""


def lucks(transcript: Transcript) -> Iterator[DrawLuck]:
    """All rolls, at the table sizes that have values; of a transcript that follows the rules."""
    seats = len(transcript.setup.entrants)
    values = bluff_you_table().values.get(seats)
    if values is None:
        return
    lucks = BluffersLuck(values, seats)
    for made in rolls(transcript):
        luck = lucks.of(made) / UNIT
        given = [-luck / (seats - 1)] * seats
        given[made.bluffer] = luck
        yield DrawLuck(made.step, made.roll, tuple(given))


class BluffersLuck:
    """The luck of one roll after the other: each costs what moved since the one before."""

    def __init__(self, values: RollTable, seats: int) -> None:
        self._values = [[places[kind_of(number)] for number in CHIPS] for places in values]
        start = sum(WAYS[number] * self._values[CENTRE][number - _FIRST] for number in CHIPS)
        self._sums = [start] * seats
        """By seat, over all rolls, what they would be worth to it as the bluffer."""
        self._owners: list[int | None] = [None] * len(CHIPS)

    def of(self, made: RollMade) -> int:
        """Of the bluffer, in 1 / UNIT points."""
        owners, values, sums = self._owners, self._values, self._sums
        for number in made.moved:
            at, ways = number - _FIRST, WAYS[number]
            was, now = owners[at], made.owners[number]
            if was == now:
                continue
            owners[at] = now
            centre, own, other = values[CENTRE][at], values[OWN][at], values[OTHER][at]
            for seat in range(len(sums)):
                before = centre if was is None else own if was == seat else other
                after = centre if now is None else own if now == seat else other
                sums[seat] += ways * (after - before)
        rolled = sum(made.roll.dice) - _FIRST
        owner = owners[rolled]
        place = CENTRE if owner is None else OWN if owner == made.bluffer else OTHER
        return ROLLS * values[place][rolled] - sums[made.bluffer]


def rolls(transcript: Transcript) -> Iterator[RollMade]:
    """Every roll that somebody acted on, as all are."""
    owners: dict[int, int | None] = dict.fromkeys(CHIPS)
    moved: list[int] = []
    steps = transcript.steps
    bluffer, rolled, said = 0, 0, None
    for index, (actor, action, *_) in enumerate(steps):
        if actor is DEALER:
            acts = steps[index + 1].actor if index + 1 < len(steps) else DEALER
            if acts is not DEALER:
                bluffer, rolled = acts, sum(action.dice)
                yield RollMade(index + 1, action, bluffer, owners, moved)
                moved.clear()
            continue
        kind = type(action)
        if kind is Win or kind is Steal:
            said = action
        elif kind is Answer and said is not None:
            number, seer = said.number, said.seer
            seer_wins = action.believe == (rolled == number)
            following = type(steps[index + 1].action) if index + 1 < len(steps) else None
            if type(said) is Win:
                if owners[number] is None:
                    owners[number] = seer if seer_wins else bluffer
                    moved.append(number)
            elif not seer_wins:
                if following is not Take:
                    owners[number] = bluffer
                    moved.append(number)
            elif following is not Give:
                # Its only chip goes without asking.
                only = next(one for one, owner in owners.items() if owner == bluffer)
                owners[only] = seer
                moved.append(only)
        elif kind is Give and said is not None:
            owners[action.number] = said.seer
            moved.append(action.number)
        elif kind is Take:
            owners[action.number] = bluffer
            moved.append(action.number)
        elif kind is Swap:
            for number in (*action.give, action.take):
                owners[number] = None
            owners[action.take] = bluffer
            moved += (*action.give, action.take)
