"""The compiled rules of Bluff play as the Python rules do, byte for byte, or leave it to them."""

import tomllib
from pathlib import Path

import pytest

from tests.thoroughness import tries

# tests/test_extras.py wants it in CI.
pytest.importorskip("bluff_arena_fast", reason="not installed: make fast")

import bluff_arena_fast

from benchmarks.compiled_load.equality import compare

FAST = Path(__file__).parents[2] / "fast"


def test_versions_are_equal() -> None:
    project = tomllib.loads((FAST.parent / "pyproject.toml").read_text())["project"]
    own = tomllib.loads((FAST / "pyproject.toml").read_text())["project"]
    crate = tomllib.loads((FAST / "Cargo.toml").read_text())["package"]
    assert own["version"] == crate["version"] == project["version"] == bluff_arena_fast.VERSION
    assert project["optional-dependencies"]["fast"] == [f"{own['name']}=={own['version']}"]


@pytest.mark.parametrize("seed", range(4))
def test_random_matches_are_the_same_byte_for_byte(seed: int) -> None:
    count = tries(500, quick=200)
    assert len(set(compare(seed, count))) == count
