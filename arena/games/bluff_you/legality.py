"""The legal actions of Bluff You!: checks on a state, an iterator over actions, and a sentence."""

from collections.abc import Iterator
from typing import Final

from arena.games.bluff_you.options import BluffYouOptions
from arena.games.bluff_you.state import (
    ANNOUNCE,
    ANSWER,
    GIVE,
    OVER,
    SWAP_AGAIN,
    TAKE,
    BluffYouState,
    worth,
)
from arena.games.bluff_you.swaps import LEAST_OWNED, is_double, legal_swaps, swap_targets
from arena.games.bluff_you.values import (
    CHIPS,
    LOWEST_CHIP,
    Answer,
    BluffYouAnnouncement,
    BluffYouChoice,
    BluffYouView,
    Chips,
    Give,
    Steal,
    Stop,
    Swap,
    Take,
    Win,
)
from arena.wording import number_of, one_of

BELIEVE: Final = Answer(True)
DOUBT: Final = Answer(False)
STOP: Final = Stop()


class Legality:
    """The legal actions under fixed options."""

    def __init__(self, options: BluffYouOptions) -> None:
        self.points: Final = (0,) * LOWEST_CHIP + options.chip_points
        """The points of chips, indexed by the number on the chip."""
        self._any_number = options.announce_missing_chip == "no_effect"
        self._min_give = options.swap_min_give
        self._max_swaps = options.swap_max_per_turn
        self._no_win_limit = options.no_win_limit

    def no_win_limit(self, seat_count: int) -> int:
        """Return the number of consecutive turns without a win that locks other actions (BY-22)."""
        return self._no_win_limit or max(12, 3 * seat_count)

    def locked(self, state: BluffYouState) -> bool:
        """Return whether only win attempts are legal, as the no-win limit is reached (BY-22)."""
        return state.no_win_turns >= self.no_win_limit(len(state.chips))

    def win_numbers(self, state: BluffYouState) -> Chips:
        """Return the numbers that may be announced in a win attempt (BY-8)."""
        # While locked, a number that wins no chip is illegal: it would not end the lock.
        return CHIPS if self._any_number and not self.locked(state) else state.centre

    def can_steal(self, state: BluffYouState) -> bool:
        """Return whether the bluffer may steal from the other seats that own chips (BY-12)."""
        if state.phase is not ANNOUNCE or not state.chips[state.bluffer]:
            return False
        return state.chips.count(()) < len(state.chips) - 1 and not self.locked(state)

    def swap_targets(self, state: BluffYouState) -> Chips:
        """Return the chips that the bluffer may take in a swap (BY-16, 17).

        They depend on the hidden dice.
        """
        if not self._swap_phase(state) or not is_double(state.dice):
            return ()
        own = state.chips[state.bluffer]
        return swap_targets(own, state.centre, self.points, self._min_give)

    def announcement_refusal(
        self, state: BluffYouState, announced: BluffYouAnnouncement
    ) -> str | None:
        """Return why this cannot be announced now; None if it can."""
        seer, number = announced.seer, announced.number
        # Types are exact: True and 1.0 compare equal to seats and numbers.
        if type(seer) is not int or type(number) is not int:
            return "A seer and a number are whole numbers"
        if seer == state.bluffer or not 0 <= seer < len(state.chips):
            return "The seer is another seat of this match"
        if type(announced) is Win:
            if number not in self.win_numbers(state):
                return "The chip is not in the centre"
        elif number not in state.chips[seer]:
            return "The seer does not own this chip"
        elif not self.can_steal(state):
            return "Nothing can be stolen now"
        return None

    def swap_refusal(self, state: BluffYouState, swap: Swap) -> str | None:
        """Return why this swap is not legal now; None if it is (BY-16 to 18)."""
        give, take, own = swap.give, swap.take, state.chips[state.bluffer]
        if type(give) is not tuple or type(take) is not int:
            return "A swap is a list of own chips and one chip of the centre"
        if any(type(number) is not int for number in give):
            return "Chips are whole numbers"
        if not self._swap_phase(state):
            return "No swap is allowed now"
        if not is_double(state.dice):
            return "A swap needs two equal dice"
        if len(own) < LEAST_OWNED:
            return f"A swap needs {LEAST_OWNED} own chips"
        if len(give) < self._min_give:
            return "A swap must give more chips"
        if len(set(give)) < len(give) or any(number not in own for number in give):
            return "Only own chips are given, each once"
        if take not in state.centre:
            return "The chip taken must be in the centre before the swap"
        if worth(self.points, give) != self.points[take]:
            return "The chips given must have the same total worth as the chip taken"
        return None

    def owed(self, state: BluffYouState) -> Chips:
        """Return the chips that may be given or taken after a steal attempt (BY-14, 15)."""
        return state.chips[state.said.seer if state.phase is TAKE else state.bluffer]

    def choices(self, view: BluffYouView) -> Iterator[BluffYouChoice]:
        """Yield all legal actions of the view's own seat, each once."""
        seat, phase = view.seat, view.phase
        if seat is None or seat != view.to_act:
            return
        if phase is ANSWER:
            yield BELIEVE
            yield DOUBT
        elif phase is GIVE:
            yield from map(Give, view.chips[seat])
        elif phase is TAKE and view.announced is not None:
            yield from map(Take, view.chips[view.announced.seer])
        else:
            if phase is SWAP_AGAIN:
                yield STOP
            yield from _announcements(view, seat)
            # The other chips of the centre cannot be paid for.
            targets = view.swap_targets
            yield from legal_swaps(view.chips[seat], targets, self.points, self._min_give)

    def hint(self, state: BluffYouState, seat: int | None) -> str:
        """Return a sentence that says what is legal for a seat now."""
        asked = state.asked
        if asked is None:
            over = state.phase is OVER
            return "The match is over." if over else "The dealer rolls now; no seat acts."
        if seat != asked:
            return f"Seat {asked} is asked now; others wait."
        if state.phase is ANSWER:
            return "Legal is to believe the announced number, or not."
        if state.phase is GIVE:
            return f"Legal is to give {one_of(self.owed(state))}."
        if state.phase is TAKE:
            return f"Legal is to take {one_of(self.owed(state))}."
        if state.phase is SWAP_AGAIN:
            ways = ["to stop"]
        else:
            ways = [f"to win {one_of(self.win_numbers(state))} from any other seat"]
        if self.can_steal(state):
            ways.extend(
                f"to steal {one_of(chips)} from seat {other}"
                for other, chips in enumerate(state.chips)
                if chips and other != asked
            )
        targets = self.swap_targets(state)
        if targets:
            least = number_of(self._min_give, "chip", "chips")
            ways.append(f"to swap at least {least} for {one_of(targets)}, worth the same")
        return f"Legal is {', '.join(ways)}."

    def _swap_phase(self, state: BluffYouState) -> bool:
        if state.phase is ANNOUNCE:
            return self._max_swaps > 0 and not self.locked(state)
        return state.phase is SWAP_AGAIN


def _announcements(view: BluffYouView, seat: int) -> Iterator[BluffYouChoice]:
    """Yield the legal win and steal attempts of the view's own seat."""
    count = len(view.chips)
    # The order is clockwise from the next seat, so that the default action is first (BY-27).
    others = [(seat + step) % count for step in range(1, count)]
    for number in view.win_numbers:
        for seer in others:
            yield Win(seer, number)
    if view.can_steal:
        for seer in others:
            for number in view.chips[seer]:
                yield Steal(seer, number)
