"""`arena solve`: near-equilibrium play of Bluff at two seats, and the proof."""

import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.game_options import OptionList, game_options
from arena.commands.jobs_option import Cluster, Jobs, processor_count, workers_of
from arena.commands.solve_report import (
    Reporter,
    match_json,
    print_json,
    print_match,
    print_states,
    state_json,
    tell_played,
)
from arena.games import make_game
from arena.games.bluff import BluffOptions
from arena.solver import (
    MOST_DICE,
    ByDice,
    ByDiceError,
    DicePair,
    ForEach,
    PartFiles,
    PlayedState,
    SolvedState,
    certified_again,
    check_options,
    is_play,
    load,
    match_value,
    read_by_dice,
    read_play,
    save,
    solve_last_bets,
    solve_matches,
    solve_round,
    states_before,
    states_of_match,
    strategies,
    write_play,
)

_MOST_RECALLED = 2
_MOST_OF_FEW = 6
_LIGHT = 3
"""Dice in play up to which several states fit into memory side by side."""


def solve(
    dice: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Solve the rounds that begin with A dice of the opener and B of the other, "
            f"together at most {MOST_DICE}. Default: all with up to three dice in play.",
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
    tables: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Solve all states of a match by play that knows only the last bets of a round, "
            "and write the tables of the sample bot `cfr` there. States in the file of --to are "
            "taken as they are, with all bets. Goes on state by state where it was stopped.",
        ),
    ] = None,
    recall: Annotated[
        str | None,
        typer.Option(
            metavar="BETS",
            help="How many of the last bets --tables knows, 1 if nothing is said; 2,4:5 knows "
            "five with at most four dice in play.",
        ),
    ] = None,
    sweeps: Annotated[
        str | None,
        typer.Option(
            metavar="TIMES",
            help="How often --tables improves the play of each state, 40 times if nothing is said; "
            "40,4:200 does it 200 times with at most four dice in play.",
        ),
    ] = None,
    certify: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Solve nothing: prove anew what the strategies of a file are worth. Of tables of "
            "the bot those states that would be solved, by --dice with up to four dice in play.",
        ),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compute near-equilibrium play of Bluff at two seats.

    Prints the opener's probability to win the match, between bounds that exact best responses
    prove. With --option, such as dice_per_player=2, all states of that match and what it is worth.

    Two dice in play take seconds, three minutes; four take 11 seconds an iteration and 8 GB of
    memory a state, so give --seconds or a larger --width. States with equally many dice in play
    are solved side by side.
    """
    with exit_with_message():
        if tables is None and (recall or sweeps):
            raise CommandError("--recall and --sweeps say how --tables FILE is made: add it.")
        options = _options(option)
        asked = None if dice is None else _dice(dice, options)
        until = float("inf") if seconds is None else time.time() + seconds
        if certify is not None:
            if option or one_round or to or tables:
                raise CommandError("--certify takes a file, --dice A,B and no other options.")
            states = list(certified_again(_of_file(certify, _wanted(asked, None))))
        elif tables is not None:
            if asked or one_round:
                raise CommandError("--tables solves all states of a match: leave the rest out.")
            effort = _recall(recall or "1"), _by_dice("--sweeps", sweeps or "40")
            _write_tables(tables, options, *effort, to, _workers(jobs, cluster))
            return
        elif one_round:
            if asked is None or to is not None:
                raise CommandError("--one-round needs --dice A,B and writes no file.")
            states = [solve_round(asked, width=width, until=until, report=Reporter())]
        else:
            wanted = _wanted(asked, options if option else None)
            if jobs is None and max(map(sum, wanted)) > _LIGHT:
                jobs = 1
            with _workers(jobs, cluster) as for_each:
                states = _solved(wanted, width, until, to, for_each)
    if option and asked is None:
        _print_match(states, options, as_json)
        return
    states = [state for state in states if asked in (None, state.dice)]
    if as_json:
        found = [state_json(state) for state in states]
        print_json(found if asked is None else found[0])
    else:
        print_states(states, one_round=one_round)


def _options(pairs: list[str] | None) -> BluffOptions:
    options = make_game("bluff", game_options(pairs)).options
    assert isinstance(options, BluffOptions)
    check_options(options)
    return options


def _by_dice(option: str, text: str) -> ByDice:
    try:
        return read_by_dice(text)
    except ByDiceError as error:
        raise CommandError(f"{option}: {error}.") from error


def _recall(text: str) -> ByDice:
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
    if int(opener) + int(other) > MOST_DICE:
        raise CommandError(
            f"--dice {text}: at most {MOST_DICE} dice together; the histories of a round with more "
            "do not fit into memory."
        )
    if max(int(opener), int(other)) > options.dice_per_player:
        raise CommandError(
            f"--dice {text}: a match from {options.dice_per_player} dice each never has so many."
        )
    return int(opener), int(other)


def _wanted(asked: DicePair | None, options: BluffOptions | None) -> list[DicePair]:
    """The states to solve: the one asked for, all of a match with these options, or the default."""
    if asked is not None:
        return [asked]
    if options is None:
        return [(1, 2), (2, 1)]
    each = options.dice_per_player
    if 2 * each > MOST_DICE:
        raise CommandError(
            f"A match from {each} dice each has states with more than {MOST_DICE} dice in play, "
            "which do not fit into memory: choose a state by --dice, solve all of them by what is "
            "known of the last bets (--tables), or choose fewer (--option dice_per_player=2)."
        )
    return states_of_match(each)


@contextmanager
def _workers(jobs: int | None, cluster: str | None) -> Iterator[ForEach]:
    jobs = jobs or processor_count()
    if jobs == 1 and cluster is None:
        yield map
        return
    with workers_of(jobs, cluster) as workers:
        yield workers.executor.map


def _solved(
    wanted: Collection[DicePair],
    width: float,
    until: float,
    to: Path | None,
    for_each: ForEach,
) -> list[SolvedState]:
    known = {state.dice: state for state in load(to)} if to is not None and to.exists() else {}

    def solved(state: SolvedState) -> None:
        known[state.dice] = state
        if to is not None:
            save(to, known.values())

    states = solve_matches(
        wanted,
        width=width,
        until=until,
        known=known.values(),
        report=Reporter(),
        solved=solved,
        for_each=for_each,
    )
    return sorted(states.values(), key=lambda state: (sum(state.dice), state.dice))


def _write_tables(
    file: Path,
    options: BluffOptions,
    recall: ByDice,
    sweeps: ByDice,
    to: Path | None,
    workers: AbstractContextManager[ForEach],
) -> None:
    known = [] if to is None else load(to)
    parts = PartFiles(file, f"{options.dice_per_player}-dice-recall-{recall}-sweeps-{sweeps}")

    def solved(state: PlayedState) -> None:
        tell_played(state)
        if state.recall is not None:
            parts.write(state)

    with workers as for_each:
        played = solve_last_bets(
            dice=options.dice_per_player,
            recall=recall,
            sweeps=sweeps,
            known=known,
            played=parts.read(),
            solved=solved,
            for_each=for_each,
        )
    write_play(file, played)
    parts.remove()


def _of_file(file: Path, wanted: Iterable[DicePair]) -> Iterable[SolvedState]:
    """The states that are wanted and all that may follow them, of tables of the bot; all of a file
    of the solver."""
    if not (file.exists() and is_play(file)):
        return load(file)
    return strategies(read_play(file), {one for dice in wanted for one in states_before(dice)})


def _print_match(states: list[SolvedState], options: BluffOptions, as_json: bool) -> None:
    each = options.dice_per_player
    states = [state for state in states if max(state.dice) <= each]
    bounds = next(state.bounds for state in states if state.dice == (each, each))
    value = match_value(options, bounds)
    if as_json:
        print_json(match_json(states, options, value))
    else:
        print_match(states, options, value)
