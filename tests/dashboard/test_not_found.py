"""An address without a page is answered so; whatever else Streamlit serves stays Streamlit's."""

import re
from urllib.parse import urljoin, urlsplit

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.web.server.starlette.starlette_static_routes import (
    create_streamlit_static_assets_routes,
)

from arena_dashboard.index_page import ROUTES, TITLES
from arena_dashboard.not_found import LINKED, NotFound
from arena_dashboard.static_files import paths


@pytest.fixture
def client() -> TestClient:
    """The pages' addresses, and Streamlit's own files, with its answer to all else."""
    streamlits = create_streamlit_static_assets_routes(base_url=None)
    return TestClient(NotFound(Starlette(routes=[*ROUTES, *streamlits])))


@pytest.mark.parametrize("path", ["/bots", "/boards?game=bluff", "/bot/alpha", "/bots/", "/a/b.js"])
def test_an_address_without_a_page_is_not_found_and_shows_where_the_pages_are(
    client: TestClient, path: str
) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert f"<code>{path.partition('?')[0].rstrip('/')}</code>" in answer.text
    hrefs = re.findall(r'href="([^"]+)"', answer.text)
    linked = [urlsplit(urljoin(str(answer.url), href)).path for href in hrefs]
    assert linked == [f"/{one}" for one in LINKED]
    assert "<script" not in answer.text


def test_what_was_asked_for_is_shown_as_text(client: TestClient) -> None:
    answer = client.get("/<img src=x onerror=alert(1)>")
    assert answer.status_code == 404
    assert "&lt;img src=x" in answer.text and "<img src=x" not in answer.text


@pytest.mark.parametrize("path", TITLES)
def test_a_page_is_no_such_address(client: TestClient, path: str) -> None:
    answer = client.get(f"/{path}")
    assert answer.status_code == 200 and f"<title>{TITLES[path]} ·" in answer.text


def test_streamlits_files_stay_what_they_are(client: TestClient) -> None:
    for path in ("favicon.png", f"static/{min(paths())}"):
        answer = client.get(f"/{path}")
        assert answer.status_code == 200 and "Page not found" not in answer.text
