"""The page of tournaments: the list, one of them, and links that lead nowhere."""

import asyncio
import re
from datetime import timedelta

import psycopg
import pytest
from streamlit.testing.v1 import AppTest

from arena.scheduling.formats import FormatName
from arena.server.tournaments.summary import standings
from arena.server.tournaments.tournament import TournamentRecord
from arena_dashboard.tournaments import tournament_data
from arena_dashboard.tournaments.tournament_data import PAGE
from arena_dashboard.tournaments.tournament_page import STILL, is_still
from tests.dashboard.cups import hold
from tests.dashboard.pages import component, html, open_page, texts
from tests.databases import plain

ANY_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC")
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
    words = [" ".join(re.sub(r"<[^>]*>", " ", row).split()) for row in rows]
    return [ANY_TIME.sub("TIME", row) for row in words]


def test_without_a_tournament_the_page_says_how_to_make_one(arena: str) -> None:
    app = open_page("tournaments")
    assert not app.exception
    assert "arena tournament create --help" in texts(app)


@pytest.mark.slow
def test_all_tournaments_are_listed_newest_first_with_their_progress(arena: str) -> None:
    held(arena, "first", format_name=FormatName.KNOCKOUT, bots=BOTS[:4], blocks=1)
    held(arena, "second", format_name=FormatName.ROUND_ROBIN, bots=BOTS[:3], most_blocks=4)
    app = open_page("tournaments")
    assert not app.exception
    assert cells(app, "Tournaments, newest first") == [
        "second running round-robin Bluff 2 seats 3 4 of 6 started TIME",
        "first finished knockout ada Bluff 2 seats 4 3 of 3 ended TIME",
    ]
    assert 'href="tournaments?name=second"' in html(app)


def test_the_list_has_the_winner_of_a_tournament_that_was_watched_before_its_end(
    arena: str,
) -> None:
    held(arena, format_name=FormatName.KNOCKOUT, bots=BOTS[:2], blocks=1)
    with psycopg.connect(plain(arena), autocommit=True) as sql:
        (ended,) = sql.execute("SELECT ended_at FROM tournaments").fetchone() or (None,)
        sql.execute("UPDATE tournaments SET state = 'running', ended_at = NULL")
        watched = tournament_data.tournament_view("cup")
        assert watched is not None and watched.winner is None
        sql.execute("UPDATE tournaments SET state = 'finished', ended_at = %s", (ended,))
    for _ in range(2):
        (listed,) = tournament_data.index(None, None).rows
        assert listed.winner is not None and listed.winner.bot == "ada"


def test_a_page_of_the_list_that_cannot_be_is_said(arena: str) -> None:
    app = open_page("tournaments", before="x" * 100)
    assert not app.exception
    assert any("is not a page of this list" in warning.value for warning in app.warning)


