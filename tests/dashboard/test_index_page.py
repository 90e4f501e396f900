"""What those see of a page who run no scripts."""

import pytest

from arena_dashboard.index_page import (
    DESCRIPTION,
    NEEDED,
    STREAMLITS,
    TITLES,
    index_page,
    modules,
    streamlits_html,
)


@pytest.mark.parametrize("path", TITLES)
def test_every_page_has_its_title_and_the_description_in_its_html(path: str) -> None:
    page = index_page(path)
    assert f"<title>{TITLES[path]} · Bluff Arena</title>" in page
    assert f'<meta name="description" content="{DESCRIPTION}" />' in page
    assert f'<meta property="og:title" content="{TITLES[path]} · Bluff Arena" />' in page


def test_all_else_of_streamlits_html_stays() -> None:
    before, _, after = streamlits_html().partition(STREAMLITS)
    assert after, "Streamlit has another title: index_page does not find it"
    assert index_page("").startswith(before) and index_page("").endswith(after)


def test_modules_that_every_page_needs_are_named_with_what_they_import() -> None:
    assert [one.partition(".")[0] for one in modules()][: len(NEEDED)] == list(NEEDED)
    assert len(set(modules())) == len(modules())
    assert all(f"static/js/{one}" in index_page("") for one in modules())
