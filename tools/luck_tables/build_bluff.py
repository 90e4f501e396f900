"""Builds the luck table of Bluff, the same bytes every time.

python -m tools.luck_tables.build_bluff [--matches 100000] [--seed 1] FILE

Plays matches of two seats with `reference_play`, then

1. estimates W(n, m), the probability that the opener wins when it has n dice and the other seat m,
   as the mean of W over the situations after its rounds, in ascending order of the dice in play;
2. estimates the value of a duel as the mean of W after its round minus W before: first by the
   matching dice of both hands, then by finer and finer counts. Each level adds the mean of the
   residuals, shrunk towards 0 as if by SHRINK rounds with residual 0.

Afterwards set its name and SHA-256 in the kit's luck.py. A published table is never changed.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator
from typing import NamedTuple, TypeAlias

from arena.games import make_game
from arena.games.bluff import CupRoll, Dice
from arena.games.bluff.kit.duels import Cell, cell_of
from arena.lab.luck.tables import SCALE
from tools.luck_tables.build import main, match_played
from tools.luck_tables.cell_weights import cell_weights
from tools.luck_tables.reference_play import act, temperament

SHRINK = 8
MOST_DICE = 5
"""Hands of more dice have no value in the table."""

Dices: TypeAlias = tuple[int, int]
"""The number of dice of the opener and of the other seat."""


class Round(NamedTuple):
    """A round between two seats, from the opener's point of view."""

    dice: Dice
    other_dice: Dice
    opens_next: bool
    """Whether the opener opens the next round; after the last round, whether it won."""
    after: Dices | None
    """The dice of the next round's opener and of the other seat; None after the last round."""


def table(matches: int, seed: str) -> bytes:
    """The content of the file, computed from `matches` matches."""
    rounds = [each for number in range(matches) for each in _rounds(f"{seed} {number}")]
    wins = _wins(rounds)
    values = _values(rounds, wins)
    duels = {}
    for dice in sorted(wins):
        weights = cell_weights(*dice)
        duels["{} {}".format(*dice)] = [
            [*cell, round(SCALE * values(dice, cell)), weights[cell]] for cell in sorted(weights)
        ]
    opening = {n: round(SCALE * (wins[n, n] - 0.5)) for n in range(1, MOST_DICE + 1)}
    lines = [f'"{dice}": {json.dumps(rows, separators=(",", ":"))}' for dice, rows in duels.items()]
    about = {"game": "bluff", "version": 1, "matches": matches, "seed": seed, "opening": opening}
    head = json.dumps(about)[:-1]
    return (head + ', "duels": {\n' + ",\n".join(lines) + "\n}}\n").encode()


def _rounds(seed: str) -> Iterator[Round]:
    """The rounds of one match."""
    rolls: list[tuple[int, CupRoll]] = []
    for state, draw in match_played(make_game("bluff"), 2, seed, temperament, act):
        if isinstance(draw, CupRoll) and state.opener is not None:
            rolls.append((state.opener, draw))
    for (opener, roll), following in zip(rolls, [*rolls[1:], None], strict=True):
        dice, other_dice = roll.dice[opener], roll.dice[1 - opener]
        if following is None:
            yield Round(dice, other_dice, bool(state.dice_counts[opener]), None)
        else:
            next_opener, next_roll = following
            after = len(next_roll.dice[next_opener]), len(next_roll.dice[1 - next_opener])
            yield Round(dice, other_dice, next_opener == opener, after)


def _wins(rounds: list[Round]) -> dict[Dices, float]:
    """W: the probability that the opener wins, by the dice."""
    led_to: defaultdict[Dices, Counter[tuple[bool, Dices | None]]] = defaultdict(Counter)
    for each in rounds:
        led_to[len(each.dice), len(each.other_dice)][each.opens_next, each.after] += 1
    wins: dict[Dices, float] = {}
    for dice in sorted(led_to, key=sum):
        ends = led_to[dice]
        wins[dice] = sum(times * _worth(wins, *end) for end, times in ends.items()) / ends.total()
    return wins


def _worth(wins: dict[Dices, float], opens_next: bool, after: Dices | None) -> float:
    worth = 1.0 if after is None else wins[after]
    return worth if opens_next else 1 - worth


def _values(rounds: list[Round], wins: dict[Dices, float]) -> Callable[[Dices, Cell], float]:
    """A function that returns a cell's value to the opener, in addition to W of the dice."""
    samples = []
    for each in rounds:
        dice = len(each.dice), len(each.other_dice)
        gain = _worth(wins, each.opens_next, each.after) - wins[dice]
        samples.append((dice, cell_of(each.dice, each.other_dice), gain))
    levels: list[dict[Hashable, float]] = []
    for depth in range(3):
        left: defaultdict[Hashable, list[float]] = defaultdict(list)
        for dice, cell, gain in samples:
            known = sum(
                level[dice, counts] for level, counts in zip(levels, _counts(cell), strict=False)
            )
            left[dice, _counts(cell)[depth]].append(gain - known)
        levels.append({key: sum(gains) / (len(gains) + SHRINK) for key, gains in left.items()})

    def value(dice: Dices, cell: Cell) -> float:
        return sum(
            level.get((dice, counts), 0.0)
            for level, counts in zip(levels, _counts(cell), strict=True)
        )

    return value


def _counts(cell: Cell) -> tuple[Hashable, ...]:
    """The counts of a cell, from coarse to fine."""
    matching = cell.stars + cell.most, cell.other_stars + cell.other_most
    shared = cell.matching, cell.other_matching, cell.order == 0
    return matching, (matching, shared), cell


if __name__ == "__main__":
    main("build_bluff", table, matches=100_000)
