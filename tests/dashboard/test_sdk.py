"""The pages' server gives out the arena's own wheel, under its name alone; or says why not."""

import asyncio
import os
import subprocess
import sys
import sysconfig
import urllib.request
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from structlog.testing import capture_logs

from arena.local.wheel import wheel_name
from arena.records import SignUp
from arena_dashboard.serving import sdk
from tests.dashboard_server import answering, listening
from tests.free_port import free_port
from tests.scene import opened

ROOT = Path(__file__).parents[2]

WITHOUT_METADATA = """
from starlette.applications import Starlette
from starlette.testclient import TestClient
from arena_dashboard.serving import sdk
from tests.dashboard.pages import open_page

answer = TestClient(Starlette(routes=sdk.ROUTES)).get("/download/any.whl")
print(answer.status_code, answer.text)
page = open_page("submit")
print("errors", *page.exception, *(warning.value for warning in page.warning))
print(any("arena signup" in code.value for code in page.code))
"""

REGISTERED_WITHOUT_METADATA = """
import sys
from tests.dashboard.pages import open_page

page = open_page("submit")

def enter(label, text, button):
    next(one for one in page.text_input if one.label == label).set_value(text)
    next(one for one in page.button if one.label == button).click()
    page.run()

enter("Your key", sys.argv[1], "Sign in")
for language in ("Python", "Go"):
    page.selectbox[0].set_value(language.lower())
    enter("The bot's name", f"fox in {language}", "Register")
    print(language, *page.exception, *(warning.value for warning in page.warning))
    print(*(one.proto.label for one in page.get("download_button")))
    print(any("export ARENA_TOKEN=" in code.value for code in page.code))
    next(one for one in page.button if one.label == "Register another bot").click()
    page.run()
"""

NO_WHEEL = (
    "bluff-arena runs here without being installed, so there is no wheel of it: in a checkout "
    "`make setup` installs it."
)


@pytest.fixture
def path_alone(tmp_path: Path) -> dict[str, str]:
    """An environment in which Python finds the package on its path, and no metadata of it."""
    others = tmp_path / "site-packages"  # by this name Streamlit knows that it is installed
    others.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith("bluff_arena"):
            (others / entry.name).symlink_to(entry)
    places = (others, ROOT, ROOT / "dashboard", ROOT / "sample_bots" / "python")
    return {"PYTHONPATH": os.pathsep.join(map(str, places))}


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


@pytest.mark.slow
def test_where_the_package_is_on_the_path_alone_the_pages_say_so_and_go_on(
    arena: str, path_alone: dict[str, str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", WITHOUT_METADATA],
        env=os.environ | path_alone | {"ARENA_DATABASE_URL": arena},
        capture_output=True,
        text=True,
    )
    said = [line for line in done.stdout.splitlines() if line]
    assert said == [f"404 {NO_WHEEL}", f"errors {NO_WHEEL}", "True"], done.stderr


@pytest.mark.slow
def test_where_the_package_is_on_the_path_alone_the_pages_are_served(
    arena: str, path_alone: dict[str, str]
) -> None:
    port = free_port()
    program = ["-S", "-m", "arena_dashboard", *listening(port)]
    with (
        answering(program, port, ARENA_DATABASE_URL=arena, **path_alone),
        urllib.request.urlopen(f"http://127.0.0.1:{port}/replay") as page,
    ):
        assert "Bluff Arena" in page.read().decode()


@pytest.mark.slow
async def test_where_there_is_no_wheel_no_python_starter_is_offered_and_all_others_are(
    arena: str, path_alone: dict[str, str]
) -> None:
    with capture_logs():
        async with opened(arena, sign_up=SignUp.OPEN) as scene:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-S", "-c", REGISTERED_WITHOUT_METADATA),
                await scene.key("ann"),
                env=os.environ
                | path_alone
                | {"ARENA_DATABASE_URL": arena, "ARENA_ADDRESS": f"127.0.0.1:{scene.port}"},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            output, errors = await process.communicate()
    assert output.decode().splitlines() == [
        f"Python There is no Python starter to download. {NO_WHEEL} {NO_WHEEL}",
        *("", "True"),
        *(f"Go {NO_WHEEL}", "Download the Go starter", "True"),
    ], errors.decode()


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