@pytest.mark.slow
def test_older_and_newer_tournaments_are_a_link_away(arena: str) -> None:
    for number in range(3 * PAGE // 2):
        held(arena, f"cup{number}", bots=BOTS[:2], most_blocks=0)

    def shown(**asked: str) -> list[int]:
        rows = cells(open_page("tournaments", **asked), "Tournaments, newest first")
        return [int(row.split()[0].removeprefix("cup")) for row in rows]

    def turning(**asked: str) -> dict[str, dict[str, str]]:
        links = re.findall(
            r'href="tournaments\?(\w+)=(\d+)" rel="(\w+)"', html(open_page("tournaments", **asked))
        )
        return {rel: {name: key} for name, key, rel in links}

    every = list(reversed(range(3 * PAGE // 2)))
    assert shown() == every[:PAGE]
    assert list(turning()) == ["next"]
    older = turning()["next"]
    assert shown(**older) == every[PAGE:]
    assert list(turning(**older)) == ["prev"]
    newer = turning(**older)["prev"]
    assert shown(**newer) == every[:PAGE]
    assert list(turning(**newer)) == ["next"]
    assert "There are no further tournaments here." in texts(open_page("tournaments", before="1"))
    assert shown(before="x") == every[:PAGE]


def test_one_tournament_shows_its_standings_and_who_meets_whom(arena: str) -> None:
    held(arena, seats=3, blocks=1)
    app = open_page("tournaments", name="cup")
    assert not app.exception
    assert app.title[0].value == "cup"
    page = html(app)
    assert "swiss · Bluff · 3 seats · 1 block of 3 matches for each pairing" in page
    assert " · all places count · unrated · lots drawn with the seed " in page
    assert "In a block every bot plays one match from each seat. A bye is a round" in texts(app)
    assert not app.markdown  # nothing is printed that was meant for readers of the code
    standings = cells(app, "Standings")
    assert standings[0].startswith("1 ada v1")
    assert len(standings) == len(BOTS)
    assert "Buchholz: the sum of the opponents" in texts(app)
    assert page.index("<h4>Round 3") < page.index("<h4>Round 2") < page.index("<h4>Round 1")
    first = cells(app, "Round 1")
    assert [row.endswith("1 of 1") for row in first] == [True, True, False]
    assert first[2] == "3 gro v1 bye"


def test_a_tournament_under_way_shows_how_far_it_is(arena: str) -> None:
    held(arena, format_name=FormatName.ROUND_ROBIN, bots=BOTS[:4], most_blocks=5)
    app = open_page("tournaments", name="cup")
    assert not app.exception
    (bar,) = app.get("progress")
    assert bar.proto.text == "5 of 12 blocks played"  # type: ignore[attr-defined]
    assert bar.proto.value == 41  # type: ignore[attr-defined]
    assert ">running<" in html(app)
    means = [float(row.split()[-3]) for row in cells(app, "Standings")]
    assert means == sorted(means, reverse=True) and max(means) <= 1
    assert "Mean: points per block" in texts(app)


@pytest.mark.slow
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


def test_a_tournament_that_changed_has_another_mark(arena: str) -> None:
    plan = {"format_name": FormatName.ROUND_ROBIN, "bots": BOTS[:4]}
    held(arena, "early", most_blocks=1, **plan)
    held(arena, "late", **plan)
    marks = {name: tournament_data.current_mark(name) for name in ("early", "late")}
    assert marks["early"] == tournament_data.current_mark("early")
    assert marks["early"] != marks["late"]
    assert tournament_data.current_mark("nothing") is None


@pytest.mark.slow
def test_only_a_tournament_that_goes_on_asks_for_news(arena: str) -> None:
    plan = {"format_name": FormatName.ROUND_ROBIN, "bots": BOTS[:3]}
    held(arena, "running", most_blocks=1, **plan)
    held(arena, "over", **plan)
    assert component(open_page("tournaments", name="running"), "news") is not None
    assert component(open_page("tournaments", name="over"), "news") is None


def test_a_running_tournament_without_news_for_minutes_has_probably_no_referee(
    arena: str,
) -> None:
    plan = {"format_name": FormatName.ROUND_ROBIN, "bots": BOTS[:3]}
    held(arena, "cup", most_blocks=1, **plan)
    found = tournament_data.tournament_view("cup")
    assert found is not None and found.active_at is not None
    later = found.active_at + timedelta(minutes=1)
    assert not is_still(found, later)
    assert is_still(found, later + STILL)
    assert "no referee runs" not in texts(open_page("tournaments", name="cup"))
    held(arena, "over", **plan)
    over = tournament_data.tournament_view("over")
    assert over is not None and not is_still(over, later + timedelta(days=1))


@pytest.mark.slow
def test_a_knockout_is_drawn_as_a_bracket_whose_pairings_lead_to_their_matches(
    arena: str,
) -> None:
    held(arena, format_name=FormatName.KNOCKOUT, bots=BOTS[:6], blocks=1)
    app = open_page("tournaments", name="cup")
    page = html(app)
    assert page.count('class="ba-round"') == 3 and ">Final<" in page
    assert page.count('class="ba-pairing"') == 4 + 2 + 1
    assert page.count('<span class="ba-through">bye</span>') == 2
    assert "matches?tournament=cup&amp;pairing=3.1" in page
    assert "Won by" in page
    app = open_page("matches", tournament="cup", pairing="3.1")
    assert html(app).count("Replay of the match") == 2
    assert "Round 3, table 1 of cup" in texts(app)


def test_rounds_that_are_not_paired_yet_are_open_in_the_bracket(arena: str) -> None:
    held(arena, format_name=FormatName.KNOCKOUT, bots=BOTS, blocks=1, most_blocks=1)
    page = html(open_page("tournaments", name="cup"))
    assert page.count('class="ba-pairing"') == 4 + 2 + 1
    assert page.count(">open<") >= 2


def test_groups_have_their_matrices_and_a_bracket(arena: str) -> None:
    bots = (*BOTS, "hilda")
    held(arena, format_name=FormatName.GROUPS, bots=bots, blocks=1)
    app = open_page("tournaments", name="cup")
    caption = "Group A (2 go on): a row&#x27;s points, by the place of the opponent."
    assert cells(app, caption) == [
        "1 ada 1 of 1 1 of 1 1 of 1 3",
        "2 dora 0 of 1 1 of 1 1 of 1 2",
        "3 emmy 0 of 1 0 of 1 1 of 1 1",
        "4 hilda 0 of 1 0 of 1 0 of 1 0",
    ]
    page = html(app)
    assert page.count('class="ba-goes-on"') == 2 * 2
    assert page.count('class="ba-pairing"') == 2 + 1
    assert ">Round 4<" in page and ">Final<" in page
    assert "pairing=5.1" in page
    assert "2 groups, 2 of each go on" in page


def test_before_the_groups_are_over_there_is_no_bracket(arena: str) -> None:
    held(arena, format_name=FormatName.GROUPS, bots=BOTS, blocks=1, most_blocks=2)
    page = html(open_page("tournaments", name="cup"))
    assert page.count("Group ") >= 2
    assert 'class="ba-pairing"' not in page


def test_the_page_names_whom_a_pairing_waits_for_and_until_when(arena: str) -> None:
    held(arena, format_name=FormatName.ROUND_ROBIN, bots=BOTS[:3], blocks=1, most_blocks=0)
    with psycopg.connect(plain(arena)) as sql:
        sql.execute(
            "UPDATE tournament_entries SET waited_s = 90, absence = 'not connected'"
            " WHERE number = 3"
        )
    app = open_page("tournaments", name="cup")
    said = texts(app)
    assert re.search(
        r"wait for cleo 1 \(not connected\), until \d\d:\d\d:\d0 UTC: .* \(a walkover\)", said
    )
    assert html(app).count("waits for cleo 1") == 2


def test_no_name_on_the_page_of_a_tournament_is_markdown(arena: str) -> None:
    bots = ("_fox", "owl_")
    plan = {"format_name": FormatName.ROUND_ROBIN, "bots": bots, "blocks": 1, "most_blocks": 0}
    held(arena, "_cup_", **plan)
    with psycopg.connect(plain(arena)) as sql:
        sql.execute("UPDATE tournament_entries SET waited_s = 90 WHERE number = 2")
    app = open_page("tournaments", name="_cup_")
    assert app.title[0].value == r"\_cup\_"
    (waits,) = [one.value for one in app.info]
    assert r"(\_fox 1 – owl\_ 1) waits for owl\_ 1, until" in waits
    app = open_page("matches", tournament="_cup_", pairing="1.1")
    assert r"Round 1, table 1 of \_cup\_" in texts(app)


def test_a_swiss_has_a_crosstable_with_the_opponents_ranks(arena: str) -> None:
    held(arena, bots=BOTS[:4], blocks=1)
    app = open_page("tournaments", name="cup")
    lines = cells(
        app,
        "Crosstable: points of each round&#x27;s blocks, and the opponents&#x27; ranks.",
    )
    assert len(lines) == 4
    assert re.fullmatch(r"1 ada (1 #\d ){2}2", lines[0])


def test_a_round_robin_is_a_matrix(arena: str) -> None:
    held(arena, format_name=FormatName.ROUND_ROBIN, bots=BOTS[:3], blocks=2)
    app = open_page("tournaments", name="cup")
    assert cells(app, "Matrix: a row&#x27;s points, by the rank of the opponent.") == [
        "1 ada 2 of 2 2 of 2 4",
        "2 bea 0 of 2 2 of 2 2",
        "3 cleo 0 of 2 0 of 2 0",
    ]


def test_who_goes_on_from_a_knockouts_table_and_who_withdrew_are_told(arena: str) -> None:
    bots = BOTS[:6]
    plan = {"format_name": FormatName.KNOCKOUT, "seats": 3, "blocks": 1}
    held(arena, bots=bots, withdrawn=(2,), **plan)
    app = open_page("tournaments", name="cup")
    assert not app.exception
    page = html(app)
    assert "→ ada 1" in page
    assert "A walkover is decided without play" in texts(app)
    assert ">walkover<" in page and ">withdrawn<" in page


def test_a_name_that_is_not_there_shows_the_list(arena: str) -> None:
    held(arena, format_name=FormatName.GAUNTLET, bots=BOTS[:3])
    app = open_page("tournaments", name="nothing")
    assert not app.exception
    assert "There is no tournament “nothing”" in texts(app)
    assert len(cells(app, "Tournaments, newest first")) == 1


@pytest.mark.slow
@pytest.mark.parametrize("format_name", list(FormatName))
def test_every_format_is_shown(arena: str, format_name: FormatName) -> None:
    held(arena, format_name=format_name, bots=BOTS[:5], blocks=1)
    app = open_page("tournaments", name="cup")
    assert not app.exception
    assert cells(app, "Standings")[0].startswith("1 ada v1")
    assert ">finished<" in html(app)
