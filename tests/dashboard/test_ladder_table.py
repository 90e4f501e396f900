"""The content of the leaderboard's table from plain lines."""

from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from typing import Any

import pytest

from arena.lab.analysis import Estimate
from arena.rating.flags import Flag
from arena.records import EDITION, CheckOrigin, CheckOutcome, VersionId
from arena.server.boards.board import BoardLine
from arena.server.boards.luck_adjusted import LuckAdjusted
from arena.server.results.benchmarks import BenchmarkFigure
from arena.server.uploads.checks import RecordedCheck, check_in_words
from arena_dashboard.ladders import ladder_table

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
    band=0,
)
HONEST = replace(
    LINE, rank=3, bot="honest", house=True, elo=1500.0, interval=(1500.0, 1500.0), anchor=True
)
LOSS = Estimate(0.03216, 0.0041)


def lines(*ranges: tuple[int, int]) -> list[BoardLine]:
    """Lines with these ranges of ranks, in their order."""
    return [
        replace(LINE, rank=rank, rank_low=low, rank_high=high, elo=1600.0 - rank)
        for rank, (low, high) in enumerate(ranges, start=1)
    ]


def content_of(found: list[BoardLine], *more: Any, **named: Any) -> dict[str, Any]:
    """The content of all these lines."""
    return ladder_table.content(found, range(len(found)), "bluff", *more, **named)


def rows(found: list[BoardLine]) -> list[list[Any]]:
    content: list[list[Any]] = content_of(found)["rows"]
    return content


def test_a_row_has_rank_range_elo_interval_matches_share_and_place() -> None:
    assert rows([LINE])[0] == [
        *(7, 2, 1, 3, "alpha", "1.2", "ada", False, False, 1523.4, 1480.2, 1566.6),
        *(1234, 0.515, 1.485, "", [], 0, None, None, None, None),
    ]
    house, anchor = rows([LINE, HONEST])[1][7:9]
    assert house and anchor


def test_the_trend_of_a_bot_is_whole_points_and_unknown_for_a_new_one() -> None:
    found = content_of([LINE, HONEST], {LINE.version_id: -12.6})
    assert "latest 10%" in found["hints"]["trend"]
    assert [row[18] for row in found["rows"]] == [-13, -13]
    found = content_of([LINE], {VersionId(1): 3.0})
    assert [row[18] for row in found["rows"]] == [None]
    assert [row[18] for row in content_of([LINE])["rows"]] == [None]


def test_the_mean_loss_is_in_percent_and_is_not_shown_of_one_match() -> None:
    found = content_of(
        [LINE, replace(HONEST, version_id=VersionId(1))],
        losses={LINE.version_id: LOSS, VersionId(1): Estimate(0.1, inf)},
    )
    assert found["losses"] and "percent of a win" in found["hints"]["loss"]
    assert [row[20] for row in found["rows"]] == [[3.22, 0.41], None]


@pytest.mark.parametrize(
    "losses", [{}, {LINE.version_id: Estimate(0.1, inf)}, {VersionId(1): LOSS}]
)
def test_a_board_of_which_no_mean_loss_is_known_has_no_column_of_them(
    losses: dict[VersionId, Estimate],
) -> None:
    assert not content_of([LINE], losses=losses)["losses"]


def test_a_benchmark_is_a_share_in_percent_and_there_is_no_column_without_one() -> None:
    figure = BenchmarkFigure(70, 0.46612, 0.429, 0.503, datetime.now(UTC))
    found = content_of(
        [LINE, replace(HONEST, version_id=VersionId(1))], benchmarks={LINE.version_id: figure}
    )
    assert found["benchmarks"] and "50 is level" in found["hints"]["benchmark"]
    assert [row[21] for row in found["rows"]] == [[46.61, 3.7], None]
    assert not content_of([LINE])["benchmarks"]


def test_the_axis_holds_all_bots_and_one_wide_interval_does_not_flatten_the_rest() -> None:
    content = content_of([LINE, HONEST])
    assert content["low"] < 1480.2 and content["high"] > 1566.6
    endless = replace(LINE, interval=(1400.0, 99_999.0))
    content = content_of([endless, HONEST])
    assert 1523.4 < content["high"] < 1700


def test_a_luck_adjusted_elo_is_labelled_and_ranks_nobody() -> None:
    assert not content_of([LINE, HONEST])["adjusted"]
    assert ladder_table.luck_note([LINE, HONEST], "bluff") is None
    better = LuckAdjusted(1600.0, (1565.0, 1635.0), 0.66)
    anchored = LuckAdjusted(1500.0, (1500.0, 1500.0), None)
    found = [
        replace(HONEST, rank=1, luck_adjusted=anchored),
        replace(LINE, rank=2, elo=1490.0, luck_adjusted=better),
    ]
    content = content_of(found)
    assert content["adjusted"] and "It does not affect ranks." in content["hints"]["adjusted"]
    assert [row[4] for row in content["rows"]] == ["honest", "alpha"]
    assert [row[15] for row in content["rows"]] == ["", "1600 ± 35"]
    note = ladder_table.luck_note(found, "bluff")
    assert note is not None and "0.66 of the official" in note and "bluff_1.json" in note


@pytest.mark.parametrize("flag", list(Flag))
def test_every_flag_is_explained(flag: Flag) -> None:
    content = content_of([replace(LINE, flags=frozenset({flag}))])
    (word, hint) = content["flags"][content["rows"][0][16][0]]
    assert word and hint.endswith(".")


def test_a_page_of_a_long_ladder_has_its_rows_in_the_bands_of_the_whole_ladder() -> None:
    many = lines(*((rank, rank) for rank in range(1, 501)))
    many = [replace(line, band=line.rank - 1) for line in many]
    content = ladder_table.content(many, range(200, 300), "bluff")
    assert [row[1] for row in content["rows"]] == list(range(201, 301))
    assert [row[17] for row in content["rows"]] == list(range(200, 300))


def test_a_check_is_a_mark_that_says_what_was_found() -> None:
    at = datetime(2026, 3, 4, 23, 0, tzinfo=UTC)
    well = RecordedCheck(CheckOutcome(EDITION, 15, (), ("drain",)), CheckOrigin.AUTHOR, at)
    hosted = replace(well, origin=CheckOrigin.ARENA)
    badly = replace(well, outcome=CheckOutcome(EDITION, 18, ("drain", "takeover")))
    checks = {LINE.version_id: well}
    assert content_of([LINE], {}, checks)["rows"][0][19] == [
        "checked",
        "Checked by its author on 2026-03-04: 15 of 15 scenarios met; not tried: drain.",
        True,
    ]
    assert check_in_words(hosted) == (
        "Checked by the arena on 2026-03-04: 15 of 15 scenarios met; not tried: drain (nobody asks "
        "a hosted bot to leave)."
    )
    before = replace(well, outcome=CheckOutcome(EDITION - 1, 14))
    assert check_in_words(before) == (
        "Checked by its author on 2026-03-04: 14 of 14 scenarios of an earlier edition met."
    )
    assert content_of([LINE], {}, {LINE.version_id: badly})["rows"][0][19] == [
        "2 failed",
        "Checked by its author on 2026-03-04: 18 of 20 scenarios met; failed: drain, takeover.",
        False,
    ]
