"""Any part is killed at any moment, again and again: play goes on, and what was told is true.

A few rounds are part of the suite; `pytest tests/chaos --rounds 200` plays any number.
"""

import json
import statistics
import time
from collections import defaultdict
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random

import pytest

from arena.database.errors import StorageError
from arena.database.reading import Read, open_reader
from arena.rating.ladder_id import LadderId
from arena.server.boards.live_board import LiveBoard
from tests.chaos.disturbances import DISTURBANCES, impossible
from tests.chaos.stage import Stage, stage

BETWEEN_SECONDS = (0.1, 1.0)
"""How long play is left alone between two disturbances."""


@pytest.mark.timeout(0)  # any number of rounds
def test_whatever_is_killed_play_goes_on_and_no_result_is_lost_doubled_or_void(
    home: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    report = request.config.getoption("--chaos-report", None)
    random = Random(request.config.getoption("--chaos-seed", 1))
    seconds: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    """Until all was undone, until bots acted again, and until a later result was recorded."""
    with stage(home) as arena, open_reader(arena.url) as read:
        board = fresh_board(read)
        ever_running: set[str] = set()
        left_out = impossible(arena)
        kinds = [one for one in DISTURBANCES if one not in left_out]
        if only := request.config.getoption("--chaos-only", None):
            kinds = [one for one in kinds if one.__name__ in only]
            assert len(kinds) == len(only), f"{only}: a kind is unknown, or cannot be done here"
        rounds = request.config.getoption("--rounds", None) or len(kinds)
        for number in range(rounds):
            time.sleep(random.uniform(*BETWEEN_SECONDS))
            disturb = kinds[number % len(kinds)]
            running = arena.ids("SELECT id FROM running_matches")
            ever_running |= running
            began = time.monotonic()
            disturb(arena, random)
            lasted, moment = time.monotonic() - began, arena.now()
            arena.until_play_goes_on()
            acting = time.monotonic() - began
            arena.until_recorded(moment)
            seconds[disturb.__name__].append((lasted, acting, time.monotonic() - began))
            assert_nothing_is_lost(arena, running)
            with suppress(StorageError):
                board.now()  # it grows as it does for a viewer
            if report is not None:
                line = {
                    "round": number + 1,
                    "disturbance": disturb.__name__,
                    "seconds": [round(one, 2) for one in seconds[disturb.__name__][-1]],
                    "running": len(running),
                    "matches": arena.count("SELECT count(*) FROM matches"),
                    "ends": len(arena.ends()),
                }
                with report.open("a") as file:
                    file.write(json.dumps(line) + "\n")
        for bot in arena.bots:
            bot.terminate()  # they drain
        for bot in arena.bots:
            assert bot.wait(120) == 0
        assert_all_is_settled(arena, ever_running)
        assert figures(board) == figures(fresh_board(read))
        assert arena.referee.stop() == 0
    with capsys.disabled():
        for disturb, why in left_out.items():
            print(f"\n{disturb.__name__} skipped: {why}", end="")
        for name, taken in seconds.items():
            lasted, acting, recording = (
                f"{statistics.median(column):.1f} s ({max(column):.1f})"
                for column in zip(*taken, strict=True)
            )
            print(
                f"\n{name}, {len(taken)} times, median (longest): "
                f"lasted {lasted}, acting after {acting}, recording after {recording}",
                end="",
            )


def fresh_board(read: Read) -> LiveBoard:
    """By a clock that is far on whenever the board is asked, so that it never rests."""
    moments = (number // 2 * 1_000.0 for number in count())
    ladder = LadderId.of("bluff", {"dice_per_player": 3}, [2])
    return LiveBoard(ladder, read, clock=moments.__next__)


def figures(board: LiveBoard) -> list[tuple[int, int, float]]:
    """(version, matches, Elo) by rank. In sums the order of addition shows behind the comma."""
    return [(line.version_id, line.matches, round(line.elo, 6)) for line in board.now().lines]


def assert_nothing_is_lost(arena: Stage, running: set[str]) -> None:
    """`running` are the matches that ran at the disturbance."""
    # In this order: a match moves from the one to the other.
    still = arena.ids("SELECT id FROM running_matches")
    recorded = arena.ids("SELECT match_id FROM transcripts")
    assert running <= still | recorded, "a running match has vanished"
    assert_ends_are_recorded(arena)
    assert arena.count("SELECT count(*) FROM blocks WHERE voided_at IS NOT NULL") == 0
    states = [bot.poll() for bot in arena.bots]
    assert states == [None] * len(states), "a bot has ended: did a transcript fail its checks?"


def assert_ends_are_recorded(arena: Stage) -> None:
    """Every end that a bot has seen is recorded, once, as it was told."""
    ends = arena.ends()
    placings = {
        str(match): ",".join(map(str, placing))
        for match, placing in arena.sql(
            'SELECT match_id, array_agg("placing" ORDER BY seat) FROM match_seats GROUP BY match_id'
        )
    }
    assert {match for match, _ in ends} <= placings.keys(), "an end was told and not recorded"
    assert [one for one in ends if placings[one[0]] != one[1]] == []


def assert_all_is_settled(arena: Stage, ever_running: set[str]) -> None:
    """After the last match."""
    recorded = arena.ids("SELECT id FROM matches")
    assert ever_running <= recorded
    assert_ends_are_recorded(arena)
    for table in ("running_matches", "running_replies", "running_blocks"):
        assert arena.count(f"SELECT count(*) FROM {table}") == 0, table
    unfinished = "closed_at IS NULL OR voided_at IS NOT NULL"
    assert arena.count(f"SELECT count(*) FROM blocks WHERE {unfinished}") == 0
    # Every match of a closed block is rated once.
    assert arena.count("SELECT count(*) FROM rating_events") == len(recorded)
    assert arena.count("SELECT count(DISTINCT match_id) FROM rating_events") == len(recorded)
    counted = "SELECT version_id, matches, faults FROM version_counts ORDER BY version_id"
    recounted = (
        "SELECT version_id, count(DISTINCT match_id), sum(faults) FROM match_seats"
        " GROUP BY version_id ORDER BY version_id"
    )
    assert arena.sql(counted) == arena.sql(recounted)
