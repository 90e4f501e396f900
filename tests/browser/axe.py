"""What axe-core, which knows what bars people from a page, finds on it."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "dashboard/node_modules/axe-core/axe.min.js"

needs_axe = pytest.mark.skipif(not AXE.exists(), reason="`make check-javascript` installs axe-core")


def assert_nothing_serious(page: Page, within: str = "document") -> None:
    """No finding on the page, or on a part of it (a context of axe), is serious or critical."""
    page.evaluate(AXE.read_text())  # not as a script tag: the security policy forbids those
    found = page.evaluate(f"axe.run({within}, {{resultTypes: ['violations']}})")
    serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
    assert serious == [], json.dumps(
        [(one["id"], [node["html"] for node in one["nodes"]][:5]) for one in serious], indent=1
    )
