"""Thinking time: a limit per turn, and a bank that overtime is taken from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.match.clock import (
    TIME_SETTINGS,
    TimeBank,
    TimeControl,
    TimeControlError,
    read_time_control,
)

milliseconds = st.integers(0, 200_000)
controls = st.builds(TimeControl, milliseconds, milliseconds)


def test_the_default_is_what_the_protocol_promises() -> None:
    """docs/protocol.md: by default a turn has 2 seconds, a match's bank 30."""
    assert TimeControl() == TimeControl(turn_ms=2_000, bank_ms=30_000)


def test_what_is_left_after_a_thought_is_told_for_the_turn_and_for_the_bank() -> None:
    bank = TimeBank(TimeControl(turn_ms=2_000, bank_ms=3_000))
    assert bank.left_after(500) == (1_500, 3_000)
    assert bank.left_after(2_000) == (0, 3_000)
    assert bank.left_after(2_001) == (0, 2_999)
    assert bank.left_after(9_000) == (0, 0)


def test_a_turn_within_its_limit_costs_nothing() -> None:
    bank = TimeBank(TimeControl(turn_ms=2_000, bank_ms=30_000))
    bank.spend(2_000)
    assert (bank.left_ms, bank.allowed_ms) == (30_000, 32_000)


def test_overtime_comes_out_of_the_bank() -> None:
    bank = TimeBank(TimeControl(turn_ms=2_000, bank_ms=30_000))
    bank.spend(2_001)
    bank.spend(12_000)
    assert (bank.left_ms, bank.allowed_ms) == (19_999, 21_999)


def test_an_empty_bank_leaves_the_turn_limit() -> None:
    bank = TimeBank(TimeControl(turn_ms=2_000, bank_ms=1_000))
    bank.spend(60_000)
    assert (bank.left_ms, bank.allowed_ms) == (0, 2_000)


@pytest.mark.parametrize(
    ("elapsed_ms", "left"),
    [(500, (1_500, 300)), (2_000, (0, 300)), (2_200, (0, 100)), (2_300, (0, 0)), (9_000, (0, 0))],
)
def test_what_is_left_in_the_middle_of_a_turn_is_never_below_nothing(
    elapsed_ms: int, left: tuple[int, int]
) -> None:
    bank = TimeBank(TimeControl(turn_ms=2_000, bank_ms=300))
    assert bank.left_after(elapsed_ms) == left
    assert bank.left_ms == 300


@given(controls, st.lists(milliseconds))
def test_the_bank_only_shrinks_by_the_overtime_and_never_below_nothing(
    control: TimeControl, turns: list[int]
) -> None:
    bank, expected = TimeBank(control), control.bank_ms
    for elapsed in turns:
        bank.spend(elapsed)
        expected = max(0, expected - max(0, elapsed - control.turn_ms))
        assert bank.left_ms == expected
        assert bank.allowed_ms == control.turn_ms + expected


@given(controls)
def test_a_turn_of_exactly_what_is_allowed_empties_the_bank(control: TimeControl) -> None:
    bank = TimeBank(control)
    bank.spend(bank.allowed_ms)
    assert bank.left_ms == 0


@given(controls, milliseconds, milliseconds)
def test_what_is_left_of_a_turn_and_the_bank_is_all_that_is_allowed_and_no_more(
    control: TimeControl, spent: int, elapsed: int
) -> None:
    bank = TimeBank(control)
    bank.spend(spent)
    turn_ms, bank_ms = bank.left_after(elapsed)
    assert turn_ms + bank_ms == max(0, bank.allowed_ms - elapsed)
    assert turn_ms == max(0, control.turn_ms - elapsed)
    bank.spend(elapsed)
    assert bank.left_ms == bank_ms


@pytest.mark.parametrize(
    ("text", "control", "name"),
    [
        ("", TimeControl(), ""),
        ("turn=2s,bank=30s", TimeControl(), ""),
        ("turn=60s,bank=10m", TimeControl(60_000, 600_000), "turn=60s,bank=10m"),
        ("bank=600s,turn=1m", TimeControl(60_000, 600_000), "turn=60s,bank=10m"),
        ("turn=500ms", TimeControl(500, 30_000), "turn=500ms,bank=30s"),
        ("turn=1500ms,bank=0s", TimeControl(1_500, 0), "turn=1500ms,bank=0s"),
        ("turn=1h,bank=24h", TimeControl(3_600_000, 86_400_000), "turn=60m,bank=24h"),
    ],
)
def test_a_time_control_has_one_name_however_it_is_written(
    text: str, control: TimeControl, name: str
) -> None:
    assert read_time_control(text) == control
    assert control.name == name
    assert read_time_control(control.name) == control


@given(st.builds(TimeControl, st.integers(100, 3_600_000), st.integers(0, 86_400_000)))
def test_every_name_is_read_back(control: TimeControl) -> None:
    assert read_time_control(str(control)) == control


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "turn=99ms",
            "allowed is 100ms to 60m, as a whole number of ms, s, m or h such as",
        ),
        ("turn=3601s", "turn is '3601s'; allowed is 100ms to 60m"),
        ("bank=25h", "bank is '25h'; allowed is 0s to 24h"),
        ("turn=60", "turn is '60'; allowed"),
        ("turn=1.5s", "turn is '1.5s'; allowed"),
        ("turn=-1s", "turn is '-1s'; allowed"),
        ("turn=", "turn is ''; allowed"),
        ("turn=٣s", "turn is '٣s'; allowed"),
        ("turn=" + "9" * 10_000 + "s", "allowed is 100ms"),
        ("turn", "'turn' is not NAME=TIME; write turn=60s,bank=10m"),
        ("turn=1s,turn=2s", "'turn=2s' is given twice"),
        ("increment=2s", "no setting 'increment' of a time control; there are turn and bank"),
    ],
)
def test_what_is_no_time_control_is_refused_with_what_is_allowed(text: str, sentence: str) -> None:
    with pytest.raises(TimeControlError) as refused:
        read_time_control(text)
    assert sentence in str(refused.value)
    assert len(str(refused.value)) < 300


def test_no_game_has_an_option_that_is_a_setting_of_the_time_control() -> None:
    """`--table` takes both in one list."""
    for game in GAMES.values():
        assert not set(TIME_SETTINGS) & set(game.options_type.model_fields)
