"""A person's session at a running referee."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from arena.bot.address import Address
from arena.bot.challenging import ChallengeError, Wanted
from arena.games.bluff import BetPlaced
from arena.match.clock import TimeControl
from arena.person.seat import AnswerError, PersonSeat
from arena.person.session import PersonSession
from arena.server.play.terms import Patience, Terms
from arena.v1 import referee_pb2
from tests.bots import PATIENCE, Peer
from tests.databases import plain
from tests.free_port import free_port
from tests.scene import BLUFF, Scene, opened, playing

SLOW = TimeControl(60_000, 60_000)


class Sitting:
    """A session, whose news wake the test."""

    def __init__(self, scene: Scene, token: str, **times: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        address = Address.parse(f"127.0.0.1:{scene.port}", {})
        self.session = PersonSession(address, token, "person-1", ("bluff",), self._wake, **times)

    def _wake(self) -> None:
        self._loop.call_soon_threadsafe(self._news.set)

    async def until(self, found: Callable[[], Any]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not found():
                self._news.clear()
                if not found():
                    await self._news.wait()

    @property
    def seat(self) -> PersonSeat:
        assert self.session.seat is not None
        return self.session.seat

    async def sit_down(self, **wanted: Any) -> None:
        await asyncio.to_thread(self.session.open)
        await self.play(**wanted)

    async def play(self, **wanted: Any) -> None:
        asked = Wanted("bluff", ("you",), options={"dice_per_player": 2}, **wanted)
        await asyncio.to_thread(self.session.challenge, asked)

    async def asked(self) -> None:
        """Wait for a turn, or the end."""
        await self.until(lambda: self.session.seat and (self.seat.turn or self.seat.over))

    def act(self) -> None:
        turn = self.seat.turn
        assert turn is not None
        action = list(self.seat.game.choices(turn.view))[-1]
        self.session.answer(turn.number, self.seat.game.notation.to_json(action))

    async def play_on(self) -> None:
        await self.asked()
        while not self.seat.over:
            self.act()
            await self.asked()


@pytest.fixture
async def sitting(scene: Scene) -> AsyncIterator[Sitting]:
    accept = referee_pb2.CHALLENGE_POLICY_ACCEPT
    async with playing([await scene.peer("you", challenges=accept)]) as company:
        await company.arrived()
        sitting = Sitting(scene, await scene.token("person"))
        yield sitting
        sitting.session.leave()
        await asyncio.to_thread(sitting.session.wait, PATIENCE)


@pytest.fixture
async def scene(database: str) -> AsyncIterator[Scene]:
    # Nobody is absent because the machine is busy.
    patience = Patience(join_seconds=5, grace_seconds=20)
    async with opened(database, terms=Terms(patience=patience)) as scene:
        yield scene


async def test_a_person_plays_a_match_and_another_one(sitting: Sitting, scene: Scene) -> None:
    await sitting.sit_down(time_control=SLOW)
    await sitting.play_on()
    first = sitting.seat
    assert first.result is not None and first.result.faults == (0, 0)
    assert first.match is not None and first.match.time_control == SLOW
    await sitting.play()
    await sitting.until(lambda: sitting.seat is not first)
    await sitting.play_on()
    rows = await scene.results("person")
    assert [row.casual for row in rows] == [True, True]


async def test_at_the_end_a_person_sees_what_the_own_seat_sees(sitting: Sitting) -> None:
    await sitting.sit_down(time_control=SLOW)
    await sitting.play_on()
    last = sitting.seat.heard[-1].view
    assert sitting.seat.match is not None
    assert last.seat == sitting.seat.match.seat
    assert 0 in last.dice_counts


async def test_an_answer_that_is_not_legal_is_not_sent_and_costs_nothing(sitting: Sitting) -> None:
    await sitting.sit_down(time_control=SLOW)
    await sitting.asked()
    turn = sitting.seat.turn
    assert turn is not None
    for answer, why in (
        ({"type": "bet", "quantity": 99, "face": 1}, "not possible now. Legal: "),
        ({"type": "bet", "quantity": "3"}, "quantity"),
        (None, "object"),
        ([1], "object"),
    ):
        with pytest.raises(AnswerError, match=why):
            sitting.session.answer(turn.number, answer)
    with pytest.raises(AnswerError, match="has not begun"):
        sitting.session.answer(turn.number + 1, {"type": "doubt"})
    await sitting.play_on()
    assert sitting.seat.result is not None
    assert sitting.seat.result.faults == (0, 0)


async def test_who_leaves_gives_up_at_once_and_is_let_go(sitting: Sitting, scene: Scene) -> None:
    await sitting.sit_down(time_control=SLOW)
    await sitting.asked()
    match_id = sitting.seat.match_id
    sitting.session.leave()
    assert await asyncio.to_thread(sitting.session.wait, PATIENCE)
    row = await scene.recorded(match_id)
    (mine,) = (seat for seat in row.seats if seat.bot == "person")
    assert mine.faults > 0
    assert sitting.session.lost == ""


async def test_time_runs_on_a_persons_clock_and_its_end_is_a_fault(sitting: Sitting) -> None:
    await sitting.sit_down(time_control=TimeControl(100, 0))
    await sitting.until(lambda: sitting.session.seat and sitting.seat.over)
    assert sitting.seat.refusals
    assert "no answer within 100 ms" in sitting.seat.refusals[0].reason
    assert sitting.seat.turn is None


async def test_a_challenge_that_is_refused_is_explained(sitting: Sitting) -> None:
    with pytest.raises(ChallengeError, match="Those that do: you"):
        await sitting.sit_down(seats=3)


async def test_who_waits_for_a_match_is_told_when_the_referee_stops(scene: Scene) -> None:
    accept = referee_pb2.CHALLENGE_POLICY_ACCEPT
    you = await scene.peer("you", challenges=accept, max_matches=1)
    other = await scene.peer("other", challenges=accept, max_matches=1)
    async with you, other:
        for peer in (you, other):
            await peer.greet()
        # Both are in a rated match, in which nobody answers.
        for peer in (you, other):
            await peer.join(await peer.hear_until(lambda heard: heard.offers))
        sitting = Sitting(scene, await scene.token("person"))
        await sitting.sit_down()
        assert sitting.session.awaited == "you"
        await scene.arena.server.stop()
        await sitting.until(lambda: sitting.session.not_played)
        assert "is stopping" in sitting.session.not_played
        assert sitting.session.awaited == ""
        sitting.session.leave()
        await asyncio.to_thread(sitting.session.wait, PATIENCE)


@pytest.mark.slow
async def test_a_lost_stream_is_opened_again_and_the_turn_is_asked_again(
    sitting: Sitting,
) -> None:
    await sitting.sit_down(time_control=SLOW)
    await sitting.asked()
    before = sitting.seat.turn
    assert before is not None
    sitting.session._call.cancel()
    await sitting.until(lambda: sitting.seat.turn is not before)
    await sitting.asked()
    assert sitting.seat.turn is not None
    assert sitting.seat.turn.view == before.view
    events = [event for heard in sitting.seat.heard for event in heard.events]
    assert len(events) == len(set(map(repr, events)))
    await sitting.play_on()
    assert sitting.seat.result is not None and sitting.seat.result.faults == (0, 0)


@pytest.fixture
async def quiet_scene(database: str) -> AsyncIterator[Scene]:
    """With a ladder of tables of four, for which three bots are too few."""
    patience = Patience(join_seconds=5, grace_seconds=20)
    terms = Terms(patience=patience)
    async with opened(database, replace(BLUFF, seats=4), terms=terms) as scene:
        yield scene


async def test_what_others_do_is_heard_while_the_next_one_still_thinks(
    quiet_scene: Scene,
) -> None:
    scene = quiet_scene
    accept = referee_pb2.CHALLENGE_POLICY_ACCEPT
    may_answer = asyncio.Semaphore(0)

    async def play(peer: Peer) -> None:
        async with peer:
            await peer.greet()
            ready.release()
            while True:
                message = await peer.hear()
                await peer.join(message)
                for turn in message.turns:
                    await may_answer.acquire()
                    await peer.say(answers=[peer.answer(turn)])

    ready = asyncio.Semaphore(0)
    others = [await scene.peer(name, challenges=accept) for name in ("you", "her")]
    playing = [asyncio.create_task(play(peer)) for peer in others]
    for _ in others:
        await ready.acquire()
    sitting = Sitting(scene, await scene.token("person"))
    await asyncio.to_thread(sitting.session.open)
    wanted = Wanted("bluff", ("you", "her"), options={"dice_per_player": 2}, time_control=SLOW)
    await asyncio.to_thread(sitting.session.challenge, wanted)
    await sitting.until(lambda: sitting.session.seat and sitting.seat.heard)
    while not sitting.seat.over:
        heard = len(sitting.seat.heard)
        if sitting.seat.turn is not None:
            sitting.act()
        else:
            may_answer.release()
        # Each answer is heard, whoever is asked next.
        await sitting.until(lambda heard=heard: len(sitting.seat.heard) > heard)
    between = [one for one in sitting.seat.heard if one.view is not None and one.view.seat is None]
    assert any(isinstance(event, BetPlaced) for one in between for event in one.events)
    assert all(one.view.hidden_dice == () for one in between)
    events = [event for one in sitting.seat.heard for event in one.events]
    assert len(events) == len(set(map(repr, events)))
    assert sitting.seat.result is not None and sitting.seat.result.faults == (0, 0, 0)
    sitting.session.leave()
    for one in playing:
        one.cancel()
    await asyncio.to_thread(sitting.session.wait, PATIENCE)


@pytest.mark.slow
async def test_a_match_that_is_lost_with_its_referee_is_called_off(database: str) -> None:
    port = free_port()
    accept = referee_pb2.CHALLENGE_POLICY_ACCEPT
    async with (
        opened(database, port=port) as first,
        playing([await first.peer("you", challenges=accept)]) as company,
    ):
        await company.arrived()
        sitting = Sitting(first, await first.token("person"), resume_seconds=0.5)
        await sitting.sit_down(time_control=SLOW)
        await sitting.asked()
        assert not sitting.seat.over
    with psycopg.connect(plain(database)) as connection:  # as if it had not been stored yet
        for table in ("running_replies", "running_matches", "running_blocks"):
            connection.execute(f"DELETE FROM {table}".encode())
    async with opened(database, port=port):
        await sitting.until(lambda: sitting.seat.over)
        assert (sitting.seat.called_off, sitting.seat.result) == (
            "The match was lost with its referee.",
            None,
        )
        sitting.session.leave()
