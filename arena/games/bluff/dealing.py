"""The dealer's draws in Bluff: their keys, their effects and their validation.

The keys are public, so that anyone can recompute a draw: seats and dice count from 0; rounds,
attempts and a seat's re-rolls within a round count from 1. Dice are drawn in the order of their
numbers and then sorted.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, prod

from arena.games.bluff.bets import FACES
from arena.games.bluff.options import BluffOptions
from arena.games.bluff.state import BluffPhase, BluffState, Starting, next_live, with_cup
from arena.games.bluff.values import (
    STAR,
    BluffAction,
    CupRoll,
    Dice,
    Face,
    OpenerDraw,
    Reroll,
    StartingRoll,
)
from arena.games.chance import MOST_OUTCOMES, ChanceOutcomes, equally_likely, rolls
from arena.games.game import IllegalActionError
from arena.randomness import Randomness

_ONE = Fraction(1)


def draw(options: BluffOptions, state: BluffState, randomness: Randomness) -> BluffAction:
    """Return the dealer's next draw. Raises ValueError if no draw is due."""
    if state.phase is BluffPhase.ROLL:
        return CupRoll(
            tuple(
                [
                    _roll(randomness, f"round {state.round} seat {seat}", count)
                    for seat, count in enumerate(state.dice_counts)
                ]
            )
        )
    if state.phase is BluffPhase.REROLL and state.turn is not None:
        seat = state.turn
        number = sum(placed.seat == seat and bool(placed.bet.show) for placed in state.bets)
        prefix = f"round {state.round} seat {seat} reroll {number}"
        return Reroll(_roll(randomness, prefix, len(state.hidden[seat])))
    if state.phase is BluffPhase.STARTING_ROLL and state.starting is not None:
        return StartingRoll(
            tuple(
                [
                    _roll(randomness, f"start {state.starting.attempt} seat {seat}", count)
                    for seat, count in enumerate(_starting_counts(options, state, state.starting))
                ]
            )
        )
    if state.phase is BluffPhase.OPENER_DRAW and state.starting is not None:
        seats = state.starting.seats
        return OpenerDraw(seats[randomness.below("opener", len(seats))])
    raise ValueError("the dealer has nothing to draw now")


def chance_outcomes(options: BluffOptions, state: BluffState) -> ChanceOutcomes[BluffAction]:
    """Return the distribution of `draw`, or a sampler if there are too many outcomes.

    Raises ValueError if no draw is due.
    """
    sampler = partial(draw, options, state)
    if state.phase is BluffPhase.ROLL:
        return _cups(CupRoll, state.dice_counts, sampler)
    if state.phase is BluffPhase.REROLL and state.turn is not None:
        dice = rolls(FACES, len(state.hidden[state.turn]))
        return {Reroll(cup): chance for cup, chance in dice.items()}
    if state.phase is BluffPhase.STARTING_ROLL and state.starting is not None:
        return _cups(StartingRoll, _starting_counts(options, state, state.starting), sampler)
    if state.phase is BluffPhase.OPENER_DRAW and state.starting is not None:
        return equally_likely([OpenerDraw(seat) for seat in state.starting.seats])
    raise ValueError("the dealer has nothing to draw now")


def apply_draw(options: BluffOptions, state: BluffState, action: BluffAction) -> BluffState:
    """Return the state after a draw.

    Draws are checked like answers, because untrusted transcripts are verified with this function.
    Raises IllegalActionError if the draw is not possible now.
    """
    if state.phase is BluffPhase.ROLL and type(action) is CupRoll:
        _check_cups(action.dice, state.dice_counts)
        return state._replace(phase=BluffPhase.BETTING, turn=state.opener, hidden=action.dice)
    if state.phase is BluffPhase.REROLL and type(action) is Reroll and state.turn is not None:
        _check_cup(action.dice, len(state.hidden[state.turn]), state.turn)
        return state._replace(
            phase=BluffPhase.BETTING,
            turn=next_live(state.dice_counts, state.turn),
            hidden=with_cup(state.hidden, state.turn, action.dice),
        )
    if state.phase is BluffPhase.STARTING_ROLL and type(action) is StartingRoll and state.starting:
        _check_cups(action.dice, _starting_counts(options, state, state.starting))
        return _starting_rolled(options, state, state.starting, action)
    if state.phase is BluffPhase.OPENER_DRAW and type(action) is OpenerDraw and state.starting:
        if type(action.seat) is not int or action.seat not in state.starting.seats:
            raise IllegalActionError("The opener is one of the tied seats.")
        return _opened_by(state, action.seat)
    raise IllegalActionError(f"This is not the draw that is due ({state.phase.value}).")


def _cups(
    kind: Callable[[tuple[Dice, ...]], BluffAction],
    counts: Sequence[int],
    sampler: Callable[[Randomness], BluffAction],
) -> ChanceOutcomes[BluffAction]:
    """Return the distribution of the rolls of all cups, or the sampler if there are too many."""
    if prod([comb(count + len(FACES) - 1, count) for count in counts]) > MOST_OUTCOMES:
        return sampler
    return {
        kind(tuple([dice for dice, _ in cups])): prod([chance for _, chance in cups], start=_ONE)
        for cups in product(*[rolls(FACES, count).items() for count in counts])
    }


def _starting_rolled(
    options: BluffOptions, state: BluffState, starting: Starting, roll: StartingRoll
) -> BluffState:
    """Return the state after a starting roll (BL-4).

    The largest total opens; tied seats roll again; after too many ties, a tied seat is drawn.
    """
    pips = {
        seat: sum([options.start_star_value if face is STAR else face for face in roll.dice[seat]])
        for seat in starting.seats
    }
    largest = max(pips.values())
    tied = tuple(seat for seat in starting.seats if pips[seat] == largest)
    if len(tied) == 1:
        return _opened_by(state, tied[0])
    # The first roll is not a re-roll, so `start_rerolls` allows attempts up to that number + 1.
    again = starting.attempt <= options.start_rerolls
    return state._replace(
        phase=BluffPhase.STARTING_ROLL if again else BluffPhase.OPENER_DRAW,
        starting=Starting(starting.attempt + 1, tied),
    )


def _opened_by(state: BluffState, seat: int) -> BluffState:
    return state._replace(phase=BluffPhase.ROLL, round=1, opener=seat, starting=None)


def _starting_counts(
    options: BluffOptions, state: BluffState, starting: Starting
) -> tuple[int, ...]:
    """Return the number of dice that each seat rolls in a starting roll."""
    return tuple(
        [
            options.dice_per_player if seat in starting.seats else 0
            for seat in range(len(state.dice_counts))
        ]
    )


def _check_cups(dice: object, counts: Sequence[int]) -> None:
    if type(dice) is not tuple or len(dice) != len(counts):
        raise IllegalActionError(f"A roll holds the dice of {len(counts)} seats.")
    for seat, count in enumerate(counts):
        _check_cup(dice[seat], count, seat)


def _check_cup(dice: object, count: int, seat: int) -> None:
    if type(dice) is not tuple or len(dice) != count:
        raise IllegalActionError(f"Seat {seat} rolls {count} dice.")
    for face in dice:
        if type(face) is not Face:
            raise IllegalActionError(f"Seat {seat}: a die shows 1, 2, 3, 4, 5 or *.")
    if list(dice) != sorted(dice):
        raise IllegalActionError(f"Seat {seat}: dice are noted in ascending order.")


def _roll(randomness: Randomness, prefix: str, count: int) -> Dice:
    below = randomness.below
    return tuple(sorted([FACES[below(f"{prefix} die {die}", 6)] for die in range(count)]))
