"""The output of `arena solve`: progress, states and a match."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import typer
from rich.table import Table

from arena.commands.terminal import Terminal, say
from arena.games.bluff import BluffOptions
from arena.lab.solver import ByDice, DicePair, PlayedState, Progress, SolvedState, ValueBounds
from arena.wording import number_of

_AFTER_LOOK, _AFTER_ITERATION = 1.0, 20.0
"""Seconds between reports: if bounds were computed, and if they were not."""
_CLOSING_IN = (0.5, 3.0)
"""The range assumed for p if the bounds are as far apart as iterations ** -p."""
_FOREVER = 30 * 86_400


@dataclass(frozen=True)
class StateLine:
    """The printed values of a state."""

    dice: DicePair
    value: float
    bounds: ValueBounds
    exploitability: float | None
    """The exploitability; None if it cannot be computed."""
    iterations: int
    seconds: float


def exact_line(state: SolvedState) -> StateLine:
    """Return the line of a state with proven bounds."""
    return StateLine(
        state.dice, state.value, state.bounds, state.exploitability, state.iterations,
        state.seconds,
    )  # fmt: skip


def played_line(state: PlayedState, *, one_round: bool = False) -> StateLine:
    """Return the line of a state solved by play that knows only its last bets.

    Its value is an estimate; its bounds are the trivial ones, those of the scale.
    """
    whole = ValueBounds(-1.0 if one_round else 0.0, 1.0)
    return StateLine(state.dice, state.value, whole, None, state.sweeps, state.seconds)


class Reporter:
    """A callback that prints the progress of a search on stderr, also from another process."""

    def __init__(self) -> None:
        self._told: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        """Print the progress if enough time has passed since the last report."""
        told = self._told
        if told is None or told.dice != progress.dice or told.iterations > progress.iterations:
            told = self._told = Progress(progress.dice, 0, 0.0, progress.target, ())
        looked = len(progress.gaps) > len(told.gaps)
        if progress.seconds - told.seconds < (_AFTER_LOOK if looked else _AFTER_ITERATION):
            return
        self._told = progress
        say(f"{_dice(progress.dice)}: {progress_words(progress)}", err=True)


def progress_words(progress: Progress) -> str:
    """Return the iterations of a search, the distance of its bounds and the time left, in words."""
    words = f"{number_of(progress.iterations, 'iteration')} in {_time_words(progress.seconds)}"
    if not progress.gaps:
        return words
    apart = progress.gaps[-1].apart
    words += f", exploitability {apart / 2:.2g}, bounds {apart:.2g} apart in this round"
    if apart <= progress.target:
        return words
    seconds = seconds_to_go(progress)
    left = "" if seconds is None else f": about {_time_words(seconds)} to go"
    return f"{words} ({progress.target:.2g} is wanted{left})"


def seconds_to_go(progress: Progress) -> float | None:
    """Return the estimated seconds to go; None before they can be estimated.

    The estimate extrapolates the bounds' convergence since half of the iterations.
    """
    last = progress.gaps[-1]
    before = [gap for gap in progress.gaps if 2 * gap.iterations <= last.iterations]
    if not before or not 0 < last.apart < before[-1].apart:
        return None
    least, most = _CLOSING_IN
    power = log(before[-1].apart / last.apart) / log(last.iterations / before[-1].iterations)
    factor: float = (last.apart / progress.target) ** (1 / min(max(power, least), most))
    needed = last.iterations * factor - progress.iterations
    return max(needed, 0.0) * progress.seconds / progress.iterations


def tell_if_wide(state: SolvedState, width: float, *, timed: bool) -> None:
    """Print on stderr that the bounds are wider than wanted, and why; else nothing."""
    if state.width <= width:
        return
    why = (
        "those of the rounds that may follow keep them apart"
        if state.hangs_on_later_rounds(width)
        else "the time was over"
        if timed
        else "more iterations in single precision do not bring them nearer"
    )
    say(
        f"{_dice(state.dice)}: the bounds are {state.width:.3g} apart, not {width:.3g}: {why}.",
        err=True,
    )


def tell_last_bets(recall: ByDice) -> None:
    """Print on stderr what play without a proof is."""
    say(
        f"With more dice in play than are solved exactly, play knows only its last bets (--recall "
        f"{recall}): its values are estimates, and nothing is proven of them.",
        err=True,
    )


def tell_played(state: PlayedState) -> None:
    """Print on stderr that the play of a state is computed."""
    say(f"{_dice(state.dice)}: value {state.value:.1%}", err=True)


def tell_certifying(dice: DicePair) -> None:
    """Print on stderr which state's proof is computed now; it takes long with many dice."""
    say(f"{_dice(dice)}: computing best responses", err=True)


def print_states(states: Sequence[StateLine], *, one_round: bool) -> None:
    """Print a table of states."""
    what = "opener's mean result" if one_round else "opener wins the match"
    table = Table("opener's dice", "other's dice", what, "proven bounds", "exploitability")
    for column in table.columns:
        column.justify = "right"
    for state in states:
        digits = ".6f" if one_round else ".4%"
        table.add_row(
            *map(str, state.dice),
            format(state.value, digits),
            "not proven"
            if state.exploitability is None
            else f"{state.bounds.low:{digits}} to {state.bounds.high:{digits}}",
            "unknown" if state.exploitability is None else f"{state.exploitability:.2g}",
        )
    Terminal().print_table(table)


def print_match(
    states: Sequence[StateLine], options: BluffOptions, value: float, bounds: ValueBounds
) -> None:
    """Print all states of a match, and its value before the first round."""
    print_states(states, one_round=False)
    who = (
        "the starting roll lets either seat open equally often, whatever a star counts"
        if options.start_mode == "roll"
        else "seat 0 opens"
    )
    typer.echo(
        f"Seat 0 wins a match from {number_of(options.dice_per_player, 'die', 'dice')} each with "
        f"{value:.4%} ({bounds.low:.4%} to {bounds.high:.4%}): {who}."
    )


def state_json(state: StateLine) -> dict[str, Any]:
    """Return a state as JSON."""
    return {
        "opener_dice": state.dice[0],
        "other_dice": state.dice[1],
        "value": round(state.value, 9),
        "low": round(state.bounds.low, 9),
        "high": round(state.bounds.high, 9),
        "exploitability": None if state.exploitability is None else round(state.exploitability, 9),
        "iterations": state.iterations,
        "seconds": round(state.seconds, 3),
    }


def match_json(
    states: Sequence[StateLine], options: BluffOptions, value: float, bounds: ValueBounds
) -> dict[str, Any]:
    """Return a match as JSON: its options, seat 0's probability to win, and its states."""
    return {
        "options": options.model_dump(mode="json"),
        "value": round(value, 9),
        "low": round(bounds.low, 9),
        "high": round(bounds.high, 9),
        "states": [state_json(state) for state in states],
    }


def _dice(dice: DicePair) -> str:
    return f"{dice[0]} against {dice[1]} dice"


def _time_words(seconds: float) -> str:
    if seconds < 600:
        return f"{seconds:.0f} s"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} minutes"
    if seconds < 2 * 86_400:
        return f"{seconds / 3600:.0f} hours"
    return f"{seconds / 86_400:.0f} days" if seconds < _FOREVER else "months"
