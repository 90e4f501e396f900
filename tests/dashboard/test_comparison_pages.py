"""Head to head and a bot's page on a real database."""

import asyncio
import re

import pytest

from arena.rating.ladder_id import LadderId
from arena.rating.methods import ScoreRule
from arena.records import EDITION, CheckOrigin, CheckOutcome
from arena.server.app.store import open_store
from arena.server.boards.comparisons import Comparisons
from arena_dashboard.bots import bot_data
from arena_dashboard.ladders import comparison_data, comparison_tables, versus
from tests.dashboard.conftest import Filler
from tests.dashboard.pages import component, html, open_page, texts
from tests.dashboard.played import anyhow, sensible, silent
from tests.databases import execute

TWO = LadderId("bluff", "{}", (2,))


@pytest.mark.slow
@pytest.mark.parametrize("page", ["head_to_head", "history", "bot", "versus"])
def test_an_empty_arena_shows_a_friendly_page(arena: str, page: str) -> None:
    app = open_page(page)
    assert not app.exception
    assert re.search("No match has been played|No bot has been registered|Choose", texts(app))


def test_every_pair_is_in_the_matrix_with_its_interval_and_its_confidence_sequence(
    filled: Filler,
) -> None:
    filled(blocks=30)
    app = open_page("head_to_head")
    assert not app.exception
    page = html(app)
    facts = comparison_data.ladder_details(TWO)
    assert isinstance(facts.comparisons, Comparisons)
    assert [line.bot for line in facts.board.lines] == ["alpha", "honest", "beta"]
    met = facts.comparisons.met(0, 2)
    assert met is not None
    assert f"alpha 1 against beta 1: {met.wins} won, 0 tied, {met.losses} lost" in page
    for low, high in ((met.low, met.high), met.sequence):
        assert f"<small>{low:.0%}–{high:.0%}</small>".replace("%", "") in page
    assert page.count('class="ba-heat ') == 9
    assert "Wins, 2 seats" in page and "Forfeits" in page
    assert (
        "Largest gap between ratings and results" in texts(app) or facts.comparisons.worst is None
    )
    assert 'href="bot?bot=alpha"' in page


@pytest.mark.slow
def test_the_check_is_made_when_the_url_asks_for_it(filled: Filler) -> None:
    filled(blocks=10)
    assert "misfit" not in texts(open_page("head_to_head"))
    assert "check=1" in html(open_page("head_to_head"))
    app = open_page("head_to_head", check="1")
    assert not app.exception
    assert "Looked at 20 of 20 matches" in texts(app)


def test_first_places_alone_are_a_ladder_of_their_own(filled: Filler) -> None:
    filled(blocks=6, seats=3)
    app = open_page("head_to_head", seats="3-4", score="winner")
    assert not app.exception
    assert "only first place" in texts(app)
    winner = comparison_data.ladder_details(LadderId("bluff", "{}", (3, 4), ScoreRule.WINNER))
    placement = comparison_data.ladder_details(LadderId("bluff", "{}", (3, 4)))
    assert winner.board.lines[0].elo != placement.board.lines[0].elo


def test_faults_and_forfeits_are_those_of_the_boards_matches(filled: Filler) -> None:
    filled(blocks=2, policies=[("honest", sensible(0.0)), ("gone", silent)])
    facts = comparison_data.ladder_details(TWO)
    (gone,) = (line for line in facts.board.lines if line.bot == "gone")
    (trouble,) = facts.board.faults.items()
    assert trouble[0] == gone.version_id
    assert gone.matches == trouble[1].faulty_matches == 4
    assert trouble[1].forfeits > 0
    page = html(open_page("bot", bot="gone"))
    assert page.count("gave no answer within the turn's time and the bank") > 0 or (
        "gave no answer within the turn&#x27;s time" in page
    )
    assert re.search(r"replay\?match=[0-9a-f-]+&amp;step=\d+", page)
    # What it saw, and what it might have done.
    assert "<dt>Its view</dt><dd>{&quot;seat&quot;:" in page
    assert "<dt>Legal</dt><dd>Legal is" in page


def test_no_name_in_the_sentences_of_head_to_head_is_markdown(filled: Filler) -> None:
    names = ("_fox", "owl_", "www.evil.com")
    policies = [("honest", anyhow), *((name, sensible(0.0)) for name in names)]
    filled(blocks=60, policies=policies)
    app = open_page("head_to_head")
    assert not app.exception
    said = " ".join(one.value for one in app.markdown)
    assert "Shown to beat a bot" in said
    for name in (r"\_fox 1", r"owl\_ 1", "www\u2060.evil.com 1"):
        assert name in said
    assert not re.search(r"(?<!\\)_|www\.", said)


