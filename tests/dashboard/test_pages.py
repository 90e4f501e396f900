"""Each page on a real database: what it answers, and what it says when there is nothing to show."""

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from arena.commands.results.keep_analyses import keep_missing
from arena.games import GAMES
from arena.lab.analysis import Grade, analyse, analyse_bot, decisions, solved_shares_of
from arena.lab.deception import BotMatch, Share, deception_of
from arena.lab.luck import luck_of
from arena.match.clock import TimeControl
from arena.match.transcript_json import read_json
from arena.scheduling.formats import FormatName
from arena.server.results.bluffing import bluffing_of
from arena_dashboard.parts.rules import has_rules
from arena_dashboard.reading import data
from tests.dashboard.conftest import Filler
from tests.dashboard.cups import hold
from tests.dashboard.pages import (
    component,
    html,
    ladder_bots,
    open_page,
    player_bytes,
    texts,
    unpacked,
)
from tests.dashboard.played import anyhow, silent


def replayed(app: AppTest) -> dict[str, Any]:
    """What the page sends to the player."""
    return unpacked(player_bytes(app))


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
        ("own_bots", "My bots"),
        ("organise", "Organise"),
        ("play", "This dashboard cannot let people play"),
    ],
)
def test_an_empty_arena_shows_a_friendly_page(arena: str, page: str, sentence: str) -> None:
    app = open_page(page)
    assert not app.exception
    assert sentence in texts(app)


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


def test_links_to_every_page_are_followed_without_reloading(filled: Filler) -> None:
    filled(blocks=1)
    shell = component(open_page("matches"), "shell")
    assert {"", "bot", "matches", "replay", "head-to-head"} <= set(shell["paths"])


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


def test_matches_are_listed_newest_first_with_links_to_their_replays(filled: Filler) -> None:
    played = filled(blocks=3)
    linked = re.findall(r"replay\?match=([0-9a-f-]+)", html(open_page("matches")))
    assert linked == [match.transcript.setup.match_id for match in reversed(played)]


@pytest.mark.slow
def test_matches_are_filtered_by_bot_and_game_from_the_url(filled: Filler) -> None:
    filled(blocks=8)
    filled(blocks=2, game="bluff_you", policies=[("beta", anyhow), ("gamma", anyhow)])
    assert html(open_page("matches", bot="gamma")).count("replay?match=") == 4
    page = html(open_page("matches", bot="beta", game="bluff_you"))
    assert page.count("replay?match=") == 4 and "Bluff You!" in page
    app = open_page("matches", bot="gamma", game="bluff")
    assert "No match fits" in texts(app)


@pytest.mark.slow
def test_matches_are_filtered_by_opponent_seats_faults_and_date(filled: Filler) -> None:
    filled(blocks=6)
    filled(blocks=2, seats=3)
    filled(blocks=1, game="bluff_you", policies=[("honest", anyhow), ("gone", silent)])

    def count(**query: str) -> int:
        app = open_page("matches", **query)
        assert not app.exception
        return len(set(re.findall(r"replay\?match=([0-9a-f-]+)", html(app))))

    assert count(seats="3") == 6
    assert count(faults="1") == 2
    assert count(bot="gone", opponent="honest") == 2
    assert count(since="2026-05-02") == 0
    assert count(since="2026-05-01", until="2026-05-01", game="bluff_you") == 2


