"""Tables from plain values."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from arena.database.rows import MatchRow, SeatRow
from arena.match.clock import TimeControl
from arena.records import VersionId
from arena_dashboard.matches.match_page import match_facts
from arena_dashboard.parts import tables
from arena_dashboard.parts.markup import Html, tag, together


def test_text_becomes_markup_only_through_a_tag() -> None:
    assert tag("b", "<&", tag("i", "x"), title='"', class_=None) == (
        '<b title="&quot;">&lt;&amp;<i>x</i></b>'
    )
    assert together("<", Html("<hr>")) == "&lt;<hr>"


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
    time_control=TimeControl(60_000, 600_000),
    rated=True,
    voided=False,
    seats=(seat("late", 2, faults=2), seat("early", 1), seat("gone", 3, faults=3, forfeited=True)),
)


def test_a_match_lists_its_seats_by_placing_with_their_faults() -> None:
    page = tables.matches([ROW])
    assert page.index("early") < page.index("late") < page.index("gone")
    assert "2 faults" in page and "forfeit" in page and "3 faults" not in page
    assert "show and reroll, dice per player 3" in page
    assert "2026-05-01 12:00:05 UTC" in page and "bot?bot=early" in page
    assert "60s a turn, 10m in the bank" in page
    assert "void" not in page and "not rated yet" not in page


def test_what_does_not_count_says_so() -> None:
    assert ">void<" in tables.matches([replace(ROW, rated=False, voided=True)])
    waiting = tables.matches([replace(ROW, rated=False)])
    (why,) = re.findall(r"<details.*?</details>", waiting)
    assert ">not rated yet<" in why and "once its block is complete" in why
    assert "<details" not in tables.matches([ROW])
    for casual, why in ((True, "a challenge"), (False, "an unrated tournament")):
        row = replace(ROW, rated=False, unrated=True, casual=casual)
        for page in (tables.matches([row]), match_facts(row, None, None)):
            assert ">unrated<" in page and ">not rated yet<" not in page and ">rated<" not in page
            assert f"It was played for {why} and counts for no rating." in page


def test_a_game_this_release_does_not_know_is_listed_by_its_id() -> None:
    assert ">chess<" in tables.matches([replace(ROW, game="chess")]).replace("chess<div", "chess<")
