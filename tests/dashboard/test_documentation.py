"""The documentation site is served below `/docs/` where it is built, and nothing beside it."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena_dashboard.serving import documentation, secure_app

PAGE = "<h1>The protocol</h1><script>var a = 1</script><script>var b = 2</script>"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(documentation, "FOLDER", tmp_path / "docs")
    for one in (documentation.pages, secure_app.documentation_headers):
        one.cache_clear()
    return TestClient(Starlette(routes=documentation.ROUTES), follow_redirects=True)


def test_a_site_that_is_not_built_is_a_sentence(client: TestClient) -> None:
    answer = client.get("/docs/protocol/")
    assert (answer.status_code, "make docs" in answer.text) == (404, True)


def test_pages_are_served_and_no_file_beside_them(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the operator")
    (tmp_path / "docs/protocol").mkdir(parents=True)
    for page in ("index.html", "protocol/index.html"):
        (tmp_path / "docs" / page).write_text(PAGE)
    assert client.get("/docs").text == client.get("/docs/protocol/").text == PAGE
    for path in ("/docs/../secret", "/docs/%2e%2e/secret", "/docs//secret", "/docs/nosuch"):
        assert "operator" not in client.get(path).text
        assert client.get(path).status_code == 404


def test_programs_are_told_where_the_arena_is_and_which_pages_there_are(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/llms.txt").status_code == 404
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/llms.txt").write_text("# Bluff Arena\n\n- [Play](play.md): it.\n")
    monkeypatch.setenv("ARENA_PUBLIC_ADDRESS", "arena.example:50051")
    told = client.get("/llms.txt").text
    assert told == client.get("/docs/llms.txt").text
    assert told.startswith(
        "# Bluff Arena\n\nThis arena:\n\n- `ARENA_DASHBOARD=http://testserver`\n"
    )
    assert "- `ARENA_ADDRESS=arena.example:50051`\n" in told
    assert "- [Play](http://testserver/docs/play.md): it." in told
    assert client.get("/llms-full.txt").url.path == "/docs/llms-full.txt"


def test_the_scripts_of_its_pages_and_no_others_may_run(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.html").write_text(PAGE * 2)
    policy = secure_app.headers_for("/docs/", "")["Content-Security-Policy"]
    assert policy.count("'sha256-") == 2
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert "frame-ancestors 'none'" in policy
