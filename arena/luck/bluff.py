"""The luck of Bluff's draws, in expected points: the share of the other seats that one beats.

Only what two seats with dice left decide between them has a value: their hidden rolls, and at a
table of two who opens. All other draws have luck 0, which is a valid, if useless, covariate: rolls
among three or more seats (hands alone were measured to explain 1 % there) and re-rolls.
"""

from arena.games.bluff import BluffAction, OpenerDraw, Roll, StartingRoll
from arena.games.bluff.state import BluffState
from arena.luck.duels import cell_of
from arena.luck.tables import LuckTable


def luck_of_draw(
    table: LuckTable, before: BluffState, draw: BluffAction, after: BluffState
) -> tuple[float, ...] | None:
    """The luck of each seat; None where no value is given. The sum over all seats is zero."""
    seats = len(before.dice_counts)
    if type(draw) is Roll:
        live = [seat for seat, count in enumerate(before.dice_counts) if count]
        if len(live) != 2 or before.opener is None:
            return None
        opener = before.opener
        other = live[0] + live[1] - opener
        luck = luck_of_roll(table, draw, opener, other)
        return None if luck is None else _between(opener, other, luck / (seats - 1), seats)
    if type(draw) is StartingRoll or type(draw) is OpenerDraw:
        worth = table.opening.get(before.dice_counts[0])
        if seats != 2 or worth is None:
            return None
        # Before, and after a tie, both are equally likely to open, and the mean is nothing.
        return (
            (0.0, 0.0)
            if after.opener is None
            else _between(after.opener, 1 - after.opener, worth, seats)
        )
    return None


def luck_of_roll(table: LuckTable, roll: Roll, opener: int, other: int) -> float | None:
    """The luck of the seat that opens a round between two, in wins."""
    dice, other_dice = roll.dice[opener], roll.dice[other]
    duel = table.duels.get((len(dice), len(other_dice)))
    return None if duel is None else duel.lucks[cell_of(dice, other_dice)] / duel.unit


def _between(winner: int, loser: int, luck: float, seats: int) -> tuple[float, ...]:
    lucks = [0.0] * seats
    lucks[winner], lucks[loser] = luck, -luck
    return tuple(lucks)
