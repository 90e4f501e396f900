"""Bluff You!: a bot that announces so that neither answer is right more often than the other.

The stakes. An announcement that succeeds gains the bluffer a `prize`, one that fails costs it a
`price`, as points over the mean of the others; the seer's answer makes no difference to that. If a
number is announced with t truths and l lies (in rolls of 216), the seer gives the answer that is
right more often, so this is worth prize * min(t, l) - price * max(t, l) to the bluffer.

How to announce. So truths and lies go in pairs. A pair is worth prize - price; an unpaired one only
costs. A number has at most as many truths as rolls make it. Hence: pair the truths that are worth
most with a lie each, until all rolls are used up. When there are too few chips for that, doubles
are better swapped, and the remaining rolls are lies about the cheapest offer, which fail.

How to swap. A swap leaves all points as they are, but it changes what the next bluffer may
announce. The worth of the swap is what that seat's best plan loses by it, compared with no change,
divided among the other seats; a double is swapped if no announcement is worth more.
(tests/sample_bots/test_bluff_you_equilibrium.py finds the same by linear programming.)

How to answer. Believe each announcement with the probability that makes every lie worth the same,
`worst_roll`: then no bluffer gains by another mixture. A bluffer that pairs tells the truth half of
the time, so both answers are equally good, and leaning towards a seat's known habit costs nothing.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TypeAlias

from arena.bot import Bot, Match, Turn, run
from arena.games.bluff_you import (
    CHIPS,
    Answer,
    BluffYouChoice,
    BluffYouEvent,
    BluffYouOptions,
    BluffYouPhase,
    BluffYouView,
    Give,
    Revealed,
    Steal,
    Stop,
    Swap,
    Take,
    Win,
    is_double,
    legal_swaps,
    swap_targets,
)

BluffYouTurn: TypeAlias = Turn[BluffYouView, BluffYouChoice, BluffYouEvent, BluffYouOptions]

LEAN = 4.0
"""The weight of a seat's habit of telling the truth in the belief in it; a habit of 1/2 adds 0."""
UNSHOWN = 2
"""The prior counts of a seat's truths and of its lies of a kind."""
MOST_SWAPS = 300
"""The number of swaps that are compared. The usual points allow at most 254, others thousands."""

DICE = tuple(product(range(1, 7), repeat=3))
ROLLS = len(DICE)
WAYS = Counter((sum(dice), is_double(dice)) for dice in DICE)
"""The number of the 216 rolls of three dice that make each sum, with and without a double."""


@dataclass(frozen=True)
class Offer:
    """A possible announcement of a bluffer."""

    number: int
    owner: int | None
    """The seat to steal from; None for a chip of the centre."""
    prize: float
    """The bluffer's gain if it wins, as points over the mean of the others."""
    price: float
    """The bluffer's loss if the seer wins."""

    @property
    def pair(self) -> float:
        """The worth of a truth and a lie together."""
        return self.prize - self.price


@dataclass(frozen=True)
class Exchange:
    """A swap that the bluffer could make with a double."""

    swap: Swap
    worth: float
    """The worth, as of an offer: points over the mean of the others."""


@dataclass(frozen=True)
class Plan:
    """The best way to announce."""

    told: dict[tuple[Offer, bool], float]
    """The share of the rolls of this sum, without and with a double, that are announced truly."""
    lies: dict[Offer, float]
    """The number of the 216 rolls with which the bluffer lies about this offer."""
    exchange: Exchange | None
    """The best swap; None if there is none."""
    swapped: float
    """The share of the other doubles that are swapped."""
    worst_roll: float
    """The worth of having to lie."""

    @property
    def worth(self) -> float:
        """The worth against a seer that knows the plan, in points."""
        worth, swapped = 0.0, float(ROLLS)
        for offer, lies in self.lies.items():
            truths = sum(
                self.told.get((offer, double), 0.0) * WAYS[offer.number, double]
                for double in (False, True)
            )
            worth += offer.prize * min(truths, lies) - offer.price * max(truths, lies)
            swapped -= truths + lies
        if self.exchange is not None:
            worth += self.exchange.worth * swapped
        return worth / ROLLS

    def belief(self, offer: Offer) -> float:
        """Return the probability of belief with which no lie is worth more than `worst_roll`."""
        stake = offer.prize + offer.price
        return min(1.0, (self.worst_roll + offer.price) / stake) if stake else 0.5


