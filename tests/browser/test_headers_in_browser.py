"""What the dashboard allows a browser to do with its pages, and what a real one makes of it."""

import urllib.request
from urllib.error import HTTPError

from playwright.sync_api import Browser, Response

from arena_dashboard.secure_app import HEADERS
from tests.browser.conftest import PATIENCE_MS, Site


def test_every_response_says_what_a_browser_may_do_with_it(site: Site) -> None:
    for path in ("/", "/replay", "/_stcore/health", "/static/no-such-file.js"):
        try:
            with urllib.request.urlopen(f"{site.address}{path}") as response:
                headers = response.headers
        except HTTPError as error:
            headers = error.headers
        assert {name: headers[name] for name in HEADERS} == HEADERS, path


def test_a_script_smuggled_into_a_page_is_not_run(site: Site, browser: Browser) -> None:
    context = browser.new_context(base_url=site.address)
    page = context.new_page()
    page.goto("/leaderboard")
    smuggle = """() => {
        const script = document.createElement("script");
        script.textContent = "window.smuggled = true";
        document.body.append(script);
        return window.smuggled === true;
    }"""
    assert page.evaluate(smuggle) is False
    page.goto("about:blank")
    assert page.evaluate(smuggle) is True  # it would have run
    context.close()


def test_a_browser_keeps_the_files_of_the_player(site: Site, browser: Browser) -> None:
    context = browser.new_context(base_url=site.address)
    page = context.new_page()
    kept: dict[str, str] = {}

    def note(response: Response) -> None:
        if "/bidi-components/bluff-arena." in response.url:
            kept[response.url] = response.headers.get("cache-control", "")

    page.on("response", note)
    page.goto(f"/replay?match={site.matches[0].transcript.setup.match_id}")
    page.locator(".player svg.table g.seat").first.wait_for(timeout=PATIENCE_MS)
    context.close()
    assert len(kept) > 10
    assert {one for one in kept.values() if "immutable" not in one} == set()
