"""The page "Home" with empty, small and large data, and without a referee."""

import asyncio

import pytest

from arena.scheduling.formats import FormatName
from arena_dashboard.home import home_tables
from tests.dashboard.conftest import Filler
from tests.dashboard.cups import hold
from tests.dashboard.pages import html, ladder_bots, open_page, texts
from tests.dashboard.played import anyhow


def test_an_empty_arena_says_how_to_begin(arena: str) -> None:
    app = open_page("home")
    assert not app.exception
    assert "No match has been played yet" in texts(app)
    assert "0.0</b> matches a second" in html(app)


def test_home_shows_the_top_of_each_ladder_and_remarkable_matches(filled: Filler) -> None:
    filled(blocks=10)
    filled(blocks=4, game="bluff_you", seats=3)
    app = open_page("home")
    assert not app.exception
    page = html(app)
    assert "Bluff, 2 seats" in page and "Bluff You!, 3–4 seats" in page
    assert 'href="leaderboard?game=bluff_you' in page
    # The matches of these tests are older than a day.
    assert "Boldest bluffs of the latest matches" in page
    assert "Closest of the latest matches" in page
    assert page.count("Replay</a>") == 6


def test_a_running_tournament_is_listed(arena: str) -> None:
    names = ("honest", "alpha", "beta", "gamma")
    asyncio.run(hold(arena, "cup", FormatName.ROUND_ROBIN, names, most_blocks=3))
    page = html(open_page("home"))
    assert 'href="tournaments?name=cup"' in page


@pytest.mark.slow
def test_many_ladders_show_only_the_first_ones(filled: Filler) -> None:
    for dice in range(2, 10):
        filled(blocks=1, seed=dice, dice_per_player=dice, policies=[("a", anyhow), ("b", anyhow)])
    page = html(open_page("home"))
    assert page.count("The best") + page.count("of the best") == 6


@pytest.mark.slow
@pytest.mark.parametrize("query", [{"game": "bluff"}, {"seats": "2-2"}, {"score": "winner"}])
def test_a_link_to_the_leaderboard_of_an_earlier_release_still_leads_there(
    filled: Filler, query: dict[str, str]
) -> None:
    filled(blocks=3)
    app = open_page("home", **query)
    assert not app.exception
    assert len(ladder_bots(app)) == 3


def test_a_referee_that_does_not_answer_is_named_in_a_sentence(
    filled: Filler, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(blocks=3)
    monkeypatch.setenv("ARENA_ADDRESS", "127.0.0.1:1")
    app = open_page("home")
    assert not app.exception
    assert "The referee does not answer" in html(app)
    assert "Bluff, 2 seats" in html(app)


def test_without_an_address_nothing_is_said_of_a_referee() -> None:
    assert "referee" not in home_tables.now(1.0, None, known=False)
    assert "does not answer" in home_tables.now(None, None, known=True)
