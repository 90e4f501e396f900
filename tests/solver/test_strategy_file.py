"""Files of solved states: what was written is read, and proves the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena.executors import processes
from arena.solver import Strategy, StrategyFileError, certified_again, load, save, solve_matches


def test_processes_solve_the_same_to_the_byte(tmp_path: Path) -> None:
    alone, side_by_side = tmp_path / "alone", tmp_path / "side by side"
    wanted = [(1, 2), (2, 1)]
    found = [*solve_matches(wanted, width=5e-2).values()]
    with processes(2) as workers:
        again = [*solve_matches(wanted, width=5e-2, for_each=workers.executor.map).values()]
    assert [one.dice for one in found] == [one.dice for one in again] == [(1, 1), (1, 2), (2, 1)]
    for file, states in ((alone, found), (side_by_side, again)):
        # How long it took is not the same.
        save(file, [replace(state, seconds=0.0) for state in states])
    assert alone.read_bytes() == side_by_side.read_bytes()


def test_what_is_loaded_proves_the_same(tmp_path: Path) -> None:
    file = tmp_path / "solved"
    state = solve_matches([(1, 1)], width=1e-2)[1, 1]
    save(file, [state])
    (again,) = certified_again(load(file))
    assert again.dice == (1, 1)
    # Weights are kept in single precision.
    assert again.bounds == pytest.approx(state.bounds, abs=1e-6)
    assert again.exploitability == pytest.approx(state.exploitability, abs=1e-6)
    assert again.iterations == state.iterations


def test_the_proof_believes_no_figure_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "solved"
    state = solve_matches([(1, 1)], width=1e-2)[1, 1]
    state.strategy.weights[0][:] = 0
    save(file, [state])
    (again,) = certified_again(load(file))
    assert again.bounds.low < state.bounds.low - 0.01


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"{}"])
def test_what_holds_no_states_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "solved"
    file.write_bytes(content)
    with pytest.raises(StrategyFileError, match=f"{file} holds no solved states"):
        load(file)


def test_a_file_without_its_tables_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "solved"
    state = solve_matches([(1, 1)], width=1e-1)[1, 1]
    opener, other = state.strategy.weights
    save(file, [replace(state, strategy=Strategy((opener, other[1:])))])
    with pytest.raises(StrategyFileError, match="1 against 1 dice are incomplete"):
        load(file)


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_weights_that_are_no_strategy_are_refused(tmp_path: Path, weight: float) -> None:
    file = tmp_path / "solved"
    state = solve_matches([(1, 1)], width=1e-1)[1, 1]
    state.strategy.weights[1][0] = weight
    save(file, [state])
    with pytest.raises(StrategyFileError, match="negative or not finite"):
        load(file)
