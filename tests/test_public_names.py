"""What Semantic Versioning covers in Python: the names that packages declare."""

import importlib
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[1] / "docs" / "write-a-bot.md"
PACKAGES = (
    "arena.bot",
    "arena.games",
    "arena.games.bluff",
    "arena.games.bluff_you",
    "arena.games.bloeff",
    "arena.games.skull",
    "arena.rating",
)


def test_the_guide_names_the_packages_that_are_covered() -> None:
    section = GUIDE.read_text().split("## What later versions keep")[1].split("\n## ")[0]
    (python,) = re.findall(r"^\| Python \|(.*)$", section, re.MULTILINE)
    assert tuple(re.findall(r"`(arena[\w.]*)`", python)) == PACKAGES


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_what_it_declares(package: str) -> None:
    program = f"from {package} import *"
    names: dict[str, object] = {}
    exec(program, names)
    declared = importlib.import_module(package).__all__
    assert len(declared) == len(set(declared)) > 0
    assert set(declared) <= set(names)
    assert not [name for name in declared if name.startswith("_")]


def test_type_checkers_read_the_package() -> None:
    assert files("arena").joinpath("py.typed").is_file()


@pytest.mark.parametrize("module", ["arena.bot", "arena.games", "arena.local.in_process"])
def test_a_bots_imports_load_nothing_heavy(module: str) -> None:
    heavy = {"grpc", "google.protobuf", "numpy", "pandas", "scipy", "sqlalchemy", "streamlit"}
    program = f"import sys, {module}; sys.exit(sorted({heavy} & sys.modules.keys()) or 0)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