def test_a_bots_page_has_its_ratings_deception_matches_and_folded_opponents(filled: Filler) -> None:
    filled(blocks=8)
    filled(blocks=2, seats=3)
    app = open_page("bot", bot="BETA")
    assert not app.exception
    assert app.title[0].value == "beta"
    heads = [element.value for element in app.subheader]
    assert heads == ["Ratings", "Deception", "Decisions", "Last matches"]
    assert app.get("arrow_vega_lite_chart") or app.get("vega_lite_chart")
    page = html(app)
    for ladder in ("Bluff, 2 seats", "Bluff, 3–4 seats"):
        assert page.count(ladder) == 1
    assert "betas-owner" in page
    for figure in ("Bluffs", "Lies", "False claims", "Bluffs doubted", "Doubts right", "Time"):
        assert f"<dt>{figure}</dt>" in page
    assert "<dt>Luck</dt>" in page and "<dt>Distance</dt>" not in page  # nothing is analysed
    assert ">Opponent<" not in page  # folded: nothing was computed
    linked = re.findall(r"replay\?match=([0-9a-f-]+)", page)
    assert len(linked) == len(set(linked)) == 10
    assert "matches?bot=beta&amp;sort=boldest" in page


def test_an_unknown_bot_is_named_and_the_index_shown_instead(filled: Filler) -> None:
    filled(blocks=1)
    app = open_page("bot", bot="nobody")
    assert not app.exception
    assert "There is no bot “nobody”" in texts(app)
    page = html(app)
    assert [name in page for name in ("alpha", "beta", "honest")] == [True] * 3


