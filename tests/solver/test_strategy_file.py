"""Files of solved states: what was written is read, and proves the same."""

from pathlib import Path

import pytest

from arena.solver import StrategyFileError, certified_again, load, save, solve_match


def test_what_is_loaded_proves_the_same(tmp_path: Path) -> None:
    file = tmp_path / "solved"
    state = solve_match((1, 1), width=1e-2)
    save(file, [state])
    (again,) = certified_again(load(file))
    assert again.dice == (1, 1)
    # Weights are kept in single precision.
    assert again.bounds == pytest.approx(state.bounds, abs=1e-6)
    assert again.exploitability == pytest.approx(state.exploitability, abs=1e-6)
    assert again.iterations == state.iterations


def test_the_proof_believes_no_figure_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "solved"
    state = solve_match((1, 1), width=1e-2)
    state.strategy.opening[:] = 0
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
    state = solve_match((1, 1), width=1e-1)
    opening, (first, second) = state.strategy.opening, state.strategy.answers
    save(
        file,
        [
            type(state)(
                **{**vars(state), "strategy": type(state.strategy)(opening, (first, second[1:]))}
            )
        ],
    )
    with pytest.raises(StrategyFileError, match="1 against 1 dice are incomplete"):
        load(file)
