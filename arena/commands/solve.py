"""`arena solve`: computes near-equilibrium play of Bluff at two seats, and proves its bounds."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import typer

from arena.commands.errors import CommandError
from arena.commands.jobs_option import Cluster, Jobs, processor_count, workers_of
from arena.commands.options import AsJson, OptionList, game_options
from arena.commands.solve_report import (
    StateLine,
    exact_line,
    match_json,
    print_match,
    print_states,
    state_json,
)
from arena.commands.solving import (
    LIGHT,
    Effort,
    all_states,
    certified,
    exact_states,
    single_round,
    write_tables,
)
from arena.commands.stopping import await_stop_in_worker
from arena.commands.terminal import say, say_json
from arena.executors import Once
from arena.games import make_game
from arena.games.bluff import BluffOptions
from arena.lab.solver import (
    MOST_DICE,
    ByDice,
    ByDiceError,
    DicePair,
    ForEach,
    StateFiles,
    ValueBounds,
    check_options,
    match_value,
    read_by_dice,
    states_before,
    states_of_match,
)

_WIDTH = 1e-5
_MOST_RECALLED = 2
_MOST_OF_FEW = 6


def solve(
    dice: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Solve the rounds that begin with A dice of the opener and B of the other: with "
            f"proven bounds up to {MOST_DICE} dice together. Default: all with up to three.",
        ),
    ] = None,
    option: OptionList = None,
    one_round: Annotated[
        bool,
        typer.Option(
            "--one-round", help="Not a match but a single round: +1 for who wins the bet, else -1."
        ),
    ] = False,
    width: Annotated[
        float | None,
        typer.Option(
            min=1e-9,
            max=1.0,
            help=f"How far apart the proven bounds may be; {_WIDTH:.0e} if nothing is said.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            help="Stop after so long, with the bounds so far. Only where all states are proven: "
            "play without proof ends after its --sweeps.",
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep what is found there, a file for each state, every minute or so. A state "
            "that it holds is not solved again, but improved where nearer bounds are wanted.",
        ),
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Solve all states of a match by play that knows only the last bets of a round, "
            "and write the tables of the sample bot `cfr` there. States in the folder of --to are "
            "taken as they are, with all bets. Goes on state by state where it was stopped.",
        ),
    ] = None,
    take: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --tables: take from other tables, which such a call wrote, the states that "
            "know as many of the last bets as --recall says.",
        ),
    ] = None,
    recall: Annotated[
        str | None,
        typer.Option(
            metavar="BETS",
            help="How many of the last bets play without proof knows, 1 if nothing is said; 2,4:5 "
            "knows five with at most four dice in play.",
        ),
    ] = None,
    sweeps: Annotated[
        str | None,
        typer.Option(
            metavar="TIMES",
            help="How often play without proof is improved in each state, 40 times if nothing is "
            "said; 40,4:200 does it 200 times with at most four dice in play.",
        ),
    ] = None,
    certify: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Solve nothing: prove anew what the strategies in the folder of --to are worth, "
            "or in tables of the bot: with up to three dice in play, by --dice A,B with four. "
            "Takes no other options but --json.",
        ),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Compute near-equilibrium play of Bluff at two seats.

    Prints the opener's probability to win the match, between bounds that exact best responses
    prove. With --option, such as dice_per_player=2, all states of that match and what it is worth.

    A state with two dice in play takes seconds, with three a minute or two. Four dice take hours
    and 8 GB of memory: give --to, and --seconds or a larger --width. Beyond, and in a whole match
    from four dice in play on, play knows only the last bets of a round: nothing is proven about its
    value. States with equally many dice in play are solved in parallel.
    """
    options = _options(option)
    asked = None if dice is None else _dice(dice, options)
    until = float("inf") if seconds is None else time.time() + seconds
    effort = Effort(
        width or _WIDTH, until, _recall(recall or "1"), _by_dice("--sweeps", sweeps or "40")
    )
    files = None if to is None else StateFiles(to)
    wanted = _wanted(asked, options if option else None)
    exact = tables is None and _exact(wanted, asked)
    if certify is not None:
        by_search = width, seconds, recall, sweeps, jobs, cluster
        if any((option, one_round, to, tables, take, *by_search)):
            raise CommandError("--certify takes --dice A,B, --json and no other options.")
        if asked is not None and sum(asked) > MOST_DICE:
            raise CommandError(f"There is no proof with more than {MOST_DICE} dice in play.")
    elif tables is not None and (asked or one_round or width or seconds):
        raise CommandError(
            "--tables solves all states of a match and proves nothing: leave --dice, "
            "--one-round, --width and --seconds out."
        )
    elif one_round and (asked is None or to is not None):
        raise CommandError("--one-round needs --dice A,B and writes no file.")
    elif take is not None and tables is None:
        raise CommandError("--take says what --tables FILE need not solve: give both.")
    elif exact and (recall or sweeps):
        raise CommandError(
            "--recall and --sweeps say how play is improved that knows only the last bets: "
            f"give --tables FILE, or ask for more than {MOST_DICE} dice in play."
        )
    elif not exact and seconds:
        raise CommandError(
            "--seconds stops only what is proven. Play without proof, here with "
            f"{max(map(sum, wanted))} dice in play, ends after its --sweeps: give those."
        )
    elif not exact and one_round and width:
        raise CommandError(
            f"--width: nothing is proven of a round with more than {MOST_DICE} dice in play."
        )
    _tell_compiling(Lock())
    if certify is not None:
        lines = certified(certify, None if asked is None else [asked])
    elif tables is not None:
        workers = _workers(jobs, cluster)
        lines = write_tables(tables, options.dice_per_player, files, take, effort, workers)
        if not as_json:
            return
    elif one_round and asked is not None:
        lines = [single_round(asked, effort, exact=exact)]
    else:
        if jobs is None and exact and asked is not None:
            jobs = 1  # there is little parallel work
        checkpoints = cluster is None  # its workers have other disks
        with _workers(jobs, cluster) as for_each:
            if exact:
                states = exact_states(wanted, files, effort, for_each, checkpoints=checkpoints)
                lines = [exact_line(state) for state in states]
            else:
                lines = all_states(wanted, files, effort, for_each, checkpoints=checkpoints)
    lines.sort(key=lambda line: (sum(line.dice), line.dice))
    if option and asked is None:
        _print_match(lines, options, as_json)
        return
    lines = [line for line in lines if asked in (None, line.dice)]
    if as_json:
        found = [state_json(line) for line in lines]
        say_json(found if asked is None else found[0])
    else:
        print_states(lines, one_round=one_round)


