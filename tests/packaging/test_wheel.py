"""The wheel, installed into an empty environment in an empty directory, does all of it."""

import json
import os
import re
import shutil
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from arena.local import wheel as packing_wheel
from tests.packaging.conftest import Installer, newest
from tests.packaging.environments import CLAIMED, ROOT, uv_succeeds

pytestmark = pytest.mark.timeout(600)

PLACES = {
    "arena": "arena",
    "dashboard/arena_dashboard": "arena_dashboard",
    "sample_bots/python/arena_sample_bots": "arena_sample_bots",
    "proto/arena": "arena/proto/arena",
    **{
        f"sample_bots/{name}": f"arena_sample_bots/starters/{name}"
        for name in (
            *("cpp", "go", "java", "javascript", "rust", "stdio", "typescript"),
            "vectors",
        )
    },
}
"""What the wheel is made of: folders of the checkout, and where they are in site-packages."""

BUILT = (
    *("__pycache__", "node_modules", "sample_bots/*/bin", "sample_bots/*/build"),
    *("sample_bots/*/dist", "sample_bots/*/target", "sample_bots/go/bot"),
    "sample_bots/typescript/src/wire",
)
"""What Python and builds of the starters leave in the checkout, perhaps while these tests run."""

WRONG = """
from arena.bot import Bot, Turn
from arena.games.bluff import BluffChoice, BluffView, Doubt

class Wrong(Bot[BluffView, BluffChoice]):
    def act(self, turn: Turn[BluffView, BluffChoice]) -> BluffChoice:
        print(turn.view.hand)
        return Doubt()
"""


def is_built(path: Path) -> bool:
    return any(path.match(pattern) for pattern in BUILT)


def files_below(folder: Path) -> Iterator[Path]:
    for directory, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if not is_built(Path(directory, name))]
        yield from (Path(directory, name) for name in names if not is_built(Path(directory, name)))


def files_of_the_checkout() -> Iterator[tuple[str, bytes]]:
    for folder, place in PLACES.items():
        for file in files_below(ROOT / folder):
            yield f"{place}/{file.relative_to(ROOT / folder)}", file.read_bytes()


def first_bot() -> str:
    (bot,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return str(bot)


def test_the_wheel_holds_the_packages_with_their_data_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    found = {name: data for name, data in inside.items() if ".dist-info/" not in name}
    assert found == dict(files_of_the_checkout())
    assert "arena/py.typed" in found
    (metadata,) = (data for name, data in inside.items() if name.endswith("/METADATA"))
    assert b"License-Expression: Apache-2.0" in metadata


def test_the_wheel_is_the_same_from_the_sdist_as_from_what_the_image_is_built_of(
    built: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "LICENSE", "tests/packaging/test_wheel.py"} <= names
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if line.startswith("!"):
            source = ROOT / line.removeprefix("!")
            for file in files_below(source) if source.is_dir() else [source]:
                copy = tmp_path / file.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy)
    uv_succeeds("build", "--quiet", "--wheel", "--out-dir", tmp_path / "dist", cwd=tmp_path)
    assert (tmp_path / "dist" / wheel.name).read_bytes() == wheel.read_bytes()


