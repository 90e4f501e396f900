"""Any page: without a database, on an empty one, and opened by a link to what is not there."""

import pytest

from tests.dashboard.conftest import Filler
from tests.dashboard.pages import (
    component,
    open_page,
    texts,
)


def test_without_a_database_the_page_says_how_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_DATABASE_URL", raising=False)
    app = open_page("leaderboard")
    assert not app.exception
    assert "make up" in texts(app)


def test_an_unreachable_database_is_reported_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    app = open_page("leaderboard")
    assert not app.exception
    assert "The database does not answer" in texts(app)


@pytest.mark.slow
def test_a_database_of_another_release_is_reported_in_a_sentence(
    empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", empty_database)
    app = open_page("leaderboard")
    assert not app.exception
    assert "The database is not of this release" in texts(app)


def test_a_malformed_url_is_reported_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", "mysql://nothing")
    assert "ARENA_DATABASE_URL is malformed" in texts(open_page("leaderboard"))


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        *((page, "No match has been played yet") for page in ("leaderboard", "matches", "replay")),
        ("submit", "Submit a bot"),
        ("my_bots", "My bots"),
        ("organise", "Organise"),
        ("play", "This dashboard cannot let people play"),
    ],
)
def test_an_empty_arena_shows_a_friendly_page(arena: str, page: str, sentence: str) -> None:
    app = open_page(page)
    assert not app.exception
    assert sentence in texts(app)


def test_links_to_every_page_are_followed_without_reloading(filled: Filler) -> None:
    filled(blocks=1)
    shell = component(open_page("matches"), "shell")
    assert {"", "bot", "matches", "replay", "head-to-head"} <= set(shell["paths"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "query", "sentence"),
    [
        ("history", {"bots": "alpha 1,nobody"}, "There is no bot “nobody” here."),
        ("history", {"bots": "nobody,none 2"}, "There is no bot “nobody, none 2” here."),
        ("leaderboard", {"bot": "nobody"}, "There is no bot “nobody”."),
        ("head_to_head", {"bot": "nobody"}, "There is no bot “nobody”."),
        ("matches", {"sort": "oddest"}, "There is no order “oddest” here."),
        ("matches", {"since": "yesterday"}, "“yesterday” is not a date such as 2026-03-04."),
        ("matches", {"faults": "yes"}, "“yes” is neither 1 nor 0, the values of faults."),
        ("matches", {"pairing": "2.1"}, "A round and table need a tournament: choose one, too."),
        ("head_to_head", {"check": "on"}, "“on” is neither 1 nor 0, the values of check."),
        ("replay", {"analysis": "on"}, "“on” is neither 1 nor 0, the values of analysis."),
        ("replay", {"view": "7"}, "There is no viewpoint “7” here."),
        ("bot", {"bot": "alpha", "faults": "99"}, "This bot has no version “99”."),
    ],
)
def test_what_a_link_names_and_there_is_not_is_told(
    filled: Filler, page: str, query: dict[str, str], sentence: str
) -> None:
    filled(blocks=1)
    app = open_page(page, **query)
    assert not app.exception
    assert sentence in texts(app)


def test_the_last_day_that_there_is_ends_no_list_of_matches(arena: str) -> None:
    app = open_page("matches", until="9999-12-31")
    assert not app.exception
    assert "“9999-12-31” is not a date such as 2026-03-04." in texts(app)


@pytest.mark.slow
def test_a_link_that_names_what_there_is_warns_of_nothing(filled: Filler) -> None:
    filled(blocks=1)
    for page, query in (
        ("history", {"bots": "alpha 1"}),
        ("history", {"bots": ""}),
        ("leaderboard", {"bot": "alpha"}),
        ("matches", {"sort": "closest", "since": "2026-01-01"}),
        ("replay", {"view": "1"}),
        ("bot", {"bot": "alpha", "faults": "1"}),
    ):
        assert not open_page(page, **query).warning