def _options(pairs: list[str] | None) -> BluffOptions:
    options = make_game("bluff", game_options(pairs)).options
    assert isinstance(options, BluffOptions)
    check_options(options)
    return options


def _by_dice(option: str, text: str) -> ByDice:
    """Return the value of an option that may depend on the dice in play. Raises CommandError."""
    try:
        return read_by_dice(text)
    except ByDiceError as error:
        raise CommandError(f"{option}: {error}.") from error


def _recall(text: str) -> ByDice:
    """Return the value of `--recall`. Raises CommandError if the tables would be too large."""
    recall = _by_dice("--recall", text)
    if recall.usual > _MOST_RECALLED or recall.few > MOST_DICE or recall.small > _MOST_OF_FEW:
        raise CommandError(
            f"--recall {text}: at most {_MOST_RECALLED} bets, and {_MOST_OF_FEW} with at most "
            f"{MOST_DICE} dice in play; tables that know more do not fit into memory."
        )
    return recall


def _dice(text: str, options: BluffOptions) -> DicePair:
    opener, _, other = text.partition(",")
    if not (opener.isdecimal() and other.isdecimal() and int(opener) and int(other)):
        raise CommandError(f"--dice {text}: give two counts from 1, such as 2,1.")
    if max(int(opener), int(other)) > options.dice_per_player:
        raise CommandError(
            f"--dice {text}: a match from {options.dice_per_player} dice each never has so many."
        )
    return int(opener), int(other)


def _wanted(asked: DicePair | None, options: BluffOptions | None) -> list[DicePair]:
    """Return the states to solve.

    These are all states of a match with these options, or else the state asked for, with the states
    that may follow it if they are solved together.
    """
    if asked is not None:
        return [asked] if sum(asked) <= MOST_DICE else states_before(asked)
    return states_of_match(options.dice_per_player) if options else [(1, 1), (1, 2), (2, 1)]


def _exact(wanted: list[DicePair], asked: DicePair | None) -> bool:
    """Return whether all states are solved with proof.

    Four dice take hours, so a proof for them is computed only on request.
    """
    return max(map(sum, wanted)) <= (LIGHT if asked is None else MOST_DICE)


@contextmanager
def _workers(jobs: int | None, cluster: str | None) -> Iterator[ForEach]:
    """Provide a `map` over worker processes or a cluster, or the built-in `map` for one job."""
    jobs = jobs or processor_count()
    if jobs == 1 and cluster is None:
        yield map
        return
    with workers_of(jobs, cluster, _begin_worker) as workers:
        yield workers.executor.map


def _begin_worker(once: Once) -> None:
    """Prepare a worker process: the compiling notice and the handling of Ctrl-C."""
    _tell_compiling(once)
    await_stop_in_worker()


def _tell_compiling(once: Once) -> None:
    """Print a notice on stderr if the solver's loops are compiled in this process.

    It is printed once among the processes that share the lock. numba caches compiled code, so later
    runs print nothing.
    """
    # The import is here, because numba is optional: arguments are parsed without it.
    from numba.core import event

    class Teller(event.Listener):
        def on_start(self, _event: Any) -> None:
            if once.acquire(False):
                say(
                    "Compiling the solver's loops for this machine, the first time only: up to a "
                    "minute.",
                    err=True,
                )

        def on_end(self, _event: Any) -> None:
            pass

    event.register("numba:compile", Teller())


def _print_match(lines: list[StateLine], options: BluffOptions, as_json: bool) -> None:
    each = options.dice_per_player
    first = next(line for line in lines if line.dice == (each, each))
    bounds = match_value(options, first.bounds)
    value = match_value(options, ValueBounds(first.value, first.value)).low
    if as_json:
        say_json(match_json(lines, options, value, bounds))
    else:
        print_match(lines, options, value, bounds)
