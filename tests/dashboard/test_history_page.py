"""The page of a ladder's history: whose lines it shows, and where they end."""

import re
from dataclasses import replace

import pytest

from arena.rating.ladder_id import LadderId
from arena_dashboard.ladders import comparison_data, history_chart
from arena_dashboard.parts.drawn import drawn
from tests.dashboard.conftest import Filler
from tests.dashboard.pages import open_page, texts
from tests.dashboard.played import anyhow

TWO = LadderId("bluff", "{}", (2,))


def test_the_history_is_a_line_per_bot_that_ends_at_the_leaderboard(filled: Filler) -> None:
    filled(blocks=30)
    app = open_page("history")
    assert not app.exception
    assert app.get("arrow_vega_lite_chart") or app.get("vega_lite_chart")
    found = comparison_data.history(TWO)
    assert 28 <= len(found.points) <= 30  # none before the anchor's first match
    lines = comparison_data.ladder_details(TWO).board.lines
    last = {rating.version_id: rating.elo for rating in found.points[-1].ratings}
    for line in lines:
        assert last[line.version_id] == pytest.approx(line.elo, abs=1e-9)
    points = comparison_data.history_points(found, [lines[0].version_id])
    assert {point.bot for point in points} == {"alpha 1"}
    assert [point.matches for point in points] == sorted(point.matches for point in points)
    assert "alpha 1 from" in history_chart.in_words(points)
    chart = drawn(points, history_chart.history, history_chart.in_words)
    for layer in chart.spec["layer"]:
        fields = {one["field"] for one in layer["encoding"].values() if "field" in one}
        assert fields <= layer["data"]["values"][0].keys()
        assert len(layer["data"]["values"]) == len(points)


def test_of_many_bots_a_part_is_suggested_for_the_history_and_the_chosen_ones() -> None:
    names = [f"bot{rank} 1" for rank in range(1_000)]
    found = history_chart.suggested(names, ["bot999 1", "bot0 1"])
    assert found[:3] == ["bot999 1", "bot0 1", "bot1 1"]
    assert len(found) == history_chart.SUGGESTED + 1


@pytest.mark.slow
def test_the_history_shows_the_bots_of_the_url(filled: Filler) -> None:
    filled(blocks=6)
    app = open_page("history", bots="beta 1")
    assert app.multiselect[0].value == ["beta 1"]
    app = open_page("history", bots="")
    assert "Choose a bot" in texts(app)
    app = open_page("history", bots="nobody 7")
    assert len(app.multiselect[0].value) == 3


def test_the_history_shows_as_many_bots_as_a_reader_can_distinguish_and_says_so(
    filled: Filler,
) -> None:
    names = ["honest", *(f"bot{number}" for number in range(9))]
    filled(blocks=40, policies=[(name, anyhow) for name in names])
    rated = [line.bot for line in comparison_data.ladder_details(TWO).board.lines]
    assert len(rated) == 10
    app = open_page("history", bots=",".join(f"{bot} 1" for bot in rated))
    assert not app.exception
    shown = app.multiselect[0].value
    assert len(shown) == history_chart.MOST_BOTS == 8
    assert "At most 8 are shown at once: these are the first of 10." in texts(app)
    app = open_page("history", bots=",".join(shown))
    assert not app.exception and not app.warning


def test_the_link_to_the_history_of_a_bot_has_its_best_versions(filled: Filler) -> None:
    filled(blocks=1)
    facts = comparison_data.ladder_details(TWO)
    line = facts.board.lines[0]

    def linked(versions: int) -> str:
        lines = tuple(replace(line, version=str(rank)) for rank in range(versions))
        found = replace(facts, board=replace(facts.board, lines=lines))
        return comparison_data.history_link(found, line.bot)

    few, many = linked(8), linked(10)
    assert ">Rating history<" in few
    assert ">Rating history of its best 8 versions<" in many
    asked = [re.findall(r"bots=([^&\"]*)", link)[0].split("%2C") for link in (few, many)]
    assert asked == [[f"{line.bot}+{rank}" for rank in range(8)]] * 2
