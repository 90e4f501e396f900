"""Tables and charts from plain values."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from arena.boards.board import BoardLine
from arena.boards.luck_adjusted import LuckAdjusted
from arena.rating.flags import Flag
from arena.records import VersionId
from arena.storage.rows import MatchRow, SeatRow
from arena_dashboard import charts, data, tables
from arena_dashboard.markup import Html, tag, together

LINE = BoardLine(
    rank=2,
    rank_low=1,
    rank_high=3,
    version_id=VersionId(7),
    bot="alpha",
    version="1.2",
    owner="ada",
    house=False,
    elo=1523.4,
    interval=(1480.2, 1566.6),
    matches=1234,
    win_share=0.515,
    mean_placing=1.485,
    anchor=False,
    flags=frozenset(),
)
HONEST = replace(
    LINE, rank=3, bot="honest", house=True, elo=1500.0, interval=(1500.0, 1500.0), anchor=True
)


def test_text_becomes_markup_only_through_a_tag() -> None:
    assert tag("b", "<&", tag("i", "x"), title='"', class_=None) == (
        '<b title="&quot;">&lt;&amp;<i>x</i></b>'
    )
    assert together("<", Html("<hr>")) == "&lt;<hr>"


def test_an_elo_stands_beside_matches_win_share_mean_place_and_interval() -> None:
    page = tables.leaderboard([LINE, HONEST], "bluff")
    for shown in ("1523", "1480 – 1567", "1,234", "51.5%", "1.49", "1–3", "ada", "±43"):
        assert shown in page
    assert "matches?bot=alpha&amp;game=bluff" in page
    assert page.count(">house<") == 1 and page.count(">anchor<") == 1


def test_a_luck_adjusted_elo_is_labelled_and_ranks_nobody() -> None:
    plain = tables.leaderboard([LINE, HONEST], "bluff")
    assert "Luck-adjusted" not in plain
    assert tables.luck_note([LINE, HONEST], "bluff") is None
    better = LuckAdjusted(1600.0, (1565.0, 1635.0), 0.66)
    anchored = LuckAdjusted(1500.0, (1500.0, 1500.0), None)
    lines = [
        replace(HONEST, rank=1, luck_adjusted=anchored),
        replace(LINE, rank=2, elo=1490.0, luck_adjusted=better),
    ]
    page = tables.leaderboard(lines, "bluff")
    assert page.index("honest") < page.index("alpha")
    assert ">Luck-adjusted</th>" in page and "It does not affect ranks." in page
    assert page.count("1600 ± 35") == 2 and "1500 ±" not in page
    note = tables.luck_note(lines, "bluff")
    assert note is not None and "0.66 of the official" in note and "bluff_1.json" in note


@pytest.mark.parametrize("flag", list(Flag))
def test_every_flag_is_explained(flag: Flag) -> None:
    page = tables.leaderboard([replace(LINE, flags=frozenset({flag}))], "bluff")
    assert 'class="ba-badge ba-warn" title="' in page


def test_hostile_names_stay_text() -> None:
    page = tables.leaderboard([replace(LINE, bot="<script>", owner="&")], "bluff")
    assert "<script>" not in page


def seat(bot: str, placing: int, **changes: Any) -> SeatRow:
    fields: dict[str, Any] = {
        "version_id": VersionId(1),
        "bot": bot,
        "version": "1",
        "owner": "o",
        "placing": placing,
        "score": 1,
        "faults": 0,
        "forfeited": False,
    }
    return SeatRow(**(fields | changes))


ROW = MatchRow(
    match_id="m",
    game="bluff",
    options={"show_and_reroll": True, "dice_per_player": 3},
    seat_count=2,
    block_id="b",
    position=0,
    termination="finished",
    decided_by_faults=False,
    started_at=datetime(2026, 5, 1, 12, tzinfo=UTC),
    finished_at=datetime(2026, 5, 1, 12, 0, 5, tzinfo=UTC),
    rated=True,
    voided=False,
    seats=(seat("late", 2, faults=2), seat("early", 1), seat("gone", 3, faults=3, forfeited=True)),
)


def test_a_match_lists_its_seats_by_placing_with_their_faults() -> None:
    page = tables.matches([ROW])
    assert page.index("early") < page.index("late") < page.index("gone")
    assert "2 faults" in page and "forfeit" in page and "3 faults" not in page
    assert "show and reroll, dice per player 3" in page
    assert "2026-05-01 12:00:05" in page
    assert "void" not in page and "not counted" not in page


def test_what_does_not_count_says_so() -> None:
    assert ">void<" in tables.matches([replace(ROW, rated=False, voided=True)])
    assert ">not counted<" in tables.matches([replace(ROW, rated=False)])


def test_a_game_this_release_does_not_know_is_listed_by_its_id() -> None:
    assert ">chess<" in tables.matches([replace(ROW, game="chess")]).replace("chess<div", "chess<")


def test_the_picture_of_a_ladder_has_its_intervals_and_the_anchor() -> None:
    frame = data.frame([LINE, HONEST])
    spec = charts.ratings(frame, "honest 1.2").to_dict()
    line, bars, dots = spec["layer"]
    assert [part["mark"]["type"] for part in (line, bars, dots)] == ["rule", "rule", "point"]
    values = {row["bot"]: row for rows in spec["datasets"].values() for row in rows if "bot" in row}
    assert values["alpha 1.2"]["low"] == 1480.2 and values["alpha 1.2"]["high"] == 1566.6
    low, high = bars["encoding"]["x"]["scale"]["domain"]
    assert low < 1480.2 and high > 1566.6
    assert dots["encoding"]["y"]["sort"] == ["alpha 1.2", "honest 1.2"]
    assert [row for rows in spec["datasets"].values() for row in rows if "bot" not in row] == [
        {"elo": 1500.0}
    ]


def test_the_picture_says_in_words_what_it_shows() -> None:
    assert charts.in_words(data.frame([LINE])) == (
        "Elo with 95 % intervals, best first: alpha 1.2 1523 (1480 to 1567)"
    )
