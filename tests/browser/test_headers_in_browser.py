"""What the dashboard allows a browser to do with its pages, and what a real one makes of it."""

import re
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.error import HTTPError

from playwright.sync_api import Browser, Page, Response, expect

from arena_dashboard.serving.secure_app import HEADERS
from tests.browser.conftest import PATIENCE_MS, Site, dashboard


def test_every_response_says_what_a_browser_may_do_with_it(site: Site) -> None:
    for path in (
        *("/", "/replay", "/replay?embed=0", "/submit?embed=1"),
        *("/_stcore/health", "/static/no-such-file.js"),
    ):
        try:
            with urllib.request.urlopen(f"{site.address}{path}") as response:
                headers = response.headers
        except HTTPError as error:
            headers = error.headers
        assert {name: headers[name] for name in HEADERS} == HEADERS, path


def test_a_shared_link_has_a_title_and_a_description_without_any_script(site: Site) -> None:
    for path in ("/", "/replay?match=x", "/bot?bot=alpha"):
        with urllib.request.urlopen(f"{site.address}{path}") as response:
            page = response.read().decode()
        assert "Bluff Arena</title>" in page and 'property="og:description"' in page


def test_at_an_address_without_a_page_a_visitor_finds_the_way_to_one(page: Page) -> None:
    answer = page.goto("/bots")
    assert answer is not None and answer.status == 404
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    page.get_by_role("link", name="Bots").click()
    expect(page.get_by_role("heading", name="Bots")).to_be_visible()
    expect(page.get_by_text("Page not found")).to_have_count(0)


FRAME = b"<!doctype html><title>Elsewhere</title><iframe width=800 height=700 src='%s'></iframe>"


@contextmanager
def elsewhere(page: bytes) -> Iterator[str]:
    """The address of another site, which has one page."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_another_site_frames_the_player_and_no_other_page(site: Site, browser: Browser) -> None:
    match = site.matches[0].transcript.setup.match_id
    context = browser.new_context()
    page = context.new_page()
    player = f"{site.address}/replay?match={match}&step=2&embed=1"
    with elsewhere(FRAME % player.encode()) as address:
        page.goto(address)
        frame = page.frame_locator("iframe")
        expect(frame.locator(".player svg.table g.seat").first).to_be_visible(timeout=PATIENCE_MS)
        # What the player links to is shown beside the other site, not in it.
        with context.expect_page() as opened:
            frame.locator("a[href^='bot?']").first.click()
        expect(opened.value.locator("h1")).to_be_visible(timeout=PATIENCE_MS)
        assert "/bot?bot=" in opened.value.url
        expect(frame.locator(".player svg.table g.seat").first).to_be_visible()
    whole = f"{site.address}/replay?match={match}"
    with (
        elsewhere(FRAME % whole.encode()) as address,
        page.expect_console_message(lambda said: "frame-ancestors" in said.text),
    ):
        page.goto(address)
    context.close()


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


def test_what_the_html_of_the_player_names_is_there_before_any_page_was_seen(
    site: Site,
) -> None:
    assert site.matches
    with dashboard(site.database) as address:
        with urllib.request.urlopen(f"{address}/replay") as response:
            html = response.read().decode()
        named_there = re.findall(r'"\./(_stcore/bidi-components/[^"]+)"', html)
        assert {"css", "js"} == {one.rpartition(".")[2] for one in named_there}
        for name in named_there:
            with urllib.request.urlopen(f"{address}/{name}") as response:
                assert response.read(), name


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
