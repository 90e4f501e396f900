"""How many people play at once, at a running referee."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator

import pytest

from arena.person.play_endpoint import PlayEndpoint
from arena.server.play.terms import Patience, Terms
from arena.v1 import referee_pb2
from arena_dashboard.playing.deadline import Deadline
from arena_dashboard.playing.people import (
    MOST_OF_AN_ADDRESS,
    MOST_PEOPLE,
    People,
    Person,
    TooManyPeopleError,
    wanted,
)
from tests.bots import PATIENCE
from tests.scene import opened, playing

HERE, THERE, ELSEWHERE = "192.0.2.1", "192.0.2.2", "192.0.2.3"


class Visitors:
    """Those who sit down, and who has a place."""

    def __init__(self, people: People) -> None:
        self._people = people
        self.seated: list[Person] = []

    async def sit_down(self, address: str) -> Person:
        asked = wanted("bluff", ["you"], 120, {"dice_per_player": 2})
        person = await asyncio.to_thread(self._people.sit_down, asked, address)
        self.seated.append(person)
        return person


@pytest.fixture
async def visitors(database: str) -> AsyncIterator[Visitors]:
    # Nobody is absent because the machine is busy.
    terms = Terms(patience=Patience(join_seconds=20, grace_seconds=20))
    async with opened(database, terms=terms) as scene:
        door = PlayEndpoint(f"127.0.0.1:{scene.port}", {}, await scene.token("person"))
        visitors = Visitors(People(door))
        accept = referee_pb2.CHALLENGE_POLICY_ACCEPT
        peer = await scene.peer("you", challenges=accept, max_matches=4 * MOST_PEOPLE)
        async with playing([peer]) as company:
            await company.arrived()
            yield visitors
            for person in visitors.seated:
                person.go()
            for person in visitors.seated:
                await asyncio.to_thread(person.session.wait, PATIENCE)


@pytest.mark.slow
async def test_one_address_takes_half_of_the_places_at_most(visitors: Visitors) -> None:
    for _ in range(MOST_OF_AN_ADDRESS):
        await visitors.sit_down(HERE)
    with pytest.raises(TooManyPeopleError, match="3 people from your address play already"):
        await visitors.sit_down(HERE)
    # The others find places as long as there are any.
    for _ in range(MOST_PEOPLE - MOST_OF_AN_ADDRESS):
        await visitors.sit_down(THERE)
    with pytest.raises(TooManyPeopleError, match="6 people play already"):
        await visitors.sit_down(ELSEWHERE)


@pytest.mark.slow
async def test_who_leaves_makes_room_for_another_of_the_same_address(visitors: Visitors) -> None:
    for _ in range(MOST_OF_AN_ADDRESS):
        await visitors.sit_down(HERE)
    visitors.seated[0].go()
    person = await visitors.sit_down(HERE)
    assert not person.session.leaving


async def test_who_has_ended_and_closed_the_page_makes_room(visitors: Visitors) -> None:
    for _ in range(MOST_OF_AN_ADDRESS):
        await visitors.sit_down(HERE)
    first, *others = visitors.seated
    await play_to_the_end(first)
    await visitors.sit_down(HERE)
    assert first.session.leaving
    assert not any(person.session.leaving for person in others)


async def test_the_messages_of_a_match_start_no_thread_each(visitors: Visitors) -> None:
    person = await visitors.sit_down(HERE)
    begun: set[threading.Thread] = set()
    threading.setprofile(lambda *_: begun.add(threading.current_thread()))
    try:
        await play_to_the_end(person)
    finally:
        threading.setprofile(None)
    assert sum(isinstance(one, threading.Timer) for one in begun) <= 1


def test_a_deadline_rings_at_the_time_that_was_set_last() -> None:
    rang = threading.Event()
    deadline = Deadline(rang.set)
    began = time.monotonic()
    deadline.set(0.1)
    deadline.set(0.3)
    assert rang.wait(PATIENCE)
    assert time.monotonic() - began >= 0.3
    rang.clear()
    deadline = Deadline(rang.set)
    deadline.set(10 * PATIENCE)
    deadline.set(0)
    assert rang.wait(PATIENCE)


async def play_to_the_end(person: Person) -> None:
    """Answer all turns, as a page that shows them would."""
    async with asyncio.timeout(PATIENCE):
        with person.news() as news:
            while person.session.seat is None or not person.session.seat.over:
                await news.wait()
                news.clear()
                with person.session.lock:
                    seat = person.session.seat
                    turn = None if seat is None else seat.turn
                    if seat is not None and turn is not None:
                        action = list(seat.game.choices(turn.view))[-1]
                        person.session.answer(turn.number, seat.game.notation.to_json(action))
