"""Each page on a real database: what it answers, and what it says when there is nothing to show."""

import re

import pytest

from arena.luck import luck_of
from arena_dashboard import data
from tests.dashboard.conftest import Filler
from tests.dashboard.pages import component, html, ladder_bots, open_page, texts
from tests.dashboard.played import anyhow, silent


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


@pytest.mark.parametrize("page", ["leaderboard", "matches", "replay", "submit"])
def test_an_empty_arena_shows_a_friendly_page(arena: str, page: str) -> None:
    app = open_page(page)
    assert not app.exception
    assert page == "submit" or "No match has been played yet" in texts(app)


def test_the_leaderboard_ranks_the_bots_and_measures_from_honest(filled: Filler) -> None:
    filled(blocks=30)
    app = open_page("leaderboard")
    assert not app.exception
    # Which of the other two is better, luck decides after so few matches.
    assert ladder_bots(app)[-1] == "beta" and len(ladder_bots(app)) == 3
    assert "60 rated matches at 2 seats" in texts(app)
    assert "measured from honest 1 = 1500" in texts(app)


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


def test_the_leaderboard_of_the_url_is_shown(filled: Filler) -> None:
    filled(blocks=4)
    filled(blocks=3, seats=3)
    filled(blocks=3, seats=3, game="bloeff")
    assert "9 rated matches at 3–4 seats" in texts(open_page("leaderboard", seats="3-4"))
    app = open_page("leaderboard", game="bloeff")
    assert "9 rated matches at 3–4 seats" in texts(app)
    assert "the mean of all bots is 1500" in texts(app)


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


def test_the_tabs_of_a_ladder_keep_game_options_and_seats(filled: Filler) -> None:
    filled(blocks=2)
    filled(blocks=2, seats=3)
    for page in ("leaderboard", "head_to_head", "history"):
        tabs = html(open_page(page, seats="3-4"))
        for path in (".", "head-to-head", "history"):
            assert f'href="{path}?game=bluff&amp;options=%7B%7D&amp;seats=3-4' in tabs


def test_every_page_has_a_title_and_a_description_of_its_own(filled: Filler) -> None:
    filled(blocks=1)
    shell = component(open_page("matches"), "shell")
    assert {"", "bot", "matches", "replay", "head-to-head"} <= set(shell["paths"])
    assert shell["description"]


def test_variants_have_ladders_of_their_own(filled: Filler) -> None:
    filled(blocks=2)
    filled(blocks=3, show_and_reroll=True)
    app = open_page("leaderboard")
    assert "4 rated matches" in texts(app)
    app = open_page("leaderboard", options='{"show_and_reroll": true}')
    assert "6 rated matches" in texts(app)


def test_matches_are_listed_newest_first_with_links_to_their_replays(filled: Filler) -> None:
    played = filled(blocks=3)
    linked = re.findall(r"replay\?match=([0-9a-f-]+)", html(open_page("matches")))
    assert linked == [match.transcript.setup.match_id for match in reversed(played)]


def test_matches_are_filtered_by_bot_and_game_from_the_url(filled: Filler) -> None:
    filled(blocks=8)
    filled(blocks=2, game="bluff_you", policies=[("beta", anyhow), ("gamma", anyhow)])
    assert html(open_page("matches", bot="gamma")).count("replay?match=") == 4
    page = html(open_page("matches", bot="beta", game="bluff_you"))
    assert page.count("replay?match=") == 4 and "Bluff You!" in page
    app = open_page("matches", bot="gamma", game="bluff")
    assert "No match fits" in texts(app)


def test_pages_of_matches_follow_each_other_without_gap(
    filled: Filler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "PAGE", 5)
    played = filled(blocks=4)
    seen: list[str] = []
    query: dict[str, str] = {}
    while True:
        page = html(open_page("matches", **query))
        seen += re.findall(r"replay\?match=([0-9a-f-]+)", page)
        older = re.search(r"before=([0-9a-f-]+)", page)
        if older is None:
            break
        query = {"before": older[1]}
    assert seen == [match.transcript.setup.match_id for match in reversed(played)]


