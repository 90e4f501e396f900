"""A live board reads what is new, not too often, and shows what the whole log gives."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arena.database.errors import DatabaseUnreachableError
from arena.database.reading import Reader
from arena.rating.ladder_id import LadderId
from arena.server.app.store import open_store
from arena.server.boards.board import REST_SECONDS
from arena.server.boards.live_board import MOST_BOARDS, LiveBoard, LiveBoards, follow
from tests.bots import PATIENCE
from tests.recorded_results import finished

VERSIONS = [
    SimpleNamespace(id=1, bot="honest", version="1", owner="arena", house=True),
    SimpleNamespace(id=2, bot="alpha", version="1", owner="ada", house=False),
    SimpleNamespace(id=3, bot="beta", version="1", owner="bob", house=False),
]


class Log:
    """A database with one ladder's results, and events of other ladders between them."""

    def __init__(self) -> None:
        self.last = 0
        self.revision = 1
        self.rows: list[Any] = []
        self.asked: list[str] = []
        self.versions_away = False

    def add(self, *placings: tuple[int, int], first: int = 1) -> None:
        for placing in placings:
            self.last += 2
            self.rows.append(
                [
                    (
                        self.last,
                        self.last.to_bytes(16, "big"),
                        seat,
                        first + seat,
                        place,
                        np.nan,
                        0,
                        0,
                    )
                    for seat, place in enumerate(placing)
                ]
            )

    def columns(self, statement: Any, row: np.dtype[np.void]) -> Any:
        after, *until = (
            value
            for name, value in statement.compile().params.items()
            if name.startswith("sequence")
        )
        self.asked.append(f"after {after}")
        last = min(until, default=self.last)
        seats = [seat for seats in self.rows for seat in seats if after < seat[0] <= last]
        return np.array(seats, row)

    def __call__(self, statement: Any) -> Sequence[Any]:
        text = str(statement)
        if "max(rating_events" in text:
            self.asked.append("last")
            end = {"sequence": self.last, "revision": self.revision}
            return [SimpleNamespace(**end, ranked_versions=None, ranked_days=None)]
        if "board_checkpoints" in text:
            return []
        if "rating_events" in text:
            return [SimpleNamespace(found=False)]
        self.asked.append("versions")
        if self.versions_away:
            raise DatabaseUnreachableError("away")
        (asked,) = statement.compile().params.values()
        return [one for one in VERSIONS if one.id in asked]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def rest(self) -> None:
        self.now += REST_SECONDS


def board(log: Log, clock: Clock) -> LiveBoard:
    return LiveBoard(LadderId("bluff", "{}", (2,)), log, clock)


def test_results_are_read_only_when_the_last_number_moved() -> None:
    log, clock = Log(), Clock()
    live = board(log, clock)
    assert live.now().lines == ()
    log.add((1, 2), (2, 1))
    clock.rest()
    assert live.now().matches == 2
    clock.rest()
    live.now()
    log.add((1, 2))
    clock.rest()
    assert live.now().matches == 3
    # Of the bots only those are read that are new on the board.
    assert log.asked == ["last", "last", "after 0", "versions", "last", "last", "after 4"]


def test_results_whose_bots_could_not_be_read_are_shown_at_the_next_look() -> None:
    log, clock = Log(), Clock()
    live = board(log, clock)
    log.add((1, 2))
    assert len(live.now().lines) == 2
    log.add((1, 2), first=2)
    log.versions_away = True
    clock.rest()
    with pytest.raises(DatabaseUnreachableError):
        live.now()
    log.versions_away = False
    clock.rest()
    assert {line.bot for line in live.now().lines} == {"honest", "alpha", "beta"}


def test_many_visitors_cost_no_more_than_one() -> None:
    log, clock = Log(), Clock()
    live = board(log, clock)
    log.add((1, 2))
    first = live.now()
    log.add((1, 2))
    assert all(live.now() is first for _ in range(10))
    assert log.asked.count("last") == 1


def test_events_of_other_ladders_are_not_looked_through_again() -> None:
    log, clock = Log(), Clock()
    live = board(log, clock)
    log.add((1, 2))
    live.now()
    log.last += 1000
    clock.rest()
    live.now()
    log.add((2, 1))
    clock.rest()
    assert live.now().matches == 2
    assert f"after {log.last - 2}" in log.asked


def test_it_shows_what_the_whole_log_gives() -> None:
    log, clock = Log(), Clock()
    growing = board(log, clock)
    for placings in ((1, 2), (2, 1), (1, 2), (1, 1), (1, 2)):
        log.add(placings)
        clock.rest()
        growing.now()
    grown, whole = growing.now().lines, board(log, clock).now().lines
    assert [line.bot for line in grown] == [line.bot for line in whole]
    assert [line.elo for line in grown] == pytest.approx([line.elo for line in whole], abs=1e-6)
    anchor = growing.now().anchor
    assert anchor is not None and anchor.bot == "honest"


def test_the_trend_is_of_the_latest_tenth_of_the_matches_once_there_are_fifty() -> None:
    log, clock = Log(), Clock()
    live = board(log, clock)
    assert live.trend() == {}
    log.add(*[(1, 2), (2, 1)] * 15, *[(2, 1)] * 19)
    live.now()
    assert live.trend() == {}
    log.add(*[(1, 2), (2, 1)] * 215, *[(2, 1)] * 53)  # of the bot beside the anchor
    clock.rest()
    assert live.now().matches == 532
    ((bot, gained),) = live.trend().items()
    assert (bot, gained > 20) == (2, True)
    log.add(*[(1, 2), (2, 1)] * 50)
    clock.rest()
    live.now()
    assert live.trend() == {}


def test_the_boards_asked_for_last_are_kept_and_older_ones_are_read_anew() -> None:
    boards = LiveBoards(Log())
    ladders = [LadderId("bluff", "{}", (seats,)) for seats in range(2, 3 + MOST_BOARDS)]
    first, second, *others = ladders[:MOST_BOARDS]
    kept, forgotten = boards.board(first), boards.board(second)
    for ladder in others:
        boards.board(ladder)
    assert boards.board(first) is kept
    boards.board(ladders[-1])
    assert boards.board(first) is kept
    assert boards.board(second) is not forgotten


@pytest.mark.slow
async def test_whoever_follows_a_board_sees_it_now_and_whenever_it_changed(
    database: str, read: Reader
) -> None:
    live = LiveBoard(LadderId.of("bluff", {}, (2,)), read)
    async with (
        open_store(database) as store,
        aclosing(follow(database, live)) as boards,
        asyncio.timeout(PATIENCE),
    ):
        assert (await anext(boards)).matches == 0
        versions = [(await store.register(name, "me"))[0].version_id for name in ("one", "two")]
        await store.record([finished(versions)])
        assert (await anext(boards)).matches == 1
        later, _ = await store.register("one", "me", version="2")
        await store.record([finished([later.version_id, versions[1]])])
        assert [line.ranked for line in (await anext(boards)).lines] == [True] * 3
        await store.policies.change({"ranked_versions": 1}, "operator")
        ruled = await anext(boards)
        assert ruled.matches == 2
        assert [(line.bot, line.version) for line in ruled.old] == [("one", "1")]
