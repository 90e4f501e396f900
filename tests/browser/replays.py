"""Opening a replay in a browser, and where its player is."""

from playwright.sync_api import Page, expect

from arena.records import FinishedMatch


def watch(page: Page, match: FinishedMatch, query: str = "") -> None:
    """Open the replay of a match and wait for its table."""
    page.goto(f"/replay?match={match.transcript.setup.match_id}{query}")
    expect(page.locator(".player svg.table g.seat").first).to_be_visible()


def at_step(page: Page, step: int) -> None:
    expect(page.locator(".entry[aria-current] .number")).to_have_text(str(step))
