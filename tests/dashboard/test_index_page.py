"""What those see of a page who run no scripts."""

import pytest

from arena_dashboard.serving.index_page import (
    BASE,
    DESCRIPTION,
    NEEDED,
    NEEDED_BY,
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
    head, _, body = after.partition("</head>")
    assert head, "Streamlit has another title: index_page does not find it"
    assert body, "Streamlit's HTML has another head: index_page does not find its end"
    page = index_page("")
    start, _, end = body.partition("<body>")
    assert end, "Streamlit's HTML has another body: index_page does not find its beginning"
    assert page.startswith(before) and head in page
    assert f"</head>{start}<body>" in page and page.endswith(end)


@pytest.mark.parametrize("path", TITLES)
def test_the_style_is_there_before_anything_is_shown(path: str) -> None:
    page = index_page(path)
    assert page.find("</head>") < page.find(".ba-table {") < page.find('<div id="root">')


def test_streamlit_is_told_where_its_server_is_before_its_script_runs() -> None:
    for path in TITLES:
        assert 0 < index_page(path).find(BASE) < index_page(path).find('<script type="module"')


def test_what_a_page_needs_besides_is_loaded_after_what_streamlit_begins_with() -> None:
    page = index_page("replay")
    assert page.find('<script type="module"') < page.find('fetchpriority="low"')
    assert page.count('fetchpriority="low"') > len(modules("replay"))


@pytest.mark.parametrize("path", TITLES)
def test_modules_that_a_page_needs_are_named_with_what_they_import(path: str) -> None:
    needed = (*NEEDED, *NEEDED_BY.get(path, ()))
    found = modules(path)
    assert [one.partition(".")[0] for one in found[: len(needed)]] == list(needed)
    assert len(set(found)) == len(found)
    assert all(f"static/js/{one}" in index_page(path) for one in found)
