"""The luck of Bluff You!'s rolls, in expected points (the share of other seats that a seat beats).

The value of a roll to the bluffer depends on its sum and on the place of the chip with that number:
the centre, the bluffer or another seat. The mean is taken over all 216 rolls with the chips in
their places, in integers, so the luck has a mean of exactly zero. The other seats lose in equal
parts what the bluffer gains.

No step is replayed: the owner of a chip follows from the dice, the announcement and the answer.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from arena.games.bluff_you import CHIPS, Answer, Give, Roll, Steal, Swap, Take, Win
from arena.games.bluff_you.chances import ROLLS, WAYS
from arena.games.game import DEALER
from arena.lab.luck.draws import DrawLuck
from arena.lab.luck.tables import SCALE, TableName, document, shipped
from arena.match.transcript import Transcript

TABLE: Final = TableName(
    "bluff_you_1.json", "6381fcd67546a80cbf69e9a53054188a0df6be078e7d0bde27f8ac2edcb9e16e"
)
"""The file name of the shipped luck table and its SHA-256."""

CENTRE: Final = 0
"""The place of a chip in the centre."""
OWN: Final = 1
"""The place of a chip that the bluffer owns."""
OTHER: Final = 2
"""The place of a chip that another seat owns."""

RollTable: TypeAlias = list[list[int]]
"""Values in 1 / SCALE points, by place of the chip and kind of the sum."""

UNIT: Final = ROLLS * SCALE
"""One expected point in the integer unit."""
_FIRST: Final = CHIPS[0]


@cache
def luck_table() -> dict[int, RollTable]:
    """Return the shipped table by number of seats. Raises LuckTableError."""
    return read_table(shipped(__package__, TABLE), TABLE)


def read_table(content: bytes, name: TableName) -> dict[int, RollTable]:
    """Return the table in a file's bytes.

    Raises LuckTableError unless their SHA-256 is the named one.
    """
    return {int(seats): rows for seats, rows in document(content, name)["values"].items()}


def kind_of(number: int) -> int:
    """Return the kind of a sum, from 0.

    Equally likely sums, whose chips have equal worth, share a kind.
    """
    return min(number - CHIPS[0], CHIPS[-1] - number)


class RollMade(NamedTuple):
    """A roll, and the places of the chips before it."""

    step: int
    """The position of the roll in the transcript, from 1."""
    roll: Roll
    bluffer: int
    owners: dict[int, int | None]
    """The owners of chips by number, None for the centre; mutated when the iterator advances."""
    moved: list[int]
    """The numbers of chips moved since the previous roll; mutated when the iterator advances."""


def lucks(transcript: Transcript) -> Iterator[DrawLuck]:
    """Yield the luck of all rolls; nothing if the table lacks this number of seats.

    The transcript must be legal.
    """
    seats = len(transcript.setup.entrants)
    values = luck_table().get(seats)
    if values is None:
        return
    lucks = BluffersLuck(values, seats)
    for made in rolls(transcript):
        luck = lucks.of(made) / UNIT
        given = [-luck / (seats - 1)] * seats
        given[made.bluffer] = luck
        yield DrawLuck(made.step, made.roll, tuple(given))


class BluffersLuck:
    """The luck of successive rolls, updated only for the chips moved since the previous roll."""

    def __init__(self, values: RollTable, seats: int) -> None:
        self._values = [[places[kind_of(number)] for number in CHIPS] for places in values]
        start = sum(WAYS[number] * self._values[CENTRE][number - _FIRST] for number in CHIPS)
        self._sums = [start] * seats
        """The total value of all rolls to each seat as the bluffer, by seat."""
        self._owners: list[int | None] = [None] * len(CHIPS)

    def of(self, made: RollMade) -> int:
        """Return the bluffer's luck from one roll, in 1 / UNIT points."""
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
    """Yield every roll that a seat's action follows: all rolls of a complete match."""
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
                # The bluffer's only chip is given without asking.
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
