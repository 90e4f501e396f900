"""How far what is on a page moves while the page fills: what Chromium counts as layout shifts, but
for those that a visitor's input has as its answer."""

from typing import Final

from playwright.sync_api import Page, expect

MOST: Final = 0.1
"""Up to which https://web.dev/articles/cls calls a page's score good."""
_LISTEN: Final = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    const moved = entry.sources.map(({ node, previousRect: a, currentRect: b }) => {
      const of = node instanceof Element ? node : node?.parentElement;
      return `${of?.className}: ${Math.round(a.y)} to ${Math.round(b.y)}`;
    });
    window.shifts.push({ far: entry.value, moved });
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def listen(page: Page) -> None:
    """Count the shifts of all that the tab opens from now on."""
    page.add_init_script(_LISTEN)


def filled(page: Page) -> None:
    """Wait until the page has drawn all that it shows."""
    expect(page.get_by_label("Theme")).to_be_visible()
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.wait_for_load_state("networkidle")


def moved(page: Page) -> tuple[float, list[str]]:
    """How far all has moved together, and what moved."""
    found = page.evaluate("window.shifts")
    far = round(sum(one["far"] for one in found), 3)
    return far, [f"{one['far']:.3f} {one['moved']}" for one in found if one["far"] > 0.01]