def test_matches_are_ordered_by_closeness_and_by_the_boldest_bluff(filled: Filler) -> None:
    filled(blocks=6)
    app = open_page("matches", sort="boldest")
    assert not app.exception
    shorts = [int(number) for number in re.findall(r"(\d+) dice? short", html(app))]
    assert shorts and shorts == sorted(shorts, reverse=True)
    assert re.search(r"replay\?match=[0-9a-f-]+&amp;step=\d+", html(app))
    app = open_page("matches", sort="closest")
    assert "Fewest points between first and second" in texts(app)
    assert html(app).count("Replay of the match") == 12


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"bot": "nobody"}, "There is no bot “nobody”."),
        ({"opponent": "nobody"}, "There is no bot “nobody”."),
        ({"game": "chess"}, "There is no game “chess” here."),
        ({"tournament": "none"}, "There is no tournament “none” here."),
    ],
)
def test_a_filter_by_something_unknown_says_so_and_finds_nothing(
    filled: Filler, query: dict[str, str], sentence: str
) -> None:
    filled(blocks=1)
    app = open_page("matches", **query)
    assert not app.exception
    assert sentence in texts(app) and "No match fits" in texts(app)
    assert "replay?match=" not in html(app)


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
    replay = replayed(open_page("replay", match=played[0].transcript.setup.match_id))
    assert replay["result"]["byFaults"]
    assert replay["result"]["forfeited"] == [name == "gone" for name in replay["names"]]
    told = "gone was at fault (late): the default action is played."
    faults = [frame for frame in replay["frames"] if told in frame["told"]]
    assert len(faults) == 3 and all("fault" in frame["marks"] for frame in faults)


def test_a_replay_is_of_the_match_and_from_the_viewpoint_of_the_url(filled: Filler) -> None:
    (match, other) = filled(blocks=1)
    match_id = match.transcript.setup.match_id
    app = open_page("replay", match=match_id, step="3", view="1")
    assert not app.exception
    replay = replayed(app)
    assert (replay["match"], replay["view"]) == (match_id, "1")
    assert (replay["previous"], replay["next"]) == (None, other.transcript.setup.match_id)
    assert "dealing verified" in html(app)


def test_a_replay_is_analysed_when_asked(filled: Filler) -> None:
    match, _ = filled(blocks=1, dice_per_player=2)
    setup = match.transcript.setup
    plain = replayed(open_page("replay", match=setup.match_id))
    assert plain["analysable"] and not plain["analysed"]
    assert not any(frame["decision"] for frame in plain["frames"])
    app = open_page("replay", match=setup.match_id, analysis="1")
    assert not app.exception
    analysed = replayed(app)
    assert analysed["analysed"]
    shown = {frame["step"]: frame["decision"] for frame in analysed["frames"] if frame["decision"]}
    found = tuple(decisions(match.transcript))
    assert [*shown] == [one.step for one in found]
    for one in found:
        assert shown[one.step]["loss"] == round(one.loss or 0, 4)
        better = None if one.grade is Grade.BEST else str(one.best).replace("*", "★")
        assert shown[one.step]["better"] == better


def headings(app: AppTest) -> list[str]:
    return [one.value for one in app.subheader]


@pytest.mark.slow
def test_what_decisions_cost_is_on_the_board_and_on_the_page_of_a_bot(filled: Filler) -> None:
    matches = filled(blocks=8)
    filled(game="bloeff", blocks=1)
    assert "Mean loss" not in texts(open_page("leaderboard", game="bloeff"))
    before = open_page("bot", bot="beta")
    assert "None of its latest matches has been analysed here" in texts(before)
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


def test_under_a_replay_are_the_other_matches_of_its_block(filled: Filler) -> None:
    first, second, third = filled(blocks=1, seats=3)
    filled(blocks=1, seats=3, seed=2)
    app = open_page("replay", match=second.transcript.setup.match_id)
    replay = replayed(app)
    assert replay["previous"] == first.transcript.setup.match_id
    assert replay["next"] == third.transcript.setup.match_id
    linked = re.findall(r">(Match \d): [^<]*<", html(app))
    assert linked == ["Match 1", "Match 3"]
    assert f"<code>arena verify {replay['match']}.json</code>" in html(app)