def offers(view: BluffYouView, options: BluffYouOptions) -> Iterator[Offer]:
    """Yield the bluffer's possible announcements, as it and its seer both know."""
    points = dict(zip(CHIPS, options.chip_points, strict=True))
    others = len(view.chips) - 1
    for number in view.centre:
        yield Offer(number, None, points[number], points[number] / others)
    if view.no_win_turns >= view.no_win_limit:
        return
    if options.announce_missing_chip == "no_effect":
        yield from (Offer(number, None, 0, 0) for number in CHIPS if number not in view.centre)
    own = view.chips[view.bluffer]
    if own:
        # One seat's gain is another's loss, so a point counts for more than one.
        weight = 1 + 1 / others
        price = weight * min(points[chip] for chip in own)
        for seat, chips in enumerate(view.chips):
            if seat != view.bluffer:
                best = max((points[chip] for chip in chips), default=0)
                for number in chips:
                    taken = best if options.steal_takes == "any_chip" else points[number]
                    yield Offer(number, seat, weight * taken, price)


def possible_swaps(view: BluffYouView, options: BluffYouOptions) -> Iterator[Swap]:
    """Yield the swaps open to the bluffer if it has a double, as all seats know."""
    if options.swap_max_per_turn and view.no_win_turns < view.no_win_limit:
        points = (0, 0, 0, *options.chip_points)
        own, fewest = view.chips[view.bluffer], options.swap_min_give
        targets = swap_targets(own, view.centre, points, fewest)
        yield from legal_swaps(own, targets, points, fewest)


def next_turn(view: BluffYouView, swap: Swap | None) -> BluffYouView:
    """Return the turn of the next bluffer, after a swap or with all chips unchanged."""
    chips, centre, bluffer = list(view.chips), view.centre, view.bluffer
    if swap is not None:
        own = set(chips[bluffer]) - set(swap.give) | {swap.take}
        chips[bluffer] = tuple(sorted(own))
        centre = tuple(sorted({*centre, *swap.give} - {swap.take}))
    return replace(
        view,
        bluffer=(bluffer + 1) % len(chips),
        chips=tuple(chips),
        centre=centre,
        no_win_turns=view.no_win_turns + 1,
    )


def plan(possible: list[Offer], exchange: Exchange | None) -> Plan:
    """Return the best way to announce.

    It lowers the worth of a lie until every lie is paired with a truth.
    """
    best: dict[int, Offer] = {}
    for offer in sorted(possible, key=lambda offer: (offer.pair, offer.prize)):
        best[offer.number] = offer
    # Each step: the worth of a lie from which it applies; the decrease of lies (or increase of
    # wanted ones) per roll; the rolls; the offer that they announce truly, or None if swapped; and
    # whether the rolls are doubles.
    steps: list[tuple[float, int, int, Offer | None, bool]] = []
    idle = 0
    for (number, double), rolls in WAYS.items():
        told = best.get(number)
        swap = exchange.worth if exchange is not None and double else None
        if swap is not None and (told is None or told.pair < 2 * swap):
            # As the worth of a lie falls, these rolls are first lies, then swapped, then told.
            idle += rolls
            if told is not None:
                steps.append((told.pair - swap, 1, rolls, told, double))
        elif told is not None:
            steps.append((told.pair / 2, 2, rolls, told, double))
    if exchange is not None:
        steps.append((exchange.worth, 1, idle, None, True))
    steps.sort(key=lambda step: (-step[0], -step[1], step[3] is None or -step[3].prize))
    cheapest = min(possible, key=lambda offer: offer.price)
    shares: dict[tuple[Offer, bool], float] = {}
    lies = dict.fromkeys(possible, 0.0)
    swapped, worst_roll, left = 0.0, -cheapest.price, float(ROLLS)
    for worth, fewer, rolls, told, double in steps:
        if left <= 0 or worth < -cheapest.price:
            break
        share = min(1.0, left / (fewer * rolls)) if rolls else 0.0
        left -= fewer * rolls * share
        if told is None:
            swapped = share
        else:
            shares[told, double] = share
            lies[told] += rolls * share
        if left <= 0:
            worst_roll = worth
    lies[cheapest] += max(0.0, left)
    return Plan(shares, lies, exchange, swapped, worst_roll)


def worth_of_turn(view: BluffYouView, options: BluffYouOptions) -> float:
    """Return the worth of a turn to its bluffer, if a swap in it is worth nothing."""
    swap = next(possible_swaps(view, options), None)
    free = None if swap is None else Exchange(swap, 0.0)
    return plan(list(offers(view, options)), free).worth


