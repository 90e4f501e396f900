"""The table that the referee's benchmark prints of calls by layer."""

import cProfile
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

import arena
from benchmarks.referee_load.layers import DECISION, LAYERS, NONE, OTHERS, counted, layer_of

PACKAGE = Path(arena.__file__).parent
IN_A_REFEREE = (
    *("codec", "database", "games", "lab/luck", "match", "rating", "scheduling", "server", "v1"),
    *("identifiers.py", "randomness.py", "records.py", "signatures.py"),
)


def modules() -> Iterator[Path]:
    for name in IN_A_REFEREE:
        path = PACKAGE / name
        yield from [path] if path.suffix else path.rglob("*.py")


def test_every_module_that_plays_has_a_layer() -> None:
    assert [path for path in modules() if layer_of(str(path)) == NONE] == []


def test_every_line_of_the_table_is_of_some_module() -> None:
    for pattern in LAYERS:
        assert any(PACKAGE.glob(pattern)), pattern


def test_the_first_line_that_fits_says_the_layer() -> None:
    def layer(inner: str) -> str:
        return layer_of(str(PACKAGE / inner))

    assert layer("games/bluff/kit/codec.py") == "codec"
    assert layer("games/bluff/kit/luck.py") == "luck"
    assert layer("games/bluff/game.py") == "rules"
    assert layer("server/play/session.py") == "session"
    assert layer("server/play/match_play.py") == "match"
    assert layer("settings.py") == NONE


def test_modules_of_others_have_a_layer() -> None:
    assert layer_of(import_module("asyncio.tasks").__file__ or "") == "event loop"
    assert layer_of(import_module("google.protobuf.message").__file__ or "") == "protobuf"
    assert layer_of(import_module("enum").__file__ or "") == OTHERS


def test_the_function_that_counts_decisions_exists() -> None:
    path, _, name = DECISION.partition(":")
    cls, method = name.split(".")
    module = import_module(f"arena.{path.removesuffix('.py').replace('/', '.')}")
    assert callable(getattr(getattr(module, cls), method))


@dataclass
class Pair:
    left: int
    right: int


def make_pairs() -> None:
    for _ in range(3):
        Pair(1, len("ab"))


def test_generated_code_and_functions_in_c_count_for_their_caller() -> None:
    profile = cProfile.Profile()
    profile.enable()
    make_pairs()
    profile.disable()
    found = counted(profile.getstats())
    assert found.calls == {OTHERS: 4}  # this file is no module of the package
    assert found.builtins == {OTHERS: 3}
    assert found.decisions == 0
    name = next(name for name in found.functions if name.endswith(":make_pairs"))
    assert found.functions == {name: 1, f"{name} > __init__": 3}
    assert found.seconds[OTHERS] == pytest.approx(sum(found.seconds.values()))


ALLOCATING = """
import cProfile, ctypes
from benchmarks.referee_load.layers import allocated

clock = ctypes.CDLL(None).allocations
clock.restype = ctypes.c_long
profile = cProfile.Profile(clock, 1.0)

def nothing():
    pass

def lists():
    for _ in range(100):
        nothing()
        [0]
        list((1, 2, 3))

lists()
profile.enable()
lists()
profile.disable()
print(sum(allocated(profile.getstats()).seconds.values()))
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_allocations_are_counted_without_those_of_the_profiler(tmp_path: Path) -> None:
    source = PACKAGE.parent / "benchmarks/referee_load/allocations.c"
    library, program = tmp_path / "allocations.so", tmp_path / "allocating.py"
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
    program.write_text(ALLOCATING)
    env = {"LD_PRELOAD": str(library), "PYTHONMALLOC": "malloc", "PYTHONPATH": str(PACKAGE.parent)}
    found = subprocess.run(
        [sys.executable, program], env=os.environ | env, check=True, capture_output=True, text=True
    )
    # Two lists, which each have a second block for their items; a range and its iterator.
    assert 300 <= float(found.stdout) <= 410
