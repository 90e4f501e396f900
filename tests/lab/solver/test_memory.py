"""Whether tables fit into memory is asked before they are made."""

from math import inf

import pytest

from arena.lab.solver import MemoryShortError, bytes_needed, check_memory, free_memory


def test_a_round_that_does_not_fit_is_refused_with_what_is_needed_and_what_is_free() -> None:
    with pytest.raises(MemoryShortError, match=r"2 against 2 dice needs 5\.\d GB .* 3\.0 GB are"):
        check_memory(bytes_needed((2, 2)), "A round with 2 against 2 dice", free=3e9)
    check_memory(bytes_needed((2, 2)), "A round with 2 against 2 dice", free=16e9)


def test_four_dice_need_gigabytes_and_three_a_hundred_megabytes() -> None:
    assert bytes_needed((1, 1)) < 1e6
    assert 5e7 < bytes_needed((1, 2)) < 1e8
    assert 7e9 < bytes_needed((1, 3)) < 8e9


def test_the_free_memory_of_this_machine_is_known() -> None:
    assert 1e7 < free_memory() <= inf
