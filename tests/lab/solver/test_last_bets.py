"""Play by the last bet and its file, and how the sample bot `cfr` reads it."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from arena.executors import processes
from arena.lab.solver import (
    ByDice,
    DicePair,
    PartFiles,
    PlayedState,
    StrategyFileError,
    certified_again,
    exact_play,
    match_round,
    proven_bounds,
    read_play,
    solve_last_bets,
    solve_matches,
    states_of_match,
    strategies,
    write_play,
)
from arena.local.loading import SAMPLE_BOTS
from arena_sample_bots.cfr import node_row, subtrees

FILE = SAMPLE_BOTS / "cfr.tables"
BETS = 12
"""With two dice in play."""


def test_the_more_bets_play_knows_the_better_it_is() -> None:
    apart = []
    for recall in (1, 2, 3):
        (state,) = solve_last_bets(states_of_match(1), recall=ByDice(recall), sweeps=ByDice(60))
        (strategy,) = (solved.strategy for solved in strategies([state], [(1, 1)]))
        low, high = proven_bounds(match_round((1, 1), {}), strategy)
        assert low <= state.value <= high
        apart.append(high - low)
    # A uniform strategy's are 0.78 apart.
    assert 0.1 > apart[0] > apart[1] > apart[2]


@pytest.mark.parametrize("recall", [1, 2])
def test_processes_solve_the_same_to_the_byte(tmp_path: Path, recall: int) -> None:
    alone, side_by_side = tmp_path / "alone", tmp_path / "side by side"
    write_play(alone, solve_last_bets(states_of_match(2), recall=ByDice(recall), sweeps=ByDice(3)))
    with processes(2) as workers:
        for_each = workers.executor.map
        states = solve_last_bets(
            states_of_match(2), recall=ByDice(recall), sweeps=ByDice(3), for_each=for_each
        )
    write_play(side_by_side, states)
    assert alone.read_bytes() == side_by_side.read_bytes()


def test_rounds_with_few_dice_may_know_more_bets_and_be_improved_more_often() -> None:
    usual, few = ByDice(1), ByDice(1, few=3, small=3)
    states = solve_last_bets(states_of_match(2), recall=few, sweeps=ByDice(3, few=2, small=60))
    assert {state.dice: state.recall for state in states} == {
        (1, 1): 3,
        (1, 2): 3,
        (2, 1): 3,
        (2, 2): 1,
    }
    (alone,) = solve_last_bets(states_of_match(1), recall=ByDice(3), sweeps=ByDice(60))
    assert all(map(np.array_equal, states[0].play, alone.play))
    (worse,) = solve_last_bets(states_of_match(1), recall=usual, sweeps=ByDice(60))
    assert states[0].play[0].shape != worse.play[0].shape


def test_an_interrupted_solve_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    whole, continued = tmp_path / "whole", tmp_path / "continued"
    write_play(whole, solve_last_bets(states_of_match(2), sweeps=ByDice(3)))
    parts = PartFiles(continued, "parts")

    def stop(state: PlayedState) -> None:
        parts.write(state)
        if state.dice == (1, 2):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_last_bets(states_of_match(2), sweeps=ByDice(3), solved=stop)
    asked: list[DicePair] = []

    def for_each(solve: Callable[[DicePair], Any], states: Iterable[DicePair]) -> Iterator[Any]:
        for state in states:
            asked.append(state)
            yield solve(state)

    left = solve_last_bets(
        states_of_match(2), sweeps=ByDice(3), played=parts.read(), for_each=for_each
    )
    assert asked == [(2, 1), (2, 2)]
    write_play(continued, left)
    assert continued.read_bytes() == whole.read_bytes()
    parts.remove()
    assert parts.read() == []


@pytest.mark.parametrize("recall", [1, 2])
def test_a_file_holds_the_play_to_a_byte(tmp_path: Path, recall: int) -> None:
    file = tmp_path / "play"
    states = solve_last_bets(states_of_match(1), recall=ByDice(recall), sweeps=ByDice(3))
    write_play(file, states)
    (again,) = read_play(file)
    for play, written in zip(again.play, states[0].play, strict=True):
        assert np.abs(play - written).max() <= 0.5 / 255 + 1e-6


def test_exact_play_of_a_file_proves_almost_what_it_did(tmp_path: Path) -> None:
    file = tmp_path / "play"
    exact = solve_matches([(1, 1)], width=1e-2)[1, 1]
    write_play(file, [exact_play(exact)])
    (again,) = certified_again(strategies(read_play(file), [(1, 1)]))
    assert again.bounds == pytest.approx(exact.bounds, abs=0.01)


def test_the_shipped_states_know_all_bets_with_three_dice_in_play_and_four_with_four() -> None:
    header = json.loads(FILE.read_bytes().partition(b"\n")[0])
    recalls = {(opener + other, recall) for opener, other, _, recall in header["states"]}
    assert recalls == {(2, None), (3, None), (4, 4), *((dice, 1) for dice in range(5, 11))}


def test_a_shipped_state_is_made_again(tmp_path: Path) -> None:
    """Two dice against three, from the shipped states that it leads to."""
    shipped = {state.dice: state for state in read_play(FILE)}
    values = {dice: state.value for dice, state in shipped.items() if sum(dice) < 5}
    file = tmp_path / "play"
    write_play(file, solve_last_bets([(2, 3)], sweeps=ByDice(40), values=values))
    (again,) = read_play(file)
    assert again.value == pytest.approx(shipped[2, 3].value, abs=1e-6)
    for made, expected in zip(again.play, shipped[2, 3].play, strict=True):
        # Values in the file have six digits: a few probabilities fall on the other side of a step.
        differ = np.abs(made - expected)
        assert differ.max() <= 2 / 255 and (differ > 1e-9).mean() < 0.01


def test_the_bot_finds_the_rows_of_exact_play() -> None:
    play = exact_play(solve_matches([(1, 1)], width=1e-1)[1, 1]).play
    for seat in (0, 1):
        opens = seat == 0
        assert subtrees(BETS)[seat][0] == len(play[seat])
        ends = 0
        for history in _histories(0):
            if (len(history) % 2 == 0) == opens and (not history or history[-1] < BETS):
                assert node_row(history, opens, BETS) == ends
                ends += BETS - (history[-1] if history else 0) + 1
        assert ends == len(play[seat])


def _histories(place: int) -> Iterator[list[int]]:
    """All histories after a place, depth first."""
    yield []
    for bet in range(place + 1, BETS + 1):
        for rest in _histories(bet):
            yield [bet, *rest]


@pytest.mark.parametrize("content", [b"", b"{}\n", b'{"format": "arena-play/1", "states": []'])
def test_what_holds_no_play_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "play"
    file.write_bytes(content)
    with pytest.raises(StrategyFileError, match=f"{file} holds no play"):
        read_play(file)


def test_a_damaged_file_is_refused_with_what_is_wrong(tmp_path: Path) -> None:
    states = solve_last_bets(states_of_match(1), sweeps=ByDice(1))
    file = tmp_path / "play"
    write_play(file, states)
    line, _, rest = file.read_bytes().partition(b"\n")
    tables = zlib.decompress(rest)

    def refused(rows: object, data: bytes = tables) -> str:
        header = {"format": "arena-play/2", "dice": 1, "states": rows}
        file.write_bytes(json.dumps(header).encode() + b"\n" + zlib.compress(data))
        with pytest.raises(StrategyFileError) as raised:
            read_play(file)
        return str(raised.value).removeprefix(f"{file} holds no play: ")

    ((_, _, value, _),) = rows = json.loads(line)["states"]
    assert refused([[0, 0, value, 1]]) == "there is no round of 0 against 0 dice."
    assert refused([[True, 1, value, 1]]) == "there is no round of True against 1 dice."
    assert refused([[1, 1, "a", 1]]).endswith("the value a is no probability.")
    assert refused([[1, 1, 1.5, 1]]).endswith("the value 1.5 is no probability.")
    assert refused([[1, 1, float("nan"), 1]]).endswith("the value nan is no probability.")
    for recall in (-3, 0, 13, 99, 1.0):
        assert refused([[1, 1, value, recall]]).endswith(f"the last {recall} of 12 bets.")
    assert refused([[3, 2, value, None]]).endswith("play cannot know all bets.")
    assert refused([[1, 2, value, 1]]) == "it ends too early."
    assert refused(rows, tables[:-1]) == "it ends too early."
    assert refused(rows, tables + b"\0") == "it goes on after the last state."
    assert refused(rows, bytes(len(tables))).endswith("a hand has no action.")
    assert refused(rows * 2, tables * 2) == "its states are not in order, the smallest first."


def test_more_dice_are_better() -> None:
    values = {
        state.dice: state.value for state in solve_last_bets(states_of_match(2), sweeps=ByDice(3))
    }
    assert values[2, 1] > values[2, 2] > values[1, 2]
    assert values[2, 1] > values[1, 1] > values[1, 2]


def test_processes_that_write_a_file_at_once_leave_one_of_them_whole(tmp_path: Path) -> None:
    file = tmp_path / "tables"
    states = [
        solve_last_bets(states_of_match(1), sweeps=ByDice(times), recall=ByDice(1))
        for times in (1, 2)
    ]
    begun = Barrier(2)

    def write_often(play: list[PlayedState]) -> None:
        begun.wait()
        for _ in range(50):
            write_play(file, play)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write_often, states))
    assert [one.name for one in tmp_path.iterdir()] == ["tables"]
    (left,) = read_play(file)
    assert left.value in {play[0].value for play in states}


def test_tables_that_cannot_be_written_are_named_and_leave_nothing_beside(tmp_path: Path) -> None:
    play = solve_last_bets(states_of_match(1), sweeps=ByDice(1))
    (tmp_path / "tables").mkdir()
    with pytest.raises(StrategyFileError, match="tables cannot be written: Is a directory"):
        write_play(tmp_path / "tables", play)
    assert [one.name for one in tmp_path.iterdir()] == ["tables"]
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(StrategyFileError, match="cannot be written"):
        PartFiles(file / "tables", "parts").write(play[0])