def members(packed: bytes) -> dict[str, bytes]:
    with ZipFile(BytesIO(packed)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_checkout_and_an_installation_pack_the_same_wheel_as_the_one_that_is_built(
    wheel: Path, installed: Installer
) -> None:
    plain = installed("", newest())
    packing = "from pathlib import Path; from arena.local.wheel import wheel, wheel_name; "
    done = plain.run("python", "-c", packing + "Path(wheel_name()).write_bytes(wheel())")
    assert done.returncode == 0, done.stderr
    built = members(wheel.read_bytes())
    assert packing_wheel.wheel_name() == wheel.name
    of_installation = members((plain.home / wheel.name).read_bytes())
    (record,) = (name for name in built if name.endswith(".dist-info/RECORD"))
    lines = of_installation.pop(record), built.pop(record)
    assert sorted(lines[0].splitlines()) == sorted(lines[1].splitlines())
    assert of_installation == built
    of_checkout = members(packing_wheel.wheel())
    (metadata,) = (name for name in built if name.endswith(".dist-info/METADATA"))
    del of_checkout[record]
    # Its metadata are of when it was installed: below the fields stands the README of then.
    fields = (one.pop(metadata).partition(b"\n\n")[0] for one in (of_checkout, built))
    assert len(set(fields)) == 1
    assert of_checkout == built


@pytest.mark.parametrize("python", CLAIMED)
def test_everything_the_package_needs_comes_as_wheels(python: str) -> None:
    uv_succeeds(
        *("pip", "compile", "--quiet", "--all-extras", "--python-version", python),
        *("--only-binary", ":all:", "pyproject.toml"),
    )


def test_a_bot_of_the_readme_passes_the_type_checker(installed: Installer, version: str) -> None:
    plain = installed("", version)
    (plain.home / "mine.py").write_text(first_bot())
    (plain.home / "wrong.py").write_text(WRONG)
    checked = plain.run("python", "-m", "mypy", "--strict", "mine.py", "wrong.py")
    (error,) = (line for line in checked.stdout.splitlines() if ": error: " in line)
    assert error.startswith("wrong.py:7:")
    assert '"BluffView" has no attribute "hand"' in error
    started = plain.run("python", "mine.py")
    assert (started.returncode, "ARENA_TOKEN" in started.stderr) == (2, True), started.stderr


def test_bots_play_without_a_server(installed: Installer, version: str) -> None:
    play = installed("play", version)
    (play.home / "mine.py").write_text(first_bot())
    arguments = ("honest", "timid", "mine.py", "--matches", "9", "--transcripts", "played.jsonl")
    played = play.run("arena", "play", *arguments)
    assert played.returncode == 0, played.stderr
    assert "Bluff: 9 matches" in played.stdout
    verified = play.run("arena", "verify", "played.jsonl")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "9 transcripts" in verified.stdout
    programs = play.run("arena", "play", "python mine.py", "honest", "--matches", "9")
    assert programs.returncode == 0, programs.stderr
    assert "Bluff: 9 matches" in programs.stdout


def test_the_arena_plays_and_every_page_shows_what_was_played(
    installed: Installer, version: str
) -> None:
    whole = installed("dashboard", version)
    up = whole.run("arena", "up", "--stop-after", "20", "--no-dashboard", "--port", "0")
    assert up.returncode == 0, up.stdout + up.stderr
    assert "Bluff, 2 seats" in up.stdout
    (whole.home / "pages.py").write_text(Path(__file__).with_name("pages.py").read_text())
    opened = whole.run("python", "pages.py")
    assert opened.returncode == 0, opened.stderr
    pages = json.loads(opened.stdout.splitlines()[-1])
    views = (ROOT / "dashboard" / "arena_dashboard" / "views").glob("*.py")
    assert set(pages) == {view.stem for view in views}
    assert {name: page["errors"] for name, page in pages.items() if page["errors"]} == {}
    # Whichever sample bots connected first; the command's own leaderboard names them.
    rated = [bot for bot in ("bayes", "honest", "random", "timid") if f" {bot} 1 " in up.stdout]
    assert len(rated) >= 2, up.stdout
    leaderboard = "".join(pages["leaderboard"]["tables"])
    assert [bot for bot in rated if bot not in leaderboard] == []
    assert first_bot().strip() in {text.strip() for text in pages["submit"]["texts"]}


@pytest.mark.parametrize(
    ("extra", "command", "missing"),
    [
        ("", "play honest timid", "play"),
        ("", "leaderboard", "server"),
        ("", "tournament list", "server"),
        ("", "up --no-dashboard", "server"),
        ("", "up", "dashboard"),
        ("play", "up --no-dashboard", "server"),
        ("play", "bot list --operator", "server"),
        ("play", "test --connected a b", "server"),
        ("play", "verify 00000000-0000-4000-8000-000000000000", "server"),
        ("server", "up", "dashboard"),
        ("server", "dashboard", "dashboard"),
    ],
)
def test_a_command_says_which_extra_it_lacks(
    installed: Installer, extra: str, command: str, missing: str
) -> None:
    ended = installed(extra, newest()).run("arena", *command.split())
    assert ended.returncode == 2
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert f"pip install 'bluff-arena[{missing}]'" in line


def test_what_a_bot_lacks_is_not_taken_for_an_extra(installed: Installer) -> None:
    play = installed("play", newest())
    (play.home / "heavy.py").write_text("import pandas\n")
    ended = play.run("arena", "play", "heavy.py", "honest")
    assert ended.returncode == 2
    assert "heavy.py cannot be loaded: ModuleNotFoundError" in ended.stderr
    assert "pip install" not in ended.stderr
