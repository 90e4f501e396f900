"""The work of `arena solve`: proven play in small states, play by the last bets in the others."""

from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path

from arena.commands.errors import CommandError
from arena.commands.solve_report import (
    Reporter,
    StateLine,
    exact_line,
    played_line,
    tell_certifying,
    tell_if_wide,
    tell_last_bets,
    tell_played,
)
from arena.commands.stopping import awaiting_stop, stop_is_wished
from arena.lab.solver import (
    ByDice,
    DicePair,
    ForEach,
    PartFiles,
    PlayedState,
    SolvedState,
    StateFiles,
    certified_again,
    exact_play,
    is_play,
    is_state,
    play_single_round,
    read_play,
    solve_last_bets,
    solve_matches,
    solve_round,
    states_before,
    states_of_match,
    strategies,
    write_play,
)

LIGHT = 3
"""The number of dice in play up to which a state takes a minute or two and little memory."""


class SolveStoppedError(CommandError):
    """The error after Ctrl-C ended a search; the message says where its results are."""

    exit_code = 130


@dataclass(frozen=True)
class Effort:
    """The limits of a solve."""

    width: float
    """The wanted distance of proven bounds."""
    until: float
    """The end of exact solving, as a `time.time()`."""
    recall: ByDice
    """The number of last bets that play without proof knows."""
    sweeps: ByDice
    """The number of improvements of play without proof."""


def exact_states(
    wanted: Collection[DicePair], files: StateFiles | None, effort: Effort, for_each: ForEach,
    *, checkpoints: bool,
) -> list[SolvedState]:  # fmt: skip
    """Return the wanted states, solved with proof, and the states that they need.

    States that the folder holds are resumed. With `checkpoints`, a state is also saved while it is
    being solved.
    """
    solve = partial(
        solve_matches, wanted, width=effort.width, until=effort.until, report=Reporter(),
        for_each=for_each,
    )  # fmt: skip
    if files is None:
        states = solve()
    else:
        files.prepare()
        before = {one for dice in wanted for one in states_before(dice)}
        solve = partial(solve, known=_read(files, before), solved=files.write)
        states = _stoppable(solve, files) if checkpoints else solve()
    for dice in wanted:
        tell_if_wide(states[dice], effort.width, timed=effort.until < inf)
    return list(states.values())


def _stoppable(
    solve: Callable[..., dict[DicePair, SolvedState]], files: StateFiles
) -> dict[DicePair, SolvedState]:
    """Return the solved states, saving intermediate results, also on the first Ctrl-C.

    Raises SolveStoppedError.
    """
    with awaiting_stop():
        try:
            states = solve(keep=files.write, stopped=stop_is_wished)
        except BrokenExecutor:  # Ctrl-C ends a worker that has not started
            if not stop_is_wished():
                raise
        if stop_is_wished():
            raise SolveStoppedError(
                f"Stopped; what was found is in {files.folder}, and the same command goes on "
                "with it."
            )
    return states


def all_states(
    wanted: Collection[DicePair], files: StateFiles | None, effort: Effort, for_each: ForEach,
    *, checkpoints: bool,
) -> list[StateLine]:  # fmt: skip
    """Return the wanted states: proven with few dice in play, else solved by the last bets only.

    States with more dice that the folder holds are used unchanged.
    """
    light = [dice for dice in wanted if sum(dice) <= LIGHT]
    exact = exact_states(light, files, effort, for_each, checkpoints=checkpoints)
    if files is not None:
        exact += _read(files, {dice for dice in wanted if sum(dice) > LIGHT})
    values = {state.dice: state.value for state in exact}
    tell_last_bets(effort.recall)
    played = solve_last_bets(
        wanted,
        recall=effort.recall,
        sweeps=effort.sweeps,
        values=values,
        solved=tell_played,
        for_each=for_each,
    )
    return [*map(exact_line, exact), *map(played_line, played)]


def single_round(dice: DicePair, effort: Effort, *, exact: bool) -> StateLine:
    """Return the solution of one isolated round."""
    if exact:
        state = solve_round(dice, width=effort.width, until=effort.until, report=Reporter())
        tell_if_wide(state, effort.width, timed=effort.until < inf)
        return exact_line(state)
    tell_last_bets(effort.recall)
    played = play_single_round(dice, recall=effort.recall, sweeps=effort.sweeps)
    return played_line(played, one_round=True)


def write_tables(
    file: Path, dice: int, files: StateFiles | None, other: Path | None, effort: Effort,
    workers: AbstractContextManager[ForEach],
) -> list[StateLine]:  # fmt: skip
    """Write the tables of the sample bot `cfr` for matches from `dice` dice each.

    An interrupted run is resumed state by state. States of the tables `other` that know as many
    bets are reused.
    """
    wanted = states_of_match(dice)
    exact = [] if files is None else _read(files, {*wanted})
    parts = PartFiles(file, f"{dice}-dice-recall-{effort.recall}-sweeps-{effort.sweeps}")

    taken = [
        state
        for state in ([] if other is None else read_play(other))
        if state.recall == effort.recall.at(sum(state.dice))
    ]

    def solved(state: PlayedState) -> None:
        tell_played(state)
        parts.write(state)

    with workers as for_each:
        played = solve_last_bets(
            wanted,
            recall=effort.recall,
            sweeps=effort.sweeps,
            values={state.dice: state.value for state in exact},
            played=[*taken, *parts.read()],
            solved=solved,
            for_each=for_each,
        )
    states = [*map(exact_play, exact), *played]
    write_play(file, sorted(states, key=lambda state: (sum(state.dice), state.dice)))
    parts.remove()
    return [*map(exact_line, exact), *map(played_line, played)]


def certified(file: Path, wanted: Collection[DicePair] | None) -> list[StateLine]:
    """Return proven values of the strategies in a file or a folder.

    Proves the wanted states and all that may follow them. If `wanted` is None, proves all states of
    a folder, or the states with few dice of the bot's tables.
    """
    if not file.exists():
        raise CommandError(f"There is no file or folder {file}.")
    if is_state(file):
        raise CommandError(f"{file} is a single state: give the folder, {file.parent}.")
    files = StateFiles(file)
    played = read_play(file) if file.is_file() and is_play(file) else None
    there = {*files.dice()} if played is None else {state.dice for state in played}
    asked = wanted or (there if played is None else {one for one in there if sum(one) <= LIGHT})
    needed = {one for dice in asked for one in states_before(dice)}
    if not needed:
        raise CommandError(f"{file} holds no solved states.")
    if missing := needed - there:
        opener, other = min(missing, key=lambda dice: (sum(dice), dice))
        raise CommandError(f"{file} holds no solved state of {opener} against {other} dice.")
    states = _read(files, needed) if played is None else strategies(played, needed)
    return [exact_line(state) for state in certified_again(_told(states))]


def _told(states: Iterable[SolvedState]) -> Iterator[SolvedState]:
    """Yield the states, with a notice on stderr before each large one."""
    for state in states:
        if sum(state.dice) > LIGHT:
            tell_certifying(state.dice)
        yield state


def _read(files: StateFiles, wanted: Collection[DicePair]) -> list[SolvedState]:
    """Return the wanted states that the folder holds, smallest first."""
    states = [files.read(dice) for dice in files.dice() if dice in wanted]
    return [state for state in states if state is not None]
