"""The leaderboard on a real database: its ladders, and what stands beside a rating."""

from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from arena.commands.results.keep_analyses import keep_missing
from arena.lab.analysis import analyse, analyse_bot, solved_shares_of
from arena.lab.deception import BotMatch, Share, deception_of
from arena.match.clock import TimeControl
from arena.server.results.bluffing import bluffing_of
from tests.dashboard.conftest import Filler
from tests.dashboard.pages import (
    component,
    html,
    ladder_bots,
    open_page,
    texts,
)


@pytest.mark.slow
def test_the_leaderboard_ranks_the_bots_and_measures_from_honest(filled: Filler) -> None:
    filled(blocks=30)
    app = open_page("leaderboard")
    assert not app.exception
    # Which of the other two is better, luck decides after so few matches.
    assert ladder_bots(app)[-1] == "beta" and len(ladder_bots(app)) == 3
    assert "60 rated matches at 2 seats" in texts(app)
    assert "measured from honest 1 = 1500" in texts(app)


@pytest.mark.slow
def test_the_luck_adjusted_elo_has_a_column_of_its_own_that_says_what_it_is(
    filled: Filler,
) -> None:
    filled(blocks=40)
    filled(game="bluff_you", blocks=40)
    # No column before there is luck to go by.
    filled(game="bloeff", blocks=2)
    app = open_page("leaderboard", game="bluff")
    assert not app.exception
    assert component(app, "ladder")["adjusted"]
    assert "as measured by bluff_1.json" in texts(app)
    assert "by bluff_you_1.json" in texts(open_page("leaderboard", game="bluff_you"))
    app = open_page("leaderboard", game="bloeff")
    assert not component(app, "ladder")["adjusted"]
    assert "Luck-adjusted" not in texts(app)


@pytest.mark.slow
def test_the_leaderboard_of_the_url_is_shown(filled: Filler) -> None:
    filled(blocks=4)
    filled(blocks=3, seats=3)
    filled(blocks=3, seats=3, game="bloeff")
    assert "9 rated matches at 3–4 seats" in texts(open_page("leaderboard", seats="3-4"))
    app = open_page("leaderboard", game="bloeff")
    assert "9 rated matches at 3–4 seats" in texts(app)
    assert "the mean of all bots is 1500" in texts(app)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"game": "chess"}, "There is no game “chess” here."),
        ({"seats": "12-12"}, "There is no table of “12-12” here."),
        ({"options": '{"no": 1}'}, 'There is no variant “{"no": 1}” here.'),
        ({"game": "x" * 200}, f"There is no game “{'x' * 60}…” here."),
    ],
)
def test_a_link_to_a_ladder_that_does_not_exist_says_so(
    filled: Filler, query: dict[str, str], sentence: str
) -> None:
    filled(blocks=2)
    app = open_page("leaderboard", **query)
    assert not app.exception
    assert sentence in texts(app) and "Shown instead" in texts(app)


@pytest.mark.slow
def test_the_tabs_of_a_ladder_keep_game_options_and_seats(filled: Filler) -> None:
    filled(blocks=2)
    filled(blocks=2, seats=3)
    for page in ("leaderboard", "head_to_head", "history"):
        tabs = html(open_page(page, seats="3-4"))
        for path in ("leaderboard", "head-to-head", "history"):
            assert f'href="{path}?game=bluff&amp;options=%7B%7D&amp;seats=3-4' in tabs


def test_variants_have_ladders_of_their_own(filled: Filler) -> None:
    filled(blocks=2)
    filled(blocks=3, show_and_reroll=True)
    app = open_page("leaderboard")
    assert "4 rated matches" in texts(app)
    app = open_page("leaderboard", options='{"show_and_reroll": true}')
    assert "6 rated matches" in texts(app)


@pytest.mark.slow
def test_time_controls_have_ladders_of_their_own(filled: Filler) -> None:
    filled(blocks=3, time_control=TimeControl(500, 30_000))
    filled(blocks=2)
    slow = filled(blocks=4, time_control=TimeControl(60_000, 600_000))
    app = open_page("leaderboard")
    assert "4 rated matches" in texts(app)
    app = open_page("leaderboard", time="turn=60s,bank=10m")
    assert "8 rated matches" in texts(app)
    assert "time=turn%3D60s%2Cbank%3D10m" in html(app)
    ratings = html(open_page("bot", bot="alpha"))
    assert "Bluff, 2 seats, 60s a turn, 10m in the bank" in ratings
    assert "60s a turn, 10m in the bank" in html(open_page("matches"))
    match_id = slow[0].transcript.setup.match_id
    assert "60s a turn, 10m in the bank" in html(open_page("replay", match=match_id))


def headings(app: AppTest) -> list[str]:
    return [one.value for one in app.subheader]


@pytest.mark.slow
def test_what_decisions_cost_is_on_the_board_and_on_the_page_of_a_bot(filled: Filler) -> None:
    matches = filled(blocks=8)
    filled(game="bloeff", blocks=1)
    assert "Mean loss" not in texts(open_page("leaderboard", game="bloeff"))
    before = open_page("bot", bot="beta")
    assert "None of its newest 400 matches has been analysed here" in texts(before)
    assert any("arena analyse --bot beta" in one.value for one in before.code)
    board = component(open_page("leaderboard"), "ladder")
    assert not board["losses"] and {row[20] for row in board["rows"]} == {None}
    assert "arena analyse --missing" in texts(open_page("leaderboard"))
    st.cache_resource.clear()
    keep_missing(seats=None, jobs=1, follow=False)
    board = component(open_page("leaderboard"), "ladder")
    sums = {
        bot: analyse_bot(
            seat
            for match in map(analyse, (one.transcript for one in matches))
            for entrant, seat in zip(match.transcript.setup.entrants, match.seats, strict=True)
            if entrant.bot == bot
        )
        for bot in ("honest", "alpha", "beta")
    }
    for row in board["rows"]:
        found = sums[row[4]]
        assert found is not None
        assert row[20] == pytest.approx([100 * x for x in found.loss], abs=0.006)
    app = open_page("bot", bot="beta")
    assert not app.exception
    assert "Decisions" in headings(app)
    assert sums["beta"] is not None and sums["beta"].leak is not None
    assert sums["beta"].leak.in_words in html(app)
    assert "<dt>Distance</dt>" in html(app)
    told = deception_of(
        BotMatch(one.deal, one.of("beta"), solved_shares_of(match.transcript))
        for match in matches
        if (one := bluffing_of(match.transcript)).of("beta")
    )
    assert told is not None
    for row in told.rows:
        assert row.equilibrium is not None
        cells = (row.situation.name, f"{row.bluffs.of:,}", _told(row.bluffs))
        solved = f"{row.equilibrium.solved_bluffs:.0%}"
        assert "".join(_cells(*cells, solved)) in html(app)


def _told(found: Share) -> str:
    return f"{found.share:.0%} ({found.low:.0%}–{found.high:.0%})"


def _cells(head: str, *cells: str) -> Iterator[str]:
    yield f'<th scope="row" class="ba-roomy">{head}</th>'
    for cell in cells:
        yield f'<td class="ba-number">{cell}</td>'
