"""What axe-core, which knows what bars people from a page, finds on it."""

import json
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

AXE = Path(__file__).parents[2] / "dashboard/node_modules/axe-core/axe.min.js"

needs_axe = pytest.mark.skipif(not AXE.exists(), reason="`make check-javascript` installs axe-core")


SETTLES_MS = 500
"""Colours change within that time."""
SCHEMES: dict[Literal["light", "dark"], str] = {
    "light": "rgb(251, 250, 247)",
    "dark": "rgb(21, 23, 28)",
}
"""The background of a page by what the visitor's system prefers."""


def assert_nothing_serious_in_light_and_dark(page: Page, within: str = "document") -> None:
    """The same in both colour schemes, into which the page changes as the system does."""
    for scheme, background in SCHEMES.items():
        page.emulate_media(color_scheme=scheme)
        expect(page.locator(".stApp")).to_have_css("background-color", background)
        page.wait_for_timeout(SETTLES_MS)
        assert_nothing_serious(page, within)


def assert_nothing_serious(page: Page, within: str = "document") -> None:
    """No finding on the page, or on a part of it (a context of axe), is serious or critical."""
    page.evaluate(AXE.read_text())  # not as a script tag: the security policy forbids those
    found = page.evaluate(f"axe.run({within}, {{resultTypes: ['violations']}})")
    serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
    assert serious == [], json.dumps(
        [(one["id"], [node["html"] for node in one["nodes"]][:5]) for one in serious], indent=1
    )
