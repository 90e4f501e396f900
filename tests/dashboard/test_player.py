"""The player's JavaScript: tested by Node where it is installed, and all of it in the package."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import arena_dashboard.player
from arena.games import GAMES, KITS

ASSETS = Path(arena_dashboard.player.__file__).parent / "assets"
TESTS = Path(__file__).parent / "player"
NODE = shutil.which("node")


@pytest.mark.skipif(
    NODE is None and not os.environ.get("CI"),
    reason="Node is not installed: apt-get install nodejs",
)
def test_the_parts_that_need_no_page_pass_their_tests() -> None:
    assert NODE is not None, "CI must install Node"
    ran = subprocess.run(
        [NODE, "--test", *map(str, TESTS.glob("*.test.mjs"))], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout
    assert int(re.findall(r"^# pass (\d+)$", ran.stdout, re.MULTILINE)[0]) > 10


@pytest.mark.parametrize("module", sorted(ASSETS.rglob("*.js")), ids=lambda path: path.name)
def test_a_module_asks_for_nothing_outside_the_package(module: Path) -> None:
    source = module.read_text()
    for imported in re.findall(r'^import .*?from "([^"]+)";', source, re.MULTILINE | re.DOTALL):
        assert (module.parent / imported).is_file(), imported
    addresses = re.findall(r"https?://[^\"'`\s]+", source)
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("game", GAMES)
def test_every_game_with_a_scene_has_its_table(game: str) -> None:
    drawn = KITS[game].part("scene") is not None
    assert drawn == (ASSETS / "games" / f"{game}.js").is_file()
