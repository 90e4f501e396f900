"""What the files of tests keep in caches goes when they are over."""

from functools import cache
from types import ModuleType

import pytest

from tests.left_memory import GROWN_BYTES, LeftMemory


def values() -> list[int]:
    return [1]


@pytest.mark.parametrize(("grown", "kept"), [(GROWN_BYTES, 0), (GROWN_BYTES - 1, 1)])
def test_the_caches_of_a_file_are_emptied_when_the_process_has_grown_with_it(
    grown: int, kept: int
) -> None:
    tests = ModuleType(__name__)
    tests.cached = cache(values)  # type: ignore[attr-defined]
    tests.cached()
    memory = LeftMemory(iter([0, grown, grown]).__next__)
    memory.give_back(tests)
    assert tests.cached.cache_info().currsize == kept


def test_caches_of_the_arena_stay() -> None:
    tests, ours = ModuleType("a_test"), cache(values)
    tests.imported = ours  # type: ignore[attr-defined]
    ours()
    LeftMemory(iter([0, GROWN_BYTES, 0]).__next__).give_back(tests)
    assert ours.cache_info().currsize == 1