@pytest.mark.slow
@pytest.mark.parametrize("game", [one for one in GAMES if has_rules(one)])
def test_under_a_replay_are_the_rules_of_its_game(filled: Filler, game: str) -> None:
    filled(blocks=1, game=game)
    app = open_page("replay")
    (folded,) = [one for one in app.expander if GAMES[game].title in one.label]
    (rules,) = folded.markdown
    assert rules.value.startswith("**The goal.**")
    assert "data:image/svg+xml" in html(app)


def test_a_match_of_a_tournament_leads_to_it(arena: str) -> None:
    asyncio.run(hold(arena, "cup", FormatName.ROUND_ROBIN, ("alpha", "beta")))
    assert 'href="tournaments?name=cup">Tournament cup<' in html(open_page("replay"))


def test_the_transcript_that_is_offered_can_be_verified(filled: Filler) -> None:
    (match, _) = filled(blocks=1)
    text = data.transcript_file(match.transcript.setup.match_id)
    assert read_json(text.encode()) == match.transcript


@pytest.mark.slow
def test_the_luck_of_a_roll_and_of_the_match_is_in_a_replay_where_all_is_open(
    filled: Filler,
) -> None:
    (match, _) = filled(blocks=1)
    luck = luck_of(match.transcript)
    match_id = match.transcript.setup.match_id
    replay = replayed(open_page("replay", match=match_id))
    assert replay["luck"] == [round(one, 3) for one in luck.seats]
    told = {frame["step"]: frame["luck"] for frame in replay["frames"] if frame["luck"]}
    assert told == {
        draw.step: [round(one, 3) for one in draw.seats] for draw in luck.draws if any(draw.seats)
    }
    for view in ("spectator", "0", "1"):
        other = replayed(open_page("replay", match=match_id, view=view))
        assert other["luck"] is None and not any(frame["luck"] for frame in other["frames"])


@pytest.mark.slow
@pytest.mark.parametrize("view", ["77", "x", "-1"])
def test_a_viewpoint_that_makes_no_sense_shows_everything(filled: Filler, view: str) -> None:
    (match, _) = filled(blocks=1)
    app = open_page("replay", match=match.transcript.setup.match_id, view=view)
    assert not app.exception
    assert replayed(app)["view"] == "everything"


@pytest.mark.parametrize("match", ["nonsense", "00000000-0000-4000-8000-000000000000"])
def test_an_unknown_match_is_reported_in_a_sentence(filled: Filler, match: str) -> None:
    filled(blocks=1)
    app = open_page("replay", match=match)
    assert not app.exception
    assert "There is no such match" in texts(app)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "query", "sentence"),
    [
        ("history", {"bots": "alpha 1,nobody"}, "There is no bot “nobody” here."),
        ("history", {"bots": "nobody,none 2"}, "There is no bot “nobody, none 2” here."),
        ("leaderboard", {"bot": "nobody"}, "There is no bot “nobody”."),
        ("head_to_head", {"bot": "nobody"}, "There is no bot “nobody”."),
        ("matches", {"sort": "oddest"}, "There is no order “oddest” here."),
        ("matches", {"since": "yesterday"}, "“yesterday” is no day such as 2026-03-04."),
        ("matches", {"faults": "yes"}, "“yes” is neither 1 nor 0, which faults may be."),
        ("matches", {"pairing": "2.1"}, "A round and table are of a tournament: choose one, too."),
        ("head_to_head", {"check": "on"}, "“on” is neither 1 nor 0, which check may be."),
        ("replay", {"analysis": "on"}, "“on” is neither 1 nor 0, which analysis may be."),
        ("replay", {"view": "7"}, "There is no viewpoint “7” here."),
        ("bot", {"bot": "alpha", "faults": "99"}, "There is no version “99” of it."),
    ],
)
def test_what_a_link_names_and_there_is_not_is_told(
    filled: Filler, page: str, query: dict[str, str], sentence: str
) -> None:
    filled(blocks=1)
    app = open_page(page, **query)
    assert not app.exception
    assert sentence in texts(app)


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
