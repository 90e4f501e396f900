"""Random matches of Bluff: their terms, and what their seats choose."""

from dataclasses import dataclass
from random import Random
from typing import Final

from arena.games.bluff import Bet, BluffChoice, BluffOptions, BluffView, Dice, Doubt
from arena.games.bluff.bets import FACES
from arena.match.clock import TimeControl
from arena.match.faults import DEFAULT_FAULT_LIMIT
from arena.match.transcript import Entrant, Setup

_DOUBT: Final = Doubt()
_ENTRANT: Final = Entrant("bot", "1", "owner")


@dataclass(frozen=True, slots=True)
class Terms:
    """The setup of a match, its key, and how its seats choose."""

    setup: Setup
    key: bytes
    """The match key."""
    doubt: float
    """How likely a seat doubts where it may; otherwise all its legal bets are equally likely."""
    low: float
    """How likely a bet is one of the lowest."""
    show: float
    """How likely a bet lays out dice where it may."""

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.setup.entrants)


def random_terms(random: Random, match_id: str) -> Terms:
    """Return the terms of a match under any options, with few dice more often than many."""
    options = BluffOptions(
        dice_per_player=random.choice((1, 1, 2, 2, 3, 4, 5, 5, random.randint(6, 16))),
        start_mode=random.choice(("roll", "seat")),
        start_star_value=random.choice((0, 5, 6)),
        start_rerolls=random.choice((0, 1, 10)),
        bet_cap="table" if random.random() < 0.1 else "dice_in_play",
        show_and_reroll=random.random() < 0.4,
    )
    setup = Setup(
        match_id=match_id,
        game="bluff",
        options=options,
        entrants=(_ENTRANT,) * random.choice((2, 2, 2, 3, 3, 4, 5, 6)),
        time_control=TimeControl(random.randint(60_000, 3_600_000), random.choice((0, 30_000))),
        fault_limit=DEFAULT_FAULT_LIMIT,
    )
    return Terms(
        setup,
        key=random.randbytes(32),
        doubt=random.choice((0.0, 0.1, 0.3, 0.5)),
        low=random.choice((0.0, 0.5, 0.9)),
        show=random.choice((0.1, 0.5, 1.0)),
    )


def random_choice(random: Random, terms: Terms, view: BluffView) -> BluffChoice:
    """Return a legal answer of the view's own seat."""
    if view.can_doubt and random.random() < terms.doubt:
        return _DOUBT
    most = view.highest + 1
    bets = [(low, face) for low, face in zip(view.lowest, FACES, strict=True) if low < most]
    number = random.randrange(sum(most - low for low, _ in bets) + view.can_doubt)
    for low, face in bets:
        if number < most - low:
            quantity = low if random.random() < terms.low else low + number
            return Bet(quantity, face, _lay_out(random, terms, view))
        number -= most - low
    return _DOUBT


def _lay_out(random: Random, terms: Terms, view: BluffView) -> Dice:
    dice = view.hidden_dice
    assert isinstance(terms.setup.options, BluffOptions)
    if not terms.setup.options.show_and_reroll or len(dice) < 2 or random.random() >= terms.show:
        return ()
    return tuple(sorted(random.sample(dice, random.randint(1, len(dice) - 1))))
