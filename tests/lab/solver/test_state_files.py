"""Files of solved states: what was written is read, and proves the same."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from arena.executors import processes
from arena.lab.solver import (
    SolvedState,
    StateFiles,
    Strategy,
    StrategyFileError,
    certified_again,
    solve_matches,
)


def duel(width: float = 1e-2) -> SolvedState:
    return solve_matches([(1, 1)], width=width)[1, 1]


def test_processes_solve_the_same_to_the_byte(tmp_path: Path) -> None:
    wanted = [(1, 2), (2, 1)]
    found = solve_matches(wanted, width=5e-2)
    with processes(2) as workers:
        again = solve_matches(wanted, width=5e-2, for_each=workers.executor.map)
    assert [*found] == [*again] == [(1, 1), (1, 2), (2, 1)]
    folders = [StateFiles(tmp_path / "alone"), StateFiles(tmp_path / "side by side")]
    for files, states in zip(folders, (found, again), strict=True):
        for state in states.values():
            # How long it took is not the same.
            files.write(replace(state, seconds=0.0))
    for file in folders[0].folder.iterdir():
        assert file.read_bytes() == (folders[1].folder / file.name).read_bytes()


def test_what_is_read_proves_the_same(tmp_path: Path) -> None:
    files, state = StateFiles(tmp_path / "solved"), duel()
    files.write(state)
    assert files.dice() == [(1, 1)]
    read = files.read((1, 1))
    assert read is not None
    (again,) = certified_again([read])
    assert (again.dice, again.iterations, again.seconds) == (
        (1, 1), state.iterations, state.seconds,
    )  # fmt: skip
    assert again.bounds == state.bounds
    assert again.exploitability == state.exploitability


def test_a_state_that_is_not_there_is_none(tmp_path: Path) -> None:
    files = StateFiles(tmp_path / "nowhere")
    assert files.dice() == []
    assert files.read((1, 1)) is None


def test_tables_are_read_from_the_file_only_when_they_are_used(tmp_path: Path) -> None:
    files = StateFiles(tmp_path)
    files.write(duel())
    read = files.read((1, 1))
    assert read is not None
    for table in read.strategy.weights:
        owner = table
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        assert isinstance(owner, np.memmap)


def test_the_proof_believes_no_figure_in_the_file(tmp_path: Path) -> None:
    files, state = StateFiles(tmp_path), duel()
    state.strategy.weights[0][:] = 0
    files.write(state)
    read = files.read((1, 1))
    assert read is not None and read.bounds == state.bounds
    (again,) = certified_again([read])
    assert again.bounds.low < state.bounds.low - 0.01


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"{}", b"null", b"\xff"])
def test_what_holds_no_state_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "1-1.state"
    file.write_bytes(content)
    with pytest.raises(StrategyFileError, match=f"{file} holds no solved state"):
        StateFiles(tmp_path).read((1, 1))


def test_a_file_that_ends_too_early_or_is_of_other_dice_is_refused(tmp_path: Path) -> None:
    files = StateFiles(tmp_path)
    files.write(duel())
    whole = tmp_path / "1-1.state"
    os.link(whole, tmp_path / "1-2.state")
    with pytest.raises(StrategyFileError, match=r"1-2.state holds no solved state"):
        files.read((1, 2))
    os.truncate(whole, whole.stat().st_size - 4)
    with pytest.raises(StrategyFileError, match=r"1-1.state holds no solved state"):
        files.read((1, 1))


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("part", ["strategy", "regrets"])
def test_weights_that_are_no_strategy_are_refused(tmp_path: Path, part: str, weight: float) -> None:
    files, state = StateFiles(tmp_path), duel(1e-1)
    table: Strategy = getattr(state, part)
    table.weights[1][0] = weight
    files.write(state)
    with pytest.raises(StrategyFileError, match="negative or not finite"):
        files.read((1, 1))


def test_a_file_instead_of_a_folder_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "solved"
    file.touch()
    with pytest.raises(StrategyFileError, match="solved is no folder of solved states"):
        StateFiles(file).dice()
    with pytest.raises(StrategyFileError, match="cannot be written"):
        StateFiles(file).write(duel(1e-1))


def test_whether_a_folder_takes_files_is_known_before_there_are_any(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "solved"
    StateFiles(folder).prepare()
    assert [*folder.iterdir()] == []
    with pytest.raises(StrategyFileError, match="/proc/solved takes no files: No such file"):
        StateFiles(Path("/proc/solved")).prepare()
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(StrategyFileError, match="file is no folder of solved states"):
        StateFiles(file).prepare()


def test_searches_that_write_a_state_at_once_leave_one_of_them_whole(tmp_path: Path) -> None:
    files = StateFiles(tmp_path)
    states = [duel(), duel(1e-1)]
    begun = Barrier(len(states))

    def write_often(state: SolvedState) -> None:
        begun.wait()
        for _ in range(50):
            files.write(state)

    with ThreadPoolExecutor(len(states)) as pool:
        list(pool.map(write_often, states))
    assert [file.name for file in tmp_path.iterdir()] == ["1-1.state"]
    read = files.read((1, 1))
    assert read is not None
    assert read.exploitability in {state.exploitability for state in states}


def test_a_state_that_cannot_be_kept_leaves_nothing_beside(tmp_path: Path) -> None:
    (tmp_path / "1-1.state").mkdir()
    with pytest.raises(StrategyFileError, match=r"1-1.state cannot be written"):
        StateFiles(tmp_path).write(duel(1e-1))
    assert [file.name for file in tmp_path.iterdir()] == ["1-1.state"]
