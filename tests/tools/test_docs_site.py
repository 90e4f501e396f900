"""The documentation site is built of the checkout's pages, and no link of it is broken."""

import re
from pathlib import Path, PurePosixPath

import pytest

from tools import docs_site

MARKDOWN_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)\s#]+)")
LINK = re.compile(r"""(?:href|src)="?(?!https?:|mailto:|data:|#)([^"\s>#?]+)""")


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("README.md", "index.md"),
        ("docs/games/bluff.md", "games/bluff.md"),
        ("sample_bots/go/README.md", "source/sample_bots/go/README.md"),
        ("arena/cli.py", "source/arena/cli.py.txt"),
    ],
)
def test_pages_have_short_addresses_and_sources_are_shown(source: str, place: str) -> None:
    assert docs_site.place(PurePosixPath(source)) == PurePosixPath(place)


def test_links_follow_what_they_lead_to_and_code_stays_as_it_is() -> None:
    text = (
        "[a](../README.md#run-it) [b](protocol.md) [c](../proto/arena/v1/) <https://x.example>\n"
        "[d](../arena/games/game.py) [e](#here)\n```\n[f](../README.md)\n```\n"
    )
    assert docs_site.rewritten(PurePosixPath("docs/submit.md"), text) == (
        "[a](index.md#run-it) [b](protocol.md) c <https://x.example>\n"
        "[d](source/arena/games/game.py.txt) [e](#here)\n```\n[f](../README.md)\n```\n"
    )


def test_a_link_to_a_missing_file_is_named_with_its_page() -> None:
    text = "[a](protocol.md) [b](absent.md)"
    with pytest.raises(SystemExit, match=r"^docs/submit\.md links to docs/absent\.md"):
        list(docs_site.targets(PurePosixPath("docs/submit.md"), text))


def test_every_page_has_one_place_in_the_menu() -> None:
    menu = (docs_site.ROOT / "docs/zensical.toml").read_text()
    docs = docs_site.ROOT / "docs"
    pages = ["index.md", "source/CONTRIBUTING.md", "source/CHANGELOG.md"]
    pages += [page.relative_to(docs).as_posix() for page in docs.rglob("*.md")]
    assert sorted(re.findall(r'"([^"]+\.md)"', menu)) == sorted(pages)


@pytest.mark.slow
def test_every_link_of_the_site_leads_somewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    monkeypatch.setattr("sys.argv", ["docs_site", str(site)])
    docs_site.main()
    assert (site / "protocol/index.html").exists()
    listed = re.findall(r"\]\(([^)]+)\)", (site / "llms.txt").read_text())
    assert {"skill.md", "llms-full.txt", "protocol.md", "games/bluff.md"} <= set(listed)
    assert all((site / page).exists() for page in listed)
    assert "# From nothing to a rated bot" in (site / "llms-full.txt").read_text()
    broken = {
        (page.relative_to(site).as_posix(), link)
        for page in site.rglob("*.html")
        for link in LINK.findall(page.read_text())
        if page.name != "404.html" and not (page.parent / link).exists()
    }
    broken |= {
        (page.relative_to(site).as_posix(), link)
        for page in site.rglob("*.md")
        for link in MARKDOWN_LINK.findall(docs_site.CODE.sub("", page.read_text()))
        if not (page.parent / link).is_file()
    }
    assert broken == set()