def test_a_forfeit_is_shown_in_the_list_and_in_the_result(filled: Filler) -> None:
    policies = [("honest", anyhow), ("gone", silent)]
    played = filled(blocks=1, game="bluff_you", policies=policies)
    assert "forfeit" in html(open_page("matches"))
    app = open_page("replay", match=played[0].transcript.setup.match_id, step="9999")
    page = html(app)
    assert "forfeit" in page and "Decided by faults" in page
    assert "gone was at fault (late): the default action is played." in page


def test_a_replay_opens_at_the_step_and_viewpoint_of_the_url(filled: Filler) -> None:
    (match, _) = filled(blocks=1)
    match_id = match.transcript.setup.match_id
    app = open_page("replay", match=match_id, step="3", view="1")
    assert not app.exception
    assert ">Step 3<" in html(app)
    assert app.get("button_group")[0].value == "1"  # type: ignore[attr-defined]
    assert "dealing verified" in html(app)


def test_the_buttons_walk_through_a_match_and_move_the_url(filled: Filler) -> None:
    (match, _) = filled(blocks=1)
    app = open_page("replay", match=match.transcript.setup.match_id)
    last = str(len(match.transcript.steps))
    for button, step in (("next", "1"), ("next", "2"), ("back", "1"), ("last", last)):
        app.button(key=f"turn_{button}").click().run()
        assert app.query_params["step"] == step
        assert f">Step {step}<" in html(app)
    assert "Result" in html(app)
    assert app.button(key="turn_next").disabled
    app.button(key="turn_first").click().run()
    assert app.query_params["step"] == "0"


def test_a_replay_tells_the_luck_of_a_roll_and_of_the_match_where_all_is_open(
    filled: Filler,
) -> None:
    (match, _) = filled(blocks=1)
    luck = luck_of(match.transcript)
    names = [entrant.bot for entrant in match.transcript.setup.entrants]
    roll = next(draw for draw in luck.draws if any(draw.seats))

    def told(seats: tuple[float, ...]) -> str:
        pairs = zip(names, seats, strict=True)
        return ", ".join(f"{name} {points:+.2f}" for name, points in pairs).replace("-", "−")

    match_id = match.transcript.setup.match_id
    assert f"Luck: {told(roll.seats)}." in html(
        open_page("replay", match=match_id, step=str(roll.step))
    )
    assert f"Luck in this match: {told(luck.seats)}." in html(
        open_page("replay", match=match_id, step="9999")
    )
    for view in ("spectator", "0", "1"):
        assert "Luck" not in html(open_page("replay", match=match_id, step="9999", view=view))


def test_the_slider_moves_the_url(filled: Filler) -> None:
    (match, _) = filled(blocks=1)
    app = open_page("replay", match=match.transcript.setup.match_id)
    app.select_slider(key="at").set_value(2).run()
    assert app.query_params["step"] == "2"


@pytest.mark.parametrize("query", [{"step": "no"}, {"step": "-3"}, {"view": "77"}, {"view": "x"}])
def test_a_url_that_makes_no_sense_shows_the_start_with_everything(
    filled: Filler, query: dict[str, str]
) -> None:
    (match, _) = filled(blocks=1)
    app = open_page("replay", match=match.transcript.setup.match_id, **query)
    assert not app.exception
    assert ">Step 0<" in html(app)
    assert app.get("button_group")[0].value == "everything"  # type: ignore[attr-defined]


@pytest.mark.parametrize("match", ["nonsense", "00000000-0000-4000-8000-000000000000"])
def test_an_unknown_match_is_reported_in_a_sentence(filled: Filler, match: str) -> None:
    filled(blocks=1)
    app = open_page("replay", match=match)
    assert not app.exception
    assert "There is no such match" in texts(app)


@pytest.mark.parametrize("game", ["bluff", "bluff_you", "bloeff"])
def test_every_game_can_be_watched_to_its_end_by_everybody(filled: Filler, game: str) -> None:
    match = filled(blocks=1, seats=3, game=game)[0]
    for view in ("everything", "spectator", "2"):
        app = open_page("replay", match=match.transcript.setup.match_id, step="99999", view=view)
        assert not app.exception
        assert "Result" in html(app)
