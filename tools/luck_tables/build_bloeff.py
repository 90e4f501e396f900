"""Builds the luck table of Blöff, the same bytes every time.

python -m tools.luck_tables.build_bloeff [--matches 20000] [--seed 1] FILE

Plays matches with `reference_bloeff` at each table size, and estimates the value of every kind of
card by least squares: the additional share of the other seats beaten per card of this kind above
the mean of the dealt hands. Fractions make the result independent of the machine's rounding.

Afterwards set its name and SHA-256 in the kit's luck.py. A published table is never changed.
"""

import json
from collections.abc import Iterator
from fractions import Fraction

from arena.games import make_game
from arena.games.bloeff import Card
from arena.games.game import DEALER
from arena.lab.luck.tables import SCALE
from tools.luck_tables.build import main, match_played
from tools.luck_tables.least_squares import Products
from tools.luck_tables.reference_bloeff import act, temperament

SEATS = (2, 3, 4)
"""At larger tables the effect of the deal is too small to measure."""

Sample = tuple[tuple[int, ...], int]
"""For one seat: by kind, n times the cards above the seats' mean; 2 (n - 1) times the share beaten
above one half."""


def table(matches: int, seed: str) -> bytes:
    """The content of the file, computed from `matches` matches at each table size."""
    values = {seats: _values(seats, matches, seed) for seats in SEATS}
    about = {"game": "bloeff", "version": 1, "matches": matches, "seed": seed, "values": values}
    return (json.dumps(about, indent=1) + "\n").encode()


def _values(seats: int, matches: int, seed: str) -> dict[str, int]:
    # Hands are equally large, so values are determined up to a constant: the last kind is set to 0.
    kinds = len(Card)
    products = Products(kinds - 1)
    for number in range(matches):
        for cards, beaten in _samples(seats, f"{seed} {seats} {number}"):
            products.add(cards[:-1], beaten)
    solved = [*products.solve(), Fraction(0)]
    mean = sum(solved, Fraction(0)) / kinds
    unit = Fraction(seats, 2 * (seats - 1)) * SCALE
    return {
        str(card): round((value - mean) * unit) for card, value in zip(Card, solved, strict=True)
    }


def _samples(seats: int, seed: str) -> Iterator[Sample]:
    """The samples of one match, one per seat."""
    game = make_game("bloeff")
    (start, deal), *_, (end, _) = match_played(game, seats, seed, temperament, act)
    hands, placing = game.apply(start, DEALER, deal).hands, game.placing(end)
    for seat, hand in enumerate(hands):
        cards = tuple(
            seats * hand.count(card) - sum(other.count(card) for other in hands) for card in Card
        )
        beaten = sum((own > placing[seat]) - (own < placing[seat]) for own in placing)
        yield cards, beaten


if __name__ == "__main__":
    main("build_bloeff", table, matches=20_000)
