"""The page of tournaments: the list, one of them, and links that lead nowhere."""

import asyncio
import re
import sys

import pytest
from streamlit.testing.v1 import AppTest

from arena.scheduling.formats import FormatName
from arena.tournament.summary import standings
from arena.tournament.tournament import TournamentRecord
from arena_dashboard import tournament_data
from tests.dashboard.cups import hold
from tests.dashboard.pages import html, open_page, texts

BOTS = ("ada", "bea", "cleo", "dora", "emmy", "fay", "gro")


def held(url: str, name: str = "cup", **plan: object) -> TournamentRecord:
    format_name = plan.pop("format_name", FormatName.SWISS)
    bots = plan.pop("bots", BOTS)
    return asyncio.run(hold(url, name, format_name, bots, **plan))  # type: ignore[arg-type]


def cells(app: AppTest, caption: str) -> list[str]:
    """The text of a table's rows."""
    tables = re.findall(r"<table.*?</table>", html(app), re.DOTALL)
    (table,) = [one for one in tables if f">{caption}</caption>" in one]
    rows = re.findall(r"<tr.*?</tr>", table.partition("<tbody>")[2], re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>", " ", row).split()) for row in rows]


def test_without_a_tournament_the_page_says_how_to_make_one(arena: str) -> None:
    app = open_page("tournaments")
    assert not app.exception
    assert "arena tournament create --help" in texts(app)


def test_all_tournaments_are_listed_newest_first_with_their_progress(arena: str) -> None:
    held(arena, "first", format_name=FormatName.KNOCKOUT, bots=BOTS[:4], blocks=1)
    held(arena, "second", format_name=FormatName.ROUND_ROBIN, bots=BOTS[:3], most_blocks=4)
    app = open_page("tournaments")
    assert not app.exception
    assert cells(app, "Tournaments, newest first") == [
        "second running round-robin Bluff 2 seats 3 4 of 6",
        "first finished knockout Bluff 2 seats 4 3 of 3",
    ]
    assert 'href="tournaments?name=second"' in html(app)


def test_one_tournament_shows_its_standings_and_who_meets_whom(arena: str) -> None:
    held(arena, seats=3, blocks=1)
    app = open_page("tournaments", name="cup")
    assert not app.exception
    assert app.title[0].value == "cup"
    page = html(app)
    assert "swiss · Bluff · 3 seats · 1 block by pairing · score placement · unrated" in page
    assert not app.markdown  # nothing is printed that was meant for readers of the code
    standings = cells(app, "Standings")
    assert standings[0].startswith("1 ada 1")
    assert len(standings) == len(BOTS)
    assert "Buchholz: the sum of the opponents" in texts(app)
    assert page.index("Round 3") < page.index("Round 2") < page.index("Round 1")
    first = cells(app, "Round 1")
    assert [row.endswith("1 of 1") for row in first] == [True, True, False]
    assert first[2] == "3 gro 1 bye"


def test_a_tournament_under_way_shows_how_far_it_is(arena: str) -> None:
    held(arena, format_name=FormatName.ROUND_ROBIN, bots=BOTS[:4], most_blocks=5)
    app = open_page("tournaments", name="cup")
    assert not app.exception
    (bar,) = app.get("progress")
    assert bar.proto.text == "5 of 12 blocks"  # type: ignore[attr-defined]
    assert bar.proto.value == 41  # type: ignore[attr-defined]
    assert ">running<" in html(app)


def test_all_visitors_share_what_was_read_and_computed(arena: str) -> None:
    held(arena, format_name=FormatName.ROUND_ROBIN, bots=BOTS[:4], most_blocks=5)
    found = tournament_data.tournament_view("cup")
    assert found is not None
    assert found.standings == standings(found.record)
    assert [one.counted for one in found.pairings] == [
        len(one.blocks) for one in sorted(found.record.played(), key=lambda one: -one.pairing.round)
    ]
    open_page("tournaments", name="cup")
    assert tournament_data.tournament_view("cup") is found


def _page_left_open() -> None:
    import streamlit as st

    from arena_dashboard.tournament_page import show

    runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    show("cup", live=runs == 1)


@pytest.mark.parametrize(("most_blocks", "runs"), [(5, 1), (None, 2)])
def test_a_page_left_open_is_asked_for_once_more_when_it_is_over(
    arena: str, most_blocks: int | None, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A script of its own becomes __main__, which processes started by later tests would run.
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    plan = {"format_name": FormatName.ROUND_ROBIN, "bots": BOTS[:4]}
    held(arena, most_blocks=most_blocks, **plan)
    app = AppTest.from_function(_page_left_open).run()
    assert not app.exception
    assert app.session_state["runs"] == runs
    assert len(cells(app, "Standings")) == 4


def test_who_goes_on_from_a_knockouts_table_and_who_withdrew_are_told(arena: str) -> None:
    bots = BOTS[:6]
    plan = {"format_name": FormatName.KNOCKOUT, "seats": 3, "blocks": 1}
    held(arena, bots=bots, withdrawn=(2,), **plan)
    app = open_page("tournaments", name="cup")
    assert not app.exception
    page = html(app)
    assert "→ ada 1" in page
    assert ">walkover<" in page and ">withdrawn<" in page


def test_a_name_that_is_not_there_shows_the_list(arena: str) -> None:
    held(arena, format_name=FormatName.GAUNTLET, bots=BOTS[:3])
    app = open_page("tournaments", name="nothing")
    assert not app.exception
    assert "There is no such tournament" in texts(app)
    assert len(cells(app, "Tournaments, newest first")) == 1


def test_the_choice_moves_the_url(arena: str) -> None:
    held(arena, format_name=FormatName.GAUNTLET, bots=BOTS[:3])
    app = open_page("tournaments")
    app.selectbox(key="name").select("cup").run()
    assert app.query_params["name"] == "cup"
    assert cells(app, "Standings")[0].startswith("1 ada 1")


@pytest.mark.parametrize("format_name", list(FormatName))
def test_every_format_is_shown(arena: str, format_name: FormatName) -> None:
    held(arena, format_name=format_name, bots=BOTS[:5], blocks=1)
    app = open_page("tournaments", name="cup")
    assert not app.exception
    assert cells(app, "Standings")[0].startswith("1 ada 1")
    assert ">finished<" in html(app)
