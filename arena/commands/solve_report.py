"""What `arena solve` prints: progress, states, a match."""

import json
import time
from collections.abc import Sequence
from math import log
from typing import Any

import typer
from rich.table import Table

from arena.commands.terminal import Terminal, say
from arena.games.bluff import BluffOptions
from arena.solver import PlayedState, Progress, SolvedState, ValueBounds

_EVERY_SECONDS = 1.0


class Reporter:
    """Tells on stderr how far a round is, at most once a second; also from another process."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _EVERY_SECONDS
        self._before: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        before, self._before = self._before, progress
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _EVERY_SECONDS
        opener, other = progress.dice
        say(
            f"{opener} against {other} dice: {progress.iterations:,} iterations in "
            f"{progress.seconds:.0f} s, exploitability {progress.exploitability:.2g}, bounds "
            f"{progress.width:.2g} apart"
            f"{_to_go(before, progress)}",
            err=True,
        )


def tell_played(state: PlayedState) -> None:
    """Tell on stderr that the play of a state is there."""
    opener, other = state.dice
    say(f"{opener} against {other} dice: the opener wins {state.value:.1%}", err=True)


def print_states(states: Sequence[SolvedState], *, one_round: bool) -> None:
    """A table of states."""
    what = "opener's mean result" if one_round else "opener wins the match"
    table = Table("opener's dice", "other's dice", what, "proven bounds", "exploitability")
    for column in table.columns:
        column.justify = "right"
    for state in states:
        digits = ".6f" if one_round else ".4%"
        table.add_row(
            *map(str, state.dice),
            format(state.value, digits),
            f"{state.bounds.low:{digits}} to {state.bounds.high:{digits}}",
            f"{state.exploitability:.2g}",
        )
    Terminal().print_table(table)


def print_match(states: Sequence[SolvedState], options: BluffOptions, value: ValueBounds) -> None:
    """All states of a match, and what it is worth before its first round."""
    print_states(states, one_round=False)
    who = (
        "the starting roll lets either seat open equally often, whatever a star counts"
        if options.start_mode == "roll"
        else "seat 0 opens"
    )
    each = options.dice_per_player
    typer.echo(
        f"Seat 0 wins a match from {each} {'die' if each == 1 else 'dice'} each with "
        f"{sum(value) / 2:.4%} ({value.low:.4%} to {value.high:.4%}): {who}."
    )


def print_json(found: object) -> None:
    """JSON, indented."""
    typer.echo(json.dumps(found, indent=2))


def state_json(state: SolvedState) -> dict[str, Any]:
    """A state as JSON."""
    return {
        "opener_dice": state.dice[0],
        "other_dice": state.dice[1],
        "value": round(state.value, 9),
        "low": round(state.bounds.low, 9),
        "high": round(state.bounds.high, 9),
        "exploitability": round(state.exploitability, 9),
        "iterations": state.iterations,
        "seconds": round(state.seconds, 3),
    }


def match_json(
    states: Sequence[SolvedState], options: BluffOptions, value: ValueBounds
) -> dict[str, Any]:
    """A match as JSON: its options, seat 0's probability to win, and its states."""
    return {
        "options": options.model_dump(mode="json"),
        "value": round(sum(value) / 2, 9),
        "low": round(value.low, 9),
        "high": round(value.high, 9),
        "states": [state_json(state) for state in states],
    }


def _to_go(before: Progress | None, now: Progress) -> str:
    """The time to go, if the bounds go on to close in as they did since the last report."""
    if now.width <= now.target:
        return ""
    if before is None or before.dice != now.dice or not 0 < now.width < before.width:
        return f" ({now.target:.2g} is wanted)"
    power = log(before.width / now.width) / log(now.iterations / before.iterations)
    needed = (now.width / now.target) ** (1 / max(power, 0.5))
    return f" ({now.target:.2g} is wanted: about {now.seconds * (needed - 1):,.0f} s to go)"
