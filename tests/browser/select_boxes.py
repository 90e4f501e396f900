"""Choosing from a select box of a page."""

from contextlib import suppress

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as NotThereError


def choose(page: Page, label: str, option: str = "") -> None:
    """Choose an option of a select box by its words, or the first that it offers."""
    box = page.get_by_role("combobox", name=label)
    offered = page.get_by_role("option", name=option).filter(visible=True).first
    # The list closes when the page moves, as it does while what holds the box unfolds.
    for _ in range(5):
        box.click()
        with suppress(NotThereError):
            offered.click(timeout=3000)
            return
    offered.click()