@pytest.mark.slow
def test_the_index_of_bots_is_searched_and_turned_by_the_url(
    filled: Filler, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(blocks=1)
    page = html(open_page("bot", q="ALPHA"))
    assert "bot?bot=alpha" in page and "bot?bot=beta" not in page
    assert "bot?bot=beta" in html(open_page("bot", q="betas-Owner"))
    for nobody in ("%", "lpha", "\U0010ffff"):
        assert "No bot found" in texts(open_page("bot", q=nobody))
    monkeypatch.setattr(bot_data, "PAGE", 2)
    page = html(open_page("bot"))
    assert "bot?bot=alpha" in page and "bot?bot=honest" not in page
    assert "bot?after=beta" in page and "before=" not in page
    page = html(open_page("bot", after="beta"))
    assert "bot?bot=honest" in page and "bot?bot=alpha" not in page
    assert "bot?before=honest" in page and "after=" not in page
    page = html(open_page("bot", before="honest"))
    assert "bot?bot=alpha" in page and "bot?bot=honest" not in page
    assert "bot?after=beta" in page and "before=" not in page
    assert "There are no more bots" in texts(open_page("bot", after="zzz"))
    page = html(open_page("bot", q="betas-owner", after="a"))
    assert "bot?q=betas-owner&amp;before=beta" in page


def test_two_bots_have_a_page_with_a_verdict_and_their_matches(filled: Filler) -> None:
    played = filled(blocks=30)
    app = open_page("versus", bot="beta", opponent="alpha")
    assert not app.exception
    assert "alpha is better than beta: beta took " in texts(app)
    assert "of the points from alpha in Bluff, 2 seats (95 % interval" in texts(app)
    page = html(app)
    assert "matches?bot=beta&amp;opponent=alpha" in page
    linked = set(re.findall(r"replay\?match=([0-9a-f-]+)", page))
    of_both = {
        match.transcript.setup.match_id
        for match in played
        if {"alpha", "beta"} == {one.bot for one in match.transcript.setup.entrants}
    }
    assert linked and linked <= of_both
    assert "There is no bot “nobody”" in texts(open_page("versus", bot="nobody", opponent="alpha"))


@pytest.mark.parametrize(
    ("wins", "losses", "words"),
    [
        (90, 10, "one is better than two"),
        (10, 90, "two is better than one"),
        (5, 4, "Undecided"),
        # The 95 % interval excludes a half, but a look every day would often find it so.
        (60, 40, "Undecided: one took 60% of the points from two in Bluff (95 % interval 50% to"),
    ],
)
def test_a_verdict_says_what_the_interval_allows(wins: int, losses: int, words: str) -> None:
    assert versus.verdict(versus.Met("one", "two", wins, 0, losses), "Bluff").startswith(words)


def test_a_verdict_over_several_versions_claims_no_interval_for_all_looks() -> None:
    one_pair = versus.verdict(versus.Met("one", "two", 60, 0, 40), "Bluff")
    several = versus.verdict(versus.Met("one", "two", 60, 0, 40, pairs=3), "Bluff")
    assert "however often one looks" in one_pair
    assert "however often one looks" not in several
    assert "3 pairs of versions together" in several


def test_bots_that_never_met_have_no_verdict() -> None:
    assert "have not met" in versus.verdict(versus.Met("one", "two", 0, 0, 0), "Bluff")


def test_matrix_cells_lead_to_the_page_of_the_two_bots(filled: Filler) -> None:
    filled(blocks=20)
    page = html(open_page("head_to_head"))
    assert "versus?game=bluff&amp;options=%7B%7D&amp;seats=2-2" in page
    assert "bot=alpha&amp;opponent=beta" in page


def test_a_bot_without_a_rated_match_says_so(filled: Filler) -> None:
    filled(blocks=1, policies=[("honest", anyhow), ("alpha", anyhow)])
    filled(blocks=0, policies=[("fresh", anyhow), ("alpha", anyhow)])
    app = open_page("bot", bot="fresh")
    assert not app.exception
    assert "No match of this bot counts yet" in texts(app)


@pytest.mark.slow
def test_a_bot_whose_matches_have_no_transcripts_has_a_page_with_what_is_known(
    arena: str, filled: Filler
) -> None:
    filled(blocks=4, policies=[("honest", anyhow), ("beta", silent)])
    # As in a database of which only the results were taken over.
    execute(arena, "ALTER TABLE transcripts DISABLE TRIGGER USER; DELETE FROM transcripts")
    app = open_page("bot", bot="beta")
    assert not app.exception
    heads = [heading.value for heading in app.subheader]
    assert "Last matches" in heads
    assert "Latest faults" not in heads and "Deception" not in heads
    assert html(app).count('aria-label="Replay of the match') == 8


def test_the_faults_of_a_version_are_listed_with_links_to_their_turns(
    arena: str, filled: Filler
) -> None:
    policies = [("honest", anyhow), ("gone", silent)]
    filled(blocks=1, policies=policies)

    async def release() -> None:
        async with open_store(arena) as store:
            await store.register("gone", "gones-owner", "2")

    asyncio.run(release())
    played = {
        match.transcript.setup.match_id: match.transcript
        for match in filled(blocks=1, seed=2, policies=policies)
    }
    app = open_page("bot", bot="gone", faults="2")
    assert not app.exception
    assert "Latest faults of version 2" in [heading.value for heading in app.subheader]
    linked = re.findall(r"replay\?match=([0-9a-f-]+)&amp;step=(\d+)", html(app))
    assert len(linked) == 6 and {match_id for match_id, _ in linked} == set(played)
    for match_id, step in linked:
        assert played[match_id].steps[int(step) - 1].fault is not None
    app = open_page("bot", bot="gone", faults="3")
    assert "This bot has no version “3”." in texts(app)


def test_a_bot_is_named_by_text_and_never_by_markup(filled: Filler) -> None:
    filled(blocks=1)
    app = open_page("bot", bot="<script>alert(1)</script>")
    assert not app.exception
    assert "<script" not in html(app)


def test_a_bots_opponents_are_all_whom_it_met(filled: Filler) -> None:
    filled(blocks=20)
    facts = comparison_data.ladder_details(TWO)
    assert facts.comparisons is not None
    rows = comparison_tables.opponents(
        facts.board.lines, facts.comparisons, facts.comparisons.bots[0], TWO
    )
    assert rows.count("<tr>") == 1 + 2


@pytest.mark.slow
def test_the_last_check_of_a_bot_is_on_its_page_in_the_index_and_on_the_board(
    filled: Filler, arena: str
) -> None:
    filled(blocks=3)

    async def checked() -> None:
        async with open_store(arena) as store:
            ids = {one.bot: one.id for one in await store.bots()}
            outcome = CheckOutcome(EDITION, 19, ("drain",))
            await store.checks.record(ids["alpha"], CheckOrigin.AUTHOR, outcome)

    asyncio.run(checked())
    page = html(open_page("bot", bot="alpha"))
    assert "19 of 20 scenarios met; failed: drain." in page
    assert "1 failed</span>" in page
    assert "Checked by" not in html(open_page("bot", bot="beta"))
    assert html(open_page("bot")).count("1 failed</span>") == 1
    rows = component(open_page("leaderboard"), "ladder")["rows"]
    assert [row[4] for row in rows if row[19] is not None] == ["alpha"]
