"""The list of matches and the replay of one, on a real database."""

import asyncio
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from arena.games import GAMES
from arena.lab.analysis import Grade, decisions
from arena.lab.luck import luck_of
from arena.match.transcript_json import read_json
from arena.scheduling.formats import FormatName
from arena_dashboard.parts.rules import has_rules
from arena_dashboard.reading import data
from tests.dashboard.conftest import Filler
from tests.dashboard.cups import hold
from tests.dashboard.pages import (
    html,
    open_page,
    player_bytes,
    texts,
    unpacked,
)
from tests.dashboard.played import anyhow, silent


def replayed(app: AppTest) -> dict[str, Any]:
    """What the page sends to the player."""
    return unpacked(player_bytes(app))


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


def test_under_a_replay_are_the_other_matches_of_its_block(filled: Filler) -> None:
    first, second, third = filled(blocks=1, seats=3)
    filled(blocks=1, seats=3, seed=2)
    app = open_page("replay", match=second.transcript.setup.match_id)
    replay = replayed(app)
    assert replay["previous"] == first.transcript.setup.match_id
    assert replay["next"] == third.transcript.setup.match_id
    linked = re.findall(r">(Match \d): [^<]*<", html(app))
    assert linked == ["Match 1", "Match 3"]
    assert "The same bots, seats rotated:" in html(app)
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
