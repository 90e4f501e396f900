"""Each connected copy of a bot is told the ends that it missed, and no others."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from structlog.testing import capture_logs

from arena.database.errors import StorageFailedError
from arena.match.replay import replay
from arena.match.transcript import Entrant, Transcript
from arena.records import Registered, UntoldEnd, VersionId
from arena.server.play.compiled import IN_PYTHON
from arena.server.play.missed_ends import AT_ONCE, KEPT_SECONDS, TOLD_AT_ONCE, MissedEnds
from arena.server.play.outbox import MOST_UNTOLD, Outbox
from arena.server.play.session import Session
from arena.v1 import referee_pb2
from tests.bots import PATIENCE
from tests.fakes import HandTimer
from tests.server.play.hosted_matches import Scene
from tests.waiting import until_async

VERSION = VersionId(1)


@dataclass
class Ends:
    """An EndStore whose matches nobody knows any more, so that nothing needs to be sent."""

    untold: list[UntoldEnd]
    asked: list[str] = field(default_factory=list)
    transactions: int = 0

    async def untold_ends(self) -> Sequence[UntoldEnd]:
        return list(self.untold)

    async def add_untold(self, ends: Sequence[UntoldEnd]) -> None:
        self.transactions += 1
        self.untold += ends

    async def remove_untold(self, ends: Sequence[UntoldEnd]) -> None:
        self.transactions += 1
        self.untold = [end for end in self.untold if end not in ends]

    async def transcript(self, match_id: str) -> Transcript | None:
        self.asked.append(match_id)
        return None


def copy(instance: str) -> Session:
    registered = Registered(VERSION, Entrant("bot", "1", "owner"), False)
    nothing = cast(Any, lambda *_: None)
    return Session(0, registered, instance, IN_PYTHON, nothing, nothing, nothing, nothing)


async def test_a_copy_is_told_the_ends_of_its_own_matches() -> None:
    ends = Ends([UntoldEnd(f"of {name}", VERSION, name) for name in ("left", "right", "")])
    missed = MissedEnds(ends)
    await missed.load()
    task = asyncio.create_task(missed.run())
    told = []
    for name in ("right", "another", "", "left"):
        missed.came(copy(name))
        await missed.settled()
        told.append(ends.asked[:])
        ends.asked.clear()
    task.cancel()
    assert told == [["of right"], [], ["of "], ["of left"]]
    assert ends.untold == []


class Played(Ends):
    """An EndStore in which every match is the same one, played to its end."""

    failures: tuple[Exception, ...] = ()

    async def transcript(self, match_id: str) -> Transcript | None:
        self.asked.append(match_id)
        if self.failures:
            error, *rest = self.failures
            self.failures = tuple(rest)
            raise error
        scene = Scene().begin()
        scene.play_on()
        return scene.transcript


def connected(instance: str = "") -> tuple[Session, Outbox]:
    session, outbox = copy(instance), Outbox(lambda: None, lambda: None)
    session.attach(outbox, frozenset(["bluff"]), 1)
    return session, outbox


def end(number: int, instance: str = "") -> UntoldEnd:
    return UntoldEnd(f"match {number}", VERSION, instance)


@asynccontextmanager
async def working(
    store: Ends, *, at_once: int = AT_ONCE, retry_seconds: float = 0.0
) -> AsyncIterator[MissedEnds]:
    missed = MissedEnds(store, at_once=at_once, retry_seconds=retry_seconds)
    await missed.load()
    task = asyncio.create_task(missed.run())
    try:
        async with asyncio.timeout(PATIENCE):
            yield missed
            await missed.settled()
    finally:
        task.cancel()


async def test_a_missed_end_is_kept_and_sent_with_all_its_events_when_the_bot_is_back() -> None:
    store = Played([])
    async with working(store) as missed:
        missed.missed(copy(""), "match 1")
        missed.missed(copy(""), "match 2")
        await missed.settled()
        assert store.untold == [end(1), end(2)]
        session, outbox = connected()
        missed.came(session)
        await missed.settled()
        sent = referee_pb2.PlayResponse.FromString(outbox.take())
    assert len(sent.ends) == 2
    assert store.asked == ["match 1", "match 2"]
    played = await store.transcript("match")
    assert played is not None
    public = [event for frame in replay(played) for event in frame.events]
    assert [len(one.events) for one in sent.ends] == [len(public)] * 2
    assert store.untold == []


async def test_a_bot_that_missed_many_keeps_nobody_waiting() -> None:
    class Noted(Ends):
        async def add_untold(self, ends: Sequence[UntoldEnd]) -> None:
            self.asked.append("stored")
            await super().add_untold(ends)

    many = [end(number) for number in range(TOLD_AT_ONCE + 1)]
    store = Noted([*many, UntoldEnd("of another", VERSION, "other")])
    async with working(store) as missed:
        missed.came(copy(""))
        missed.came(copy("other"))
        missed.missed(copy("away"), "match 7")
        await missed.settled()
    first, last = many[:TOLD_AT_ONCE], many[TOLD_AT_ONCE]
    asked = [*(one.match_id for one in first), "of another", "stored", last.match_id]
    assert store.asked == asked
    assert store.untold == [end(7, "away")]


async def test_only_the_newest_ends_of_a_version_are_kept() -> None:
    store = Played([])
    async with working(store) as missed:
        for number in range(MOST_UNTOLD + 2):
            missed.missed(copy(""), f"match {number}")
        await missed.settled()
        newest = [end(number) for number in range(2, MOST_UNTOLD + 2)]
        assert store.untold == newest
        assert list(missed._untold[VERSION]) == newest


async def test_ends_that_are_missed_one_after_the_other_are_kept_together() -> None:
    store = Played([])
    async with working(store) as missed:
        for number in range(MOST_UNTOLD):
            missed.missed(copy(""), f"match {number}")
        await missed.settled()
        assert store.transactions == 1
        for number in range(MOST_UNTOLD, 2 * MOST_UNTOLD):
            missed.missed(copy(""), f"match {number}")
        await missed.settled()
        assert store.transactions == 3
    assert store.untold == [end(number) for number in range(MOST_UNTOLD, 2 * MOST_UNTOLD)]


async def test_more_than_one_transaction_takes_are_kept_by_several() -> None:
    store = Played([])
    async with working(store, at_once=10) as missed:
        for number in range(25):
            missed.missed(copy(""), f"match {number}")
        await missed.settled()
    assert (store.transactions, store.untold) == (3, [end(number) for number in range(25)])


async def test_one_that_is_missed_while_others_are_written_is_written_next() -> None:
    added, goes_on = asyncio.Event(), asyncio.Event()

    class Slow(Played):
        async def add_untold(self, ends: Sequence[UntoldEnd]) -> None:
            added.set()
            await goes_on.wait()
            await super().add_untold(ends)

    store = Slow([])
    async with working(store) as missed:
        for number in range(MOST_UNTOLD):
            missed.missed(copy(""), f"match {number}")
        await added.wait()
        missed.missed(copy(""), f"match {MOST_UNTOLD}")  # one too many: the first is forgotten
        goes_on.set()
        await missed.settled()
    assert store.untold == [end(number) for number in range(1, MOST_UNTOLD + 1)]


async def test_of_those_that_an_earlier_referee_left_the_newest_are_told() -> None:
    store = Ends([end(number) for number in range(MOST_UNTOLD + 1)])
    async with working(store) as missed:
        missed.came(copy(""))
        await missed.settled()
    assert store.asked == [f"match {number}" for number in range(1, MOST_UNTOLD + 1)]


async def test_an_end_that_nobody_fetched_within_a_day_is_told_no_more_and_forgotten() -> None:
    store, clock = Played([]), HandTimer()
    missed = MissedEnds(store, clock.now)
    await missed.load()
    task = asyncio.create_task(missed.run())
    missed.missed(copy("away"), "match 1")
    clock.turn(KEPT_SECONDS / 2)
    missed.missed(copy("late"), "match 2")
    clock.turn(KEPT_SECONDS / 2 + 1)
    missed.came(connected("away")[0])
    missed.came(connected("late")[0])
    missed.missed(copy("late"), "match 3")
    await missed.settled()
    task.cancel()
    assert store.asked == ["match 2"]
    assert store.untold == [end(3, "late")]
    assert list(missed._untold[VERSION]) == [end(3, "late")]


async def test_a_bot_that_is_gone_again_is_told_the_next_time() -> None:
    store = Played([end(1)])
    async with working(store) as missed:
        missed.came(copy(""))  # its stream ended before its turn came
        await missed.settled()
        assert store.untold == [end(1)]
        session, outbox = connected()
        missed.came(session)
        await missed.settled()
        assert len(referee_pb2.PlayResponse.FromString(outbox.take()).ends) == 1
    assert store.untold == []


async def test_while_storage_fails_it_tries_again_and_tells_each_end_once() -> None:
    store = Played([end(1), end(2)])
    store.failures = (StorageFailedError("away"), StorageFailedError("still away"))
    loop = asyncio.get_running_loop()
    with capture_logs() as log:
        async with working(store, retry_seconds=0.05) as missed:
            session, outbox = connected()
            began = loop.time()
            missed.came(session)
            await missed.settled()
            sent = referee_pb2.PlayResponse.FromString(outbox.take())
    assert loop.time() - began >= 2 * 0.05
    assert len(sent.ends) == 2
    assert [line["why"] for line in log] == ["away", "still away"]
    assert store.untold == []


async def test_a_bot_that_goes_and_comes_back_while_its_ends_wait_is_told_them() -> None:
    store = Played([end(1), end(2)])
    store.failures = (StorageFailedError("away"),)
    with capture_logs() as log:
        async with working(store, retry_seconds=0.05) as missed:
            gone, nothing = connected()
            missed.came(gone)
            await until_async(lambda: log)
            gone.detach(goodbye=False)
            missed.missed(gone, "match 3")
            back, outbox = connected()
            missed.came(back)
            await missed.settled()
            sent = referee_pb2.PlayResponse.FromString(outbox.take())
    assert len(sent.ends) == 3
    assert store.asked == ["match 1", "match 1", "match 2", "match 3"]
    assert nothing.parts is None
    assert store.untold == []


async def test_an_end_that_cannot_be_told_is_logged_and_kept_and_holds_up_no_other() -> None:
    store = Played([end(1), end(2)])
    store.failures = (RuntimeError("a bug of ours"),)
    with capture_logs() as log:
        async with working(store) as missed:
            session, outbox = connected()
            missed.came(session)
            await missed.settled()
            sent = referee_pb2.PlayResponse.FromString(outbox.take())
    assert len(sent.ends) == 1
    assert [line["match"] for line in log] == ["match 1"]
    assert store.untold == [end(1)]  # a newer release may tell it
