"""Builds the luck table of Bluff You!, the same bytes every time.

python -m tools.luck_tables.build_bluff_you [--matches 20000] [--seed 1] FILE

Plays matches with `reference_bluff_you` at each table size, and estimates the value of every kind
of sum, by the place of its chip, by least squares: the additional share of the other seats that the
bluffer beats per such roll above the expected number, shrunk towards 0 as if by SHRINK rolls.
Fractions make the result independent of the machine's rounding.

Afterwards set its name and SHA-256 in the kit's luck.py. A published table is never changed.
"""

import json
from collections.abc import Iterator

from arena.games import make_game
from arena.games.bluff_you import Roll
from arena.games.bluff_you.chances import ROLLS, WAYS
from arena.games.bluff_you.kit.luck import CENTRE, OTHER, OWN, kind_of
from arena.games.bluff_you.values import CHIPS
from arena.lab.luck.tables import SCALE
from tools.luck_tables.build import main, match_played
from tools.luck_tables.least_squares import Products
from tools.luck_tables.reference_bluff_you import act, temperament

SEATS = (2, 3, 4)
SHRINK = 200
PLACES = (CENTRE, OWN, OTHER)
KINDS = len(CHIPS) // 2


def table(matches: int, seed: str) -> bytes:
    """The content of the file, computed from `matches` matches at each table size."""
    values = {seats: _values(seats, matches, seed) for seats in SEATS}
    about = {"game": "bluff_you", "version": 1, "matches": matches, "seed": seed, "values": values}
    return (json.dumps(about) + "\n").encode()


def _values(seats: int, matches: int, seed: str) -> list[list[int]]:
    products = Products(len(PLACES) * KINDS)
    for number in range(matches):
        for surplus, beaten in _samples(seats, f"{seed} {seats} {number}"):
            products.add(surplus, beaten)
    unit = ROLLS * (seats - 1)
    solved = products.solve(SHRINK * unit**2)
    # From the integers of the samples to the share beaten per roll.
    values = [round(value * unit / (2 * (seats - 1)) * SCALE) for value in solved]
    return [values[place * KINDS : (place + 1) * KINDS] for place in PLACES]


def _samples(seats: int, seed: str) -> Iterator[tuple[list[int], int]]:
    """The samples of one match, one per seat: by cell, ROLLS (n - 1) times the own rolls above
    expectation, less a part of the others'; and 2 (n - 1) times the share beaten above a half."""
    game = make_game("bluff_you")
    surplus = [[0] * (len(PLACES) * KINDS) for _ in range(seats)]
    for state, roll in match_played(game, seats, seed, temperament, act):
        if isinstance(roll, Roll):
            for number, ways in WAYS.items():
                in_centre, own = number in state.centre, number in state.chips[state.bluffer]
                place = CENTRE if in_centre else OWN if own else OTHER
                gain = ROLLS * (sum(roll.dice) == number) - ways
                for seat in range(seats):
                    part = seats - 1 if seat == state.bluffer else -1
                    surplus[seat][place * KINDS + kind_of(number)] += part * gain
    placing = game.placing(state)
    for seat in range(seats):
        beaten = sum((other > placing[seat]) - (other < placing[seat]) for other in placing)
        yield surplus[seat], beaten


if __name__ == "__main__":
    main("build_bluff_you", table, matches=20_000)