def best_exchange(view: BluffYouView, options: BluffYouOptions) -> Exchange | None:
    """Return the swap that leaves least to the next bluffer; None if there is none."""
    swaps = list(islice(possible_swaps(view, options), MOST_SWAPS))
    if not swaps:
        return None
    lefts = [worth_of_turn(next_turn(view, swap), options) for swap in swaps]
    least = min(lefts)
    gain = worth_of_turn(next_turn(view, None), options) - least
    return Exchange(swaps[lefts.index(least)], gain / (len(view.chips) - 1))


def planned(view: BluffYouView, options: BluffYouOptions) -> Plan:
    """Return the best way to announce in this turn, as the bluffer and its seer both know."""
    return plan(list(offers(view, options)), best_exchange(view, options))


class BluffYouEquilibrium(Bot[BluffYouView, BluffYouChoice, BluffYouEvent, BluffYouOptions]):
    """A bot that announces so that neither answer is right more often than the other."""

    games = ("bluff_you",)

    def match_started(self, match: Match[BluffYouOptions]) -> None:  # noqa: ARG002  all matches begin alike
        """Reset the habits."""
        self.habits: Counter[tuple[int, type, bool]] = Counter()
        """Announcements by seat, kind, and whether they were true."""

    def act(self, turn: BluffYouTurn) -> BluffYouChoice:
        """Record the announcements that were revealed, and return the choice for any phase."""
        for event in turn.events:
            if isinstance(event, Revealed):
                true = sum(event.dice) == event.announced.number
                self.habits[event.bluffer, type(event.announced), true] += 1
        view = turn.view
        points = turn.game.options.chip_points
        match view.phase:
            case BluffYouPhase.ANSWER:
                return Answer(self.random.random() < self.belief(turn))
            case BluffYouPhase.GIVE:
                return Give(min(view.chips[turn.seat], key=lambda chip: points[chip - 3]))
            case BluffYouPhase.TAKE:
                assert view.announced is not None  # the steal attempt that was won
                theirs = view.chips[view.announced.seer]
                return Take(max(theirs, key=lambda chip: points[chip - 3]))
            case BluffYouPhase.SWAP_AGAIN:
                again = best_exchange(view, turn.game.options)
                return again.swap if again is not None and again.worth > 0 else Stop()
            case _:
                return self.announce(turn)

    def belief(self, turn: BluffYouTurn) -> float:
        """Return the probability of believing the announcement.

        Above 1 means always, below 0 never.
        """
        view = turn.view
        said = view.announced
        assert said is not None  # it was made to this seat
        owner = said.seer if isinstance(said, Steal) else None
        possible = offers(view, turn.game.options)
        offer = next(o for o in possible if (o.number, o.owner) == (said.number, owner))
        belief = planned(view, turn.game.options).belief(offer)
        return belief + self.lean(view.bluffer, type(said))

    def lean(self, bluffer: int, kind: type) -> float:
        """Return how much more to believe a seat because of what it has shown so far."""
        lies, truths = (self.habits[bluffer, kind, true] + UNSHOWN for true in (False, True))
        return LEAN * (truths / (truths + lies) - 0.5)

    def announce(self, turn: BluffYouTurn) -> Win | Steal | Swap:
        """Return a truth, a swap or a lie, by plan."""
        view = turn.view
        best = planned(view, turn.game.options)
        rolled, double = sum(view.dice), is_double(view.dice)
        for (offer, with_double), share in best.told.items():
            if (offer.number, with_double) == (rolled, double) and self.random.random() < share:
                return self.said(offer, view)
        if double and best.exchange is not None and self.random.random() < best.swapped:
            return best.exchange.swap
        lies = {offer: share for offer, share in best.lies.items() if offer.number != rolled}
        if any(lies.values()):
            return self.said(self.random.choices(list(lies), list(lies.values()))[0], view)
        # Only the truth that costs least is left.
        return self.said(min(best.lies, key=lambda offer: offer.price), view)

    def said(self, offer: Offer, view: BluffYouView) -> Win | Steal:
        """Return the announcement of an offer.

        An announcement of a chip of the centre is made to a seat with the fewest points.
        """
        if offer.owner is not None:
            return Steal(offer.owner, offer.number)
        others = [seat for seat in range(len(view.chips)) if seat != view.bluffer]
        fewest = min(view.points[seat] for seat in others)
        behind = [seat for seat in others if view.points[seat] == fewest]
        return Win(self.random.choice(behind), offer.number)


if __name__ == "__main__":
    run(BluffYouEquilibrium)
