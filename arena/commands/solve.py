"""`arena solve`: near-equilibrium play of Bluff at two seats, and the proof."""

import json
import time
from collections.abc import Iterable
from math import log
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.terminal import Terminal, say
from arena.solver import (
    MOST_DICE,
    PlayedState,
    Progress,
    SolvedState,
    certified_again,
    is_play,
    load,
    read_play,
    save,
    solve_last_bet,
    solve_match,
    solve_round,
    strategies,
    write_play,
)

_EVERY_SECONDS = 1.0
_CERTIFIED_DICE = 3
"""Of play that knows the last bet only: tables over all histories are written out for it."""


def solve(
    dice: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Solve the rounds that begin with A dice of the opener and B of the other, "
            f"together at most {MOST_DICE}. Default: all with up to three dice in play.",
        ),
    ] = None,
    one_round: Annotated[
        bool,
        typer.Option(
            "--one-round", help="Not a match but a single round: +1 for who wins the bet, else -1."
        ),
    ] = False,
    width: Annotated[
        float, typer.Option(min=1e-9, max=1.0, help="How far apart the proven bounds may be.")
    ] = 2e-5,
    seconds: Annotated[
        float | None, typer.Option(min=0.1, help="Stop after so long, with the bounds so far.")
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the strategies there. States that it holds already are not solved again.",
        ),
    ] = None,
    last_bet: Annotated[
        Path | None,
        typer.Option(
            "--last-bet",
            metavar="FILE",
            help="Solve matches from five dice each by play that knows only the last bet of a "
            "round, and write the tables of the sample bot `cfr` there. States in the file of "
            "--to are taken as they are, with all bets.",
        ),
    ] = None,
    sweeps: Annotated[
        int, typer.Option(min=1, help="How often --last-bet improves the play of each state.")
    ] = 40,
    certify: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Solve nothing: prove anew what the strategies of a file are worth.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compute near-equilibrium play of Bluff at two seats.

    Prints the opener's probability to win the match, between bounds that exact best responses
    prove. Two dice in play take seconds, three minutes; four take 11 seconds an iteration and 8 GB
    of memory, so give --seconds or a larger --width.
    """
    with exit_with_message():
        asked = None if dice is None else _dice(dice)
        until = float("inf") if seconds is None else time.monotonic() + seconds
        if certify is not None:
            if asked or one_round or to or last_bet:
                raise CommandError("--certify takes a file and no other options.")
            states = list(certified_again(_of_file(certify)))
        elif last_bet is not None:
            if asked or one_round:
                raise CommandError("--last-bet solves all states of a match: leave the rest out.")
            known = [] if to is None else load(to)
            write_play(last_bet, solve_last_bet(sweeps=sweeps, known=known, solved=_tell))
            return
        elif one_round:
            if asked is None or to is not None:
                raise CommandError("--one-round needs --dice A,B and writes no file.")
            states = [solve_round(asked, width=width, until=until, report=_Reporter())]
        else:
            states = _matches(asked, width, until, to)
        if asked is not None:
            states = [state for state in states if state.dice == asked]
    if as_json:
        found = [_json(state) for state in states]
        typer.echo(json.dumps(found if asked is None else found[0], indent=2))
    else:
        _print(Terminal(), states, one_round)


def _dice(text: str) -> tuple[int, int]:
    opener, _, other = text.partition(",")
    if not (opener.isdecimal() and other.isdecimal() and int(opener) and int(other)):
        raise CommandError(f"--dice {text}: give two counts from 1, such as 2,1.")
    if int(opener) + int(other) > MOST_DICE:
        raise CommandError(
            f"--dice {text}: at most {MOST_DICE} dice together; the histories of a round with more "
            "do not fit into memory."
        )
    return int(opener), int(other)


def _of_file(file: Path) -> Iterable[SolvedState]:
    if file.exists() and is_play(file):
        return strategies(read_play(file), dice=_CERTIFIED_DICE)
    return load(file)


def _tell(state: PlayedState) -> None:
    opener, other = state.dice
    say(f"{opener} against {other} dice: the opener wins {state.value:.1%}", err=True)


def _matches(
    asked: tuple[int, int] | None, width: float, until: float, to: Path | None
) -> list[SolvedState]:
    known = {state.dice: state for state in load(to)} if to is not None and to.exists() else {}

    def solved(state: SolvedState) -> None:
        known[state.dice] = state
        if to is not None:
            save(to, known.values())

    for dice in [asked] if asked else [(1, 2), (2, 1)]:
        solve_match(
            dice, width=width, until=until, known=known.values(), report=_Reporter(), solved=solved
        )
    return sorted(known.values(), key=lambda state: (sum(state.dice), state.dice))


class _Reporter:
    """Tells on stderr how far a round is, at most once a second."""

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
            f"{progress.seconds:.0f} s, bounds {progress.width:.2g} apart"
            f"{_to_go(before, progress)}",
            err=True,
        )


def _to_go(before: Progress | None, now: Progress) -> str:
    """The time to go, if the bounds go on to close in as they did since the last report."""
    if now.width <= now.target:
        return ""
    if before is None or before.dice != now.dice or not 0 < now.width < before.width:
        return f" ({now.target:.2g} is wanted)"
    power = log(before.width / now.width) / log(now.iterations / before.iterations)
    needed = (now.width / now.target) ** (1 / max(power, 0.5))
    return f" ({now.target:.2g} is wanted: about {now.seconds * (needed - 1):,.0f} s to go)"


def _json(state: SolvedState) -> dict[str, Any]:
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


def _print(terminal: Terminal, states: list[SolvedState], one_round: bool) -> None:
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
    terminal.print_table(table)
