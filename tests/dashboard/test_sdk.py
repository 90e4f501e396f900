"""The pages' server gives out the arena's own wheel, under its name alone."""

import os
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena.home.wheel import wheel_name
from arena_dashboard import sdk

ROOT = Path(__file__).parents[2]

WITHOUT_METADATA = """
from starlette.applications import Starlette
from starlette.testclient import TestClient
from arena_dashboard import sdk
from tests.dashboard.pages import open_page

answer = TestClient(Starlette(routes=sdk.ROUTES)).get("/download/any.whl")
print(answer.status_code, answer.text)
page = open_page("submit")
print("errors", *page.exception, *(warning.value for warning in page.warning))
print(any("arena signup" in code.value for code in page.code))
"""


def test_the_wheel_is_served_under_the_name_by_which_installers_know_it() -> None:
    client = TestClient(Starlette(routes=sdk.ROUTES))
    name = f"bluff_arena-{version('bluff-arena')}"
    answer = client.get(f"/download/{name}-py3-none-any.whl")
    assert answer.headers["Cache-Control"] == "no-cache"
    with ZipFile(BytesIO(answer.content)) as archive:
        names = archive.namelist()
        metadata = archive.read(f"{name}.dist-info/METADATA").decode()
    assert f"\nName: bluff-arena\nVersion: {version('bluff-arena')}\n" in metadata
    assert "arena/bot/__init__.py" in names
    packages = {"arena", "arena_dashboard", "arena_sample_bots", f"{name}.dist-info"}
    assert {inside.partition("/")[0] for inside in names} == packages
    other = client.get("/download/bluff_arena-9.9-py3-none-any.whl")
    assert other.status_code == 404
    assert wheel_name() in other.text


def test_where_the_package_is_on_the_path_alone_the_pages_say_so_and_go_on(
    arena: str, tmp_path: Path
) -> None:
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith("bluff_arena"):
            (tmp_path / entry.name).symlink_to(entry)
    places = (tmp_path, ROOT, ROOT / "dashboard", ROOT / "sample_bots" / "python")
    path = os.pathsep.join(map(str, places))
    done = subprocess.run(
        [sys.executable, "-S", "-c", WITHOUT_METADATA],
        env=os.environ | {"PYTHONPATH": path, "ARENA_DATABASE_URL": arena},
        capture_output=True,
        text=True,
    )
    sentence = "bluff-arena is not installed, so there is no wheel of it."
    said = [line for line in done.stdout.splitlines() if line]
    assert said == [f"404 {sentence}", f"errors {sentence}", "True"], done.stderr


@pytest.mark.parametrize(
    ("page", "root"),
    [
        ("http://127.0.0.1:8501/submit", "http://127.0.0.1:8501"),
        ("https://play.example.org/arena/submit?embed=true", "https://play.example.org/arena"),
        (None, "http://127.0.0.1:8501"),
    ],
)
def test_what_installs_it_has_the_address_by_which_the_visitor_came(
    page: str | None, root: str
) -> None:
    expected = f"pip install 'bluff-arena[play] @ {root}/download/{wheel_name()}'"
    assert sdk.install_command("play", page) == expected
