"""Streamlit's files are served as they are, compressed where that is asked for; nothing else is."""

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from arena_dashboard.serving.static_files import StaticFiles, paths


@pytest.fixture
def client() -> TestClient:
    async def streamlit(request: object) -> PlainTextResponse:
        del request
        return PlainTextResponse("Streamlit's own answer")

    return TestClient(StaticFiles(Starlette(routes=[Route("/{path:path}", streamlit)])))


@pytest.mark.parametrize("ending", [".js", ".css", ".woff2"])
@pytest.mark.parametrize("accepted", ["gzip, deflate", "identity"])
def test_a_file_is_served_whole(client: TestClient, ending: str, accepted: str) -> None:
    path = min(one for one in paths() if one.endswith(ending))
    for _ in range(2):  # read, and from memory
        answer = client.get(f"/static/{path}", headers={"Accept-Encoding": accepted})
        assert answer.content == paths()[path].read_bytes()
        compressed = "gzip" in accepted and ending != ".woff2"
        assert answer.headers.get("Content-Encoding") == ("gzip" if compressed else None)
        assert answer.headers["Cache-Control"] == "public, immutable, max-age=31536000"
        assert answer.headers["Vary"] == "Accept-Encoding"
    kinds = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}
    assert answer.headers["Content-Type"] == kinds[ending]


@pytest.mark.parametrize(
    "path", ["/static/js/none.js", "/static/%2e%2e/index.html", "/static//etc/passwd"]
)
def test_a_file_that_there_is_not_is_not_found(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404 and "Page not found" in answer.text


@pytest.mark.parametrize("path", ["/static/../index.html", "/replay", "/"])
def test_whatever_is_no_such_file_is_streamlits(client: TestClient, path: str) -> None:
    assert client.get(path).text == "Streamlit's own answer"


def test_only_reading_is_answered(client: TestClient) -> None:
    path = f"/static/{min(paths())}"
    assert client.post(path).status_code == 405
    assert client.head(path).status_code == 200
