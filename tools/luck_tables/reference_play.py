"""The reference player for the luck table of Bluff, for two seats.

It need not be strong or resemble any bot: a table from other play would also be unbiased, and would
only remove less noise. Seats differ in temperament, drawn for every match, so that the habits of a
single bot do not affect the value of a hand.
"""

from functools import lru_cache
from math import comb
from typing import NamedTuple

from arena.games.bluff import STAR, Bet, Bluff, BluffAction, BluffView, Doubt, Face
from arena.randomness import Randomness

TILTS = (1.0, 2.0, 5.0, 5.0)
OPENS_AT = (0.35, 0.5, 0.65)
PRESSURE = 0.03
"""The value of not being doubted: the other seat must bet higher or doubt."""
TRUSTS = 0.5
"""The other seat is assumed to doubt a bet that is less likely than this by its own dice."""
REACH = 5
"""The number of quantities of each face, from the lowest, that a shrewd seat considers."""
CLOSE = 0.03
"""Actions whose values differ from the best by less than this are equally likely."""


class Temperament(NamedTuple):
    """The parameters of one seat's play in one match."""

    tilt: float
    """The factor by which a die is likelier to show a face after its owner bet on it."""
    opens_at: float
    """An honest seat opens with the highest bet that is at least this likely to be right."""
    shrewd: bool
    """Whether it considers the stakes and possible doubts; honest seats only want to be right."""


class Duel(NamedTuple):
    """The number of dice of the acting seat and of the other."""

    own: int
    other: int


def temperament(chance: Randomness, seat: int) -> Temperament:
    """A random temperament, all equally likely."""
    return Temperament(
        TILTS[chance.below(f"tilt {seat}", len(TILTS))],
        OPENS_AT[chance.below(f"opens at {seat}", len(OPENS_AT))],
        bool(chance.below(f"shrewd {seat}", 2)),
    )


def act(_game: Bluff, view: BluffView, how: Temperament, chance: Randomness) -> BluffAction:
    """An action with the largest value, or one that is nearly as good."""
    seat = view.seat
    assert seat is not None
    duel = Duel(view.dice_counts[seat], view.dice_counts[1 - seat])
    named = frozenset(placed.bet.face for placed in view.bets if placed.seat != seat)
    matching = {face: _matching(view, face) for face in Face}
    unseen = {face: _chance(face, named, how.tilt) for face in Face}
    if not view.can_doubt and not how.shrewd:
        return _honest_opening(view, duel, matching, unseen, how.opens_at)
    actions: list[tuple[float, BluffAction]] = []
    if view.can_doubt:
        bet = view.bets[-1].bet
        missing = bet.quantity - matching[bet.face]
        actions.append((_doubt(duel, missing, unseen[bet.face], shrewd=how.shrewd), Doubt()))
    for face in Face:
        lowest = view.lowest[face - 1]
        last = min(view.highest, lowest + REACH - 1) if how.shrewd else min(view.highest, lowest)
        for quantity in range(lowest, last + 1):
            missing = quantity - matching[face]
            worth = (
                _raise(duel, quantity, missing, unseen[face], star=face is STAR)
                if how.shrewd
                else _at_least(missing, duel.other, unseen[face])
            )
            actions.append((worth, Bet(quantity, face)))
    best = max(worth for worth, _ in actions)
    good = [action for worth, action in actions if worth > best - CLOSE]
    return good[chance.below(f"round {view.round} bet {len(view.bets)} of equals", len(good))]


def _honest_opening(
    view: BluffView,
    duel: Duel,
    matching: dict[Face, int],
    unseen: dict[Face, float],
    least: float,
) -> Bet:
    """The highest bet that is likely enough; among equals, the one on the largest face."""
    likely = [
        (4 * quantity - 1 if face is STAR else 2 * quantity, face, quantity)
        for face in Face
        for quantity in range(1, view.highest + 1)
        if quantity == 1 or _at_least(quantity - matching[face], duel.other, unseen[face]) >= least
    ]
    _, face, quantity = max(likely)
    return Bet(quantity, face)


def _matching(view: BluffView, face: Face) -> int:
    held = view.hidden_dice
    return held.count(STAR) + (held.count(face) if face is not STAR else 0)


def _chance(face: Face, named: frozenset[Face], tilt: float) -> float:
    """The probability that an unseen die matches when its owner has named these faces."""
    weights = [tilt if each in named else 1.0 for each in Face]
    if STAR not in named and named:
        # A bet on a number also counts on stars.
        weights[STAR - 1] = tilt**0.5
    matching = weights[STAR - 1] + (weights[face - 1] if face is not STAR else 0.0)
    return matching / sum(weights)


# All arguments except `chance` are small integers, and `chance` has a few dozen values.
@lru_cache(maxsize=1 << 16)
def _doubt(duel: Duel, missing: int, chance: float, *, shrewd: bool) -> float:
    """The value of a doubt: the chance to be right, or for shrewd seats the share of dice left."""
    if not shrewd:
        return 1 - _at_least(missing, duel.other, chance)
    return sum(
        likely * _share(duel, count - missing, bettor=False)
        for count, likely in enumerate(_spread(duel.other, chance))
    )


@lru_cache(maxsize=1 << 16)
def _raise(duel: Duel, quantity: int, missing: int, chance: float, *, star: bool) -> float:
    """The value of a bet: the share of dice left if the other seat doubts unlikely bets."""
    worth = 0.0
    for count, likely in enumerate(_spread(duel.other, chance)):
        if _at_least(quantity - count, duel.own, 1 / 6 if star else 1 / 3) >= TRUSTS:
            worth += likely * (duel.own / sum(duel) + PRESSURE)
        else:
            worth += likely * _share(duel, count - missing, bettor=True)
    return worth


def _share(duel: Duel, surplus: int, *, bettor: bool) -> float:
    """Our share of the dice after a doubt of our bet, or by us; the count exceeds the bet by
    `surplus`."""
    if surplus == 0:
        return (duel.own - (not bettor)) / (sum(duel) - 1)
    loses = bettor == (surplus < 0)
    loss = min(abs(surplus), duel.own if loses else duel.other)
    return (duel.own - loss * loses) / (sum(duel) - loss)


@lru_cache(maxsize=1 << 14)
def _at_least(wanted: int, dice: int, chance: float) -> float:
    return sum(_spread(dice, chance)[max(0, wanted) :])


@lru_cache(maxsize=1 << 12)
def _spread(dice: int, chance: float) -> tuple[float, ...]:
    """The probabilities that 0, 1, 2, … dice match."""
    return tuple(
        comb(dice, count) * chance**count * (1 - chance) ** (dice - count)
        for count in range(dice + 1)
    )
