"""The pages' server gives out the arena's own wheel, under its name alone."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena.home.wheel import wheel, wheel_name
from arena_dashboard import sdk


def test_the_wheel_is_served_under_the_name_by_which_installers_know_it() -> None:
    client = TestClient(Starlette(routes=sdk.ROUTES))
    answer = client.get(f"/download/{wheel_name()}")
    assert answer.content == wheel()
    assert answer.headers["Cache-Control"] == "no-cache"
    other = client.get("/download/bluff_arena-9.9-py3-none-any.whl")
    assert other.status_code == 404
    assert wheel_name() in other.text


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
