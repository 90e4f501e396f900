"""Lookups that share a question to the database."""

import asyncio
import gc
from collections.abc import Sequence

import pytest
from sqlalchemy import event

from arena.database.batched_lookup import BatchedLookup
from arena.server.app.referees_store import RefereesStore
from tests.bots import PATIENCE


class Asked:
    """Lengths of words; each question waits until it is answered."""

    def __init__(self) -> None:
        self.questions: list[list[str]] = []
        self.answers: asyncio.Queue[dict[str, int] | Exception] = asyncio.Queue()

    async def look_up(self, words: Sequence[str]) -> dict[str, int]:
        self.questions.append(list(words))
        answer = await self.answers.get()
        if isinstance(answer, Exception):
            raise answer
        return answer


async def steps() -> None:
    """Let all that can go on do so."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_all_who_ask_at_once_share_a_question_and_who_comes_later_the_next() -> None:
    asked = Asked()
    lookup = BatchedLookup(asked.look_up)
    first = [asyncio.create_task(lookup.get(word)) for word in ("a", "bb", "a")]
    await steps()
    later = [asyncio.create_task(lookup.get(word)) for word in ("a", "ccc", "none")]
    await steps()
    assert asked.questions == [["a", "bb"]]
    asked.answers.put_nowait({"a": 1, "bb": 2})
    assert await asyncio.gather(*first) == [1, 2, 1]
    await steps()
    assert asked.questions[1:] == [["a", "ccc", "none"]]
    asked.answers.put_nowait({"a": 10, "ccc": 3})
    assert await asyncio.gather(*later) == [10, 3, None]


async def test_a_question_has_so_many_keys_at_most() -> None:
    asked = Asked()
    lookup = BatchedLookup(asked.look_up, most=2)
    for _ in range(2):
        asked.answers.put_nowait({})
    await asyncio.gather(*(lookup.get(word) for word in "abc"))
    assert asked.questions == [["a", "b"], ["c"]]


async def test_an_error_reaches_all_who_share_the_question_and_nobody_after_them() -> None:
    asked = Asked()
    lookup = BatchedLookup(asked.look_up)
    asked.answers.put_nowait(ConnectionError("gone"))
    found = await asyncio.gather(lookup.get("a"), lookup.get("b"), return_exceptions=True)
    assert list(map(str, found)) == ["gone", "gone"]
    asked.answers.put_nowait({"a": 1})
    assert await lookup.get("a") == 1


async def test_who_gives_up_does_not_take_the_answer_from_the_others() -> None:
    asked = Asked()
    lookup = BatchedLookup(asked.look_up)
    one, other = (asyncio.create_task(lookup.get("a")) for _ in range(2))
    await steps()
    one.cancel()
    asked.answers.put_nowait({"a": 1})
    assert await other == 1
    with pytest.raises(asyncio.CancelledError):
        await one


@pytest.mark.slow
async def test_an_error_that_nobody_waits_for_any_more_is_no_complaint_in_the_log() -> None:
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, about: complaints.append(about))
    asked = Asked()
    asking = asyncio.create_task(BatchedLookup(asked.look_up).get("a"))
    await steps()
    asking.cancel()
    await steps()
    asked.answers.put_nowait(ConnectionError("gone"))
    await steps()
    del asking
    gc.collect()
    assert complaints == []


async def test_a_crowd_that_connects_at_once_leaves_connections_to_the_lease(
    referee: RefereesStore,
) -> None:
    known, token = await referee.register("fox", "ann")
    taken = most = questions = 0
    engine = referee._engine.sync_engine

    @event.listens_for(engine, "checkout")
    def checkout(*_: object) -> None:
        nonlocal taken, most
        taken += 1
        most = max(most, taken)

    @event.listens_for(engine, "checkin")
    def checkin(*_: object) -> None:
        nonlocal taken
        taken -= 1

    @event.listens_for(engine, "before_cursor_execute")
    def execute(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        nonlocal questions
        questions += "tokens" in statement

    crowd = [asyncio.create_task(referee.authenticate(f"wrong{n}")) for n in range(2_500)]
    own = asyncio.create_task(referee.authenticate(token))
    async with asyncio.timeout(PATIENCE):
        await referee.lease.look()
        assert await asyncio.gather(*crowd) == [None] * len(crowd)
    assert await own == known
    assert questions == 3
    assert most <= 2
