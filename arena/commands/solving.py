"""What `arena solve` does: which states it solves exactly, and the others by the last bets."""

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
"""Dice in play up to which a state takes a minute or two, and several fit into memory."""


class SolveStoppedError(CommandError):
    """Ctrl-C ended a search; the message says where what it found is."""

    exit_code = 130


@dataclass(frozen=True)
class Effort:
    """How much a solve may cost."""

    width: float
    """How far apart proven bounds may be."""
    until: float
    """By `time.time()`, of what is proven."""
    recall: ByDice
    """How many of the last bets the other states know."""
    sweeps: ByDice
    """How often those are improved."""


def exact_states(
    wanted: Collection[DicePair], files: StateFiles | None, effort: Effort, for_each: ForEach,
    *, checkpoints: bool,
) -> list[SolvedState]:  # fmt: skip
    """Return the states that are wanted, with proof, and what they need.

    What a folder holds is gone on with. With `checkpoints` it is also kept while a state is under
    way.
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
    """Return what is solved, with what is found kept on the way and at the first Ctrl-C.

    Raises SolveStoppedError.
    """
    with awaiting_stop():
        try:
            states = solve(keep=files.write, stopped=stop_is_wished)
        except BrokenExecutor:  # Ctrl-C ends a worker that has not begun
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
    """Return the wanted states: small ones with proof, others by the last bets.

    States with more dice that a folder holds are taken as they are.
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
    """Return a round for itself."""
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
    """Return the tables of the sample bot `cfr`, for matches from so many dice each.

    Goes on state by state where it was stopped. What other tables hold that knows as many bets is
    taken.
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
    """Return what the strategies of a file or a folder are worth.

    Those that are wanted and all that may follow them; of a folder all, if nothing is said; of
    tables of the bot those that take little.
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
    for state in states:
        if sum(state.dice) > LIGHT:
            tell_certifying(state.dice)
        yield state


def _read(files: StateFiles, wanted: Collection[DicePair]) -> list[SolvedState]:
    """Return the states that are there, smallest first."""
    states = [files.read(dice) for dice in files.dice() if dice in wanted]
    return [state for state in states if state is not None]
