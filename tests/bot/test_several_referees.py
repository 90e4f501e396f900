"""Which streams a bot keeps to several referees, and in how many places it plays at each."""

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import TypeAlias

import pytest

from arena.bot.address import Address
from arena.bot.conversation import Conversation
from arena.bot.in_order import InOrder
from arena.bot.line import Outgoing
from arena.bot.referees import Referees, RefereeStream
from arena.match.faults import Fault, FaultKind
from arena.v1 import referee_pb2 as pb
from tests.bot.scribe import Scribe
from tests.bot.scripted_referee import Conductor, offered

A, B, C = "a:1", "b:1", "c:1"


class Program:
    """A bot whose streams are written down and not made."""

    def __init__(self, places: int, given: str = A) -> None:
        class Small(Scribe):
            max_matches = places

        self.streams: dict[str, RefereeStream] = {}
        self.ending = threading.Event()
        self._there = threading.Condition()
        self.referees = Referees(Conversation(Small))
        self.first = self.referees.first
        self.referees.begin(Address(given), self._keep)

    def _keep(self, stream: RefereeStream) -> None:
        with self._there:
            self.streams[stream.address] = stream
            self._there.notify()
        self.ending.wait()

    def opened(self, address: str) -> RefereeStream:
        with self._there:
            assert self._there.wait_for(lambda: address in self.streams, 30)
        return self.streams[address]

    def welcomed(
        self,
        stream: RefereeStream,
        own: str,
        *addresses: str,
        understood: int | None = None,
        in_use: int = 0,
    ) -> Outgoing:
        """Returns what it sends from now on. The referee has understood so many places, by default
        those that it was told."""
        outgoing: Outgoing = SimpleQueue()
        stream.line.opened(outgoing)
        all_told = pb.Referees(addresses=addresses, in_use=in_use)
        places = stream.conversation.places_told if understood is None else understood
        welcome = pb.Welcome(address=own, referees=all_told, knows_drain=True, max_matches=places)
        response = pb.PlayResponse(welcome=welcome)
        stream.conversation.hear(response, pb.PlayRequest())
        self.referees.heard(stream, response)
        return outgoing

    def told(self, stream: RefereeStream, *addresses: str, in_use: int = 0) -> None:
        referees = pb.Referees(addresses=addresses, in_use=in_use)
        changed = pb.PlayResponse(referees=referees)
        self.referees.heard(stream, changed)

    def places(self) -> dict[str, int]:
        found = {self.first.address: self.first.conversation.places}
        return found | {one.address: one.conversation.places for one in self.streams.values()}

    def seek(self, stream: RefereeStream) -> str | None:
        address = self.referees.next_address(stream)
        return None if address is None else address.target


MakeProgram: TypeAlias = Callable[..., Program]


@pytest.fixture
def program() -> Iterator[MakeProgram]:
    """Makes a bot with so many places."""
    made: list[Program] = []

    def make(places: int, given: str = A) -> Program:
        made.append(Program(places, given))
        return made[-1]

    yield make
    for one in made:
        one.ending.set()
        one.referees.join()


def said(outgoing: Outgoing) -> list[int]:
    """The places that a referee was told."""
    found = []
    while not outgoing.empty():
        request = outgoing.get()
        assert request is not None
        found.append(request.places.max_matches)
    return found


def test_places_are_shared_out_the_oldest_first(program: MakeProgram) -> None:
    bot = program(8)
    told = bot.welcomed(bot.first, B, A, B, C)
    bot.welcomed(bot.opened(A), A, A, B, C)
    bot.welcomed(bot.opened(C), C, A, B, C)
    assert bot.places() == {A: 3, B: 3, C: 2}
    assert said(told) == [3]
    bot.told(bot.first, B, C)
    assert bot.places() == {A: 0, B: 4, C: 4}


def test_places_are_at_the_referees_in_use_and_move_when_there_are_more_or_fewer(
    program: MakeProgram,
) -> None:
    bot = program(8)
    told = bot.welcomed(bot.first, A, A, B, C, in_use=1)
    heir = bot.welcomed(bot.opened(B), B, A, B, C, in_use=1)
    assert bot.places() == {A: 8, B: 0}  # connected to the oldest two
    bot.told(bot.first, A, B, C, in_use=2)
    assert bot.places() == {A: 4, B: 4}
    bot.told(bot.first, A, B, C, in_use=3)
    bot.welcomed(bot.opened(C), C, A, B, C, in_use=3)
    assert bot.places() == {A: 3, B: 3, C: 2}
    bot.told(bot.first, A, B, C, in_use=1)
    assert bot.places() == {A: 8, B: 0, C: 0}
    assert [said(line) for line in (told, heir)] == [[4, 3, 8], [4, 3, 0]]


def test_of_the_referees_that_are_reached_as_many_are_in_use(program: MakeProgram) -> None:
    bot = program(8)
    bot.welcomed(bot.first, B, A, B, in_use=1)
    older = bot.opened(A)
    bot.welcomed(older, A, A, B, in_use=1)
    assert bot.places() == {A: 8, B: 0}
    for _ in range(2):  # it cannot be reached again
        bot.referees.lost(older)
    assert bot.places() == {A: 0, B: 8}
    bot.welcomed(older, A, A, B, in_use=1)
    assert bot.places() == {A: 8, B: 0}


def test_a_referee_that_comes_is_connected_at_once_and_gets_places_as_matches_end(
    program: MakeProgram,
) -> None:
    bot = program(4)
    bot.welcomed(bot.first, A, A)
    matches = [offered(match_id=f"match{number}")[1] for number in range(4)]
    bot.first.conversation.hear(pb.PlayResponse(offers=matches), pb.PlayRequest())
    bot.told(bot.first, A, B)
    told = bot.welcomed(bot.opened(B), B, A, B)
    assert bot.places() == {A: 2, B: 0}
    assert said(told) == []
    gone = [pb.Withdrawal(match_id=match.match_id) for match in matches[:1]]
    bot.first.conversation.hear(pb.PlayResponse(withdrawals=gone), pb.PlayRequest())
    bot.referees.heard(bot.first, pb.PlayResponse(ends=[pb.End()]))
    assert bot.places() == {A: 2, B: 1}


def test_places_that_matches_of_a_lost_stream_held_are_given_to_the_others(
    program: MakeProgram,
) -> None:
    bot = program(4)
    bot.welcomed(bot.first, A, A, B)
    other = bot.opened(B)
    bot.welcomed(other, B, A, B)
    matches = [offered(match_id=f"match{number}")[1] for number in range(4)]
    bot.first.conversation.hear(pb.PlayResponse(offers=matches), pb.PlayRequest())
    bot.told(other, B)
    assert bot.places() == {A: 0, B: 0}
    bot.referees.lost(bot.first)
    assert bot.places() == {A: 0, B: 4}


def test_an_end_may_be_told_by_another_referee(program: MakeProgram, scribes: list[Scribe]) -> None:
    bot = program(4)
    bot.welcomed(bot.first, A, A, B)
    setup, offer = offered()
    request = pb.PlayRequest()
    bot.first.conversation.hear(pb.PlayResponse(offers=[offer]), request)
    conductor = Conductor(setup, request.joins[0].entropy)
    conductor.reply(Fault(FaultKind.ABSENT))  # the bot is not told: its stream to A is lost
    while conductor.record is None:
        answers = pb.PlayRequest()
        bot.first.conversation.answer(conductor.turn(), answers)
        conductor.answer(answers.answers[0])
    bot.opened(B).conversation.end(conductor.end())
    assert scribes[0].ended is not None
    assert bot.first.conversation.running == 0
    tally = bot.first.conversation.tally
    assert (tally.finished, tally.failed_checks) == (1, 0)


def test_a_bot_with_few_places_plays_at_the_oldest_referees_only(program: MakeProgram) -> None:
    bot = program(1)
    told = bot.welcomed(bot.first, B, A, B, C)
    bot.welcomed(bot.opened(A), A, A, B, C)
    assert bot.places() == {A: 1, B: 0}
    assert said(told) == [0]


def test_a_referee_that_cannot_be_reached_gets_no_places_until_it_can(
    program: MakeProgram,
) -> None:
    bot = program(3)
    bot.welcomed(bot.first, C, A, B, C)
    unreached = bot.opened(A)
    bot.referees.lost(unreached)
    bot.welcomed(bot.opened(B), B, A, B, C)
    assert bot.places() == {A: 0, B: 2, C: 1}
    assert bot.seek(unreached) == A  # again and again
    bot.welcomed(unreached, A, A, B, C)
    assert bot.places() == {A: 1, B: 1, C: 1}


def test_a_bot_with_few_places_plays_at_the_oldest_that_it_reaches(
    program: MakeProgram,
) -> None:
    bot = program(1)
    bot.welcomed(bot.first, C, A, B, C)
    bot.referees.lost(bot.opened(A))
    bot.welcomed(bot.opened(B), B, A, B, C)
    assert bot.places() == {A: 0, B: 1, C: 0}


def test_a_bot_with_few_places_is_connected_to_the_referees_that_may_go_on_with_its_matches(
    program: MakeProgram,
) -> None:
    bot = program(1)
    bot.welcomed(bot.first, A, A, B, C)
    heir = bot.opened(B)
    assert heir.conversation.hello().hello.max_matches == -1
    bot.welcomed(heir, B, A, B, C)
    assert set(bot.streams) == {B}
    assert bot.places() == {A: 1, B: 0}
    # A hangs, and its stream looks whole: B goes on with its matches, and says who is left.
    told = bot.welcomed(heir, B, A, B, C)
    bot.told(heir, B, C)
    bot.opened(C)
    assert bot.places() == {A: 0, B: 1, C: 0}
    assert said(told) == [1]


def test_a_referee_is_told_places_that_change_before_it_answers(program: MakeProgram) -> None:
    bot = program(1)
    bot.welcomed(bot.first, A, A, B)
    heir = bot.opened(B)
    heir.conversation.hello()
    bot.referees.lost(bot.first)  # twice: it cannot be reached again
    bot.referees.lost(bot.first)
    assert said(bot.welcomed(heir, B, A, B)) == [1]


def test_a_referee_of_before_is_told_that_none_is_not_one(program: MakeProgram) -> None:
    bot = program(1)
    bot.welcomed(bot.first, A, A, B)
    assert said(bot.welcomed(bot.opened(B), B, A, B, understood=1)) == [0]


def test_a_bot_that_knows_one_address_plays_there(program: MakeProgram) -> None:
    bot = program(8)
    told = bot.welcomed(bot.first, "")
    bot.welcomed(bot.first, "", A, B)  # they are told, but this one is behind another address
    assert bot.places() == {"": 8}
    assert said(told) == []
    assert bot.streams == {}


def test_a_bot_at_a_unix_socket_connects_to_no_other_referee(program: MakeProgram) -> None:
    bot = program(8, given="unix:/socket")
    bot.welcomed(bot.first, A, A, B)
    assert bot.places() == {A: 8}
    bot.referees.lost(bot.first)
    assert bot.seek(bot.first) == "unix:/socket"
    assert bot.seek(bot.first) == "unix:/socket"
    assert bot.streams == {}


def test_after_the_loss_of_all_the_given_address_and_then_the_others_are_tried(
    program: MakeProgram,
) -> None:
    bot = program(1)
    assert bot.seek(bot.first) == A
    bot.welcomed(bot.first, A, A, B, C)
    bot.referees.lost(bot.first)
    assert [bot.seek(bot.first) for _ in range(4)] == [A, B, C, A]


def test_a_lost_stream_is_opened_again_while_its_referee_is_told_by_another(
    program: MakeProgram,
) -> None:
    bot = program(8)
    bot.welcomed(bot.first, A, A, B)
    other = bot.opened(B)
    bot.welcomed(other, B, A, B)
    bot.referees.lost(bot.first)
    assert bot.seek(bot.first) == A
    bot.told(other, B)
    assert bot.seek(bot.first) is None
    # Nor does it take part in anything: a referee that comes gets a stream of its own.
    bot.told(other, B, C)
    bot.welcomed(bot.opened(C), C, B, C)
    assert bot.places() == {A: 0, B: 4, C: 4}
    assert bot.seek(bot.first) is None


def test_the_first_stream_alone_looks_for_a_referee_when_all_are_lost(
    program: MakeProgram,
) -> None:
    bot = program(8)
    bot.welcomed(bot.first, A, A, B)
    other = bot.opened(B)
    bot.welcomed(other, B, A, B)
    match_id = offered()[1].match_id
    other.conversation.hear(pb.PlayResponse(offers=[offered()[1]]), pb.PlayRequest())
    bot.referees.lost(other)
    bot.referees.lost(bot.first)
    assert bot.referees.alone()
    assert bot.seek(other) is None
    assert bot.seek(bot.first) == A
    assert not bot.referees.keeps(other)
    # The match that the other played goes on at whichever referee resumes it.
    (running,) = bot.first.conversation._seats.values()
    resume = pb.Resume(offer=offered()[1])
    welcome = pb.PlayResponse(welcome=pb.Welcome(address=A), resumes=[resume])
    bot.first.conversation.hear(welcome, pb.PlayRequest())
    assert bot.first.conversation._seats == {match_id: running}


def test_a_failure_of_one_stream_ends_all(program: MakeProgram) -> None:
    bot = program(8)

    def fail(_stream: RefereeStream) -> None:
        raise RuntimeError("refused")

    bot.referees.begin(Address(A), fail)
    bot.welcomed(bot.first, A, A, B)
    bot.referees.lost(bot.first)
    while bot.referees.failure is None:
        bot.referees.alone()
    assert bot.seek(bot.first) is None


def test_a_bot_that_leaves_waits_for_no_lost_referee(program: MakeProgram) -> None:
    bot = program(8)
    bot.welcomed(bot.first, A, A)
    bot.referees.lost(bot.first)
    bot.referees.leave()
    assert not bot.referees.alone()
    assert bot.seek(bot.first) is None


def drained(outgoing: Outgoing) -> bool:
    """Whether the next request is `drain`, after changes of places."""
    while not outgoing.empty():
        request = outgoing.get()
        assert request is not None
        if not request.HasField("places"):
            return request.HasField("drain")
    return False


def test_a_bot_that_leaves_the_only_referee_comes_back_to_the_match_that_runs_there(
    program: MakeProgram,
) -> None:
    bot = program(8)
    line = bot.welcomed(bot.first, A, A)
    bot.first.conversation.hear(pb.PlayResponse(offers=[offered()[1]]), pb.PlayRequest())
    bot.referees.leave()
    assert drained(line)
    for _ in range(2):  # the referee is not back at once
        bot.referees.lost(bot.first)
        assert bot.seek(bot.first) == A
    assert drained(bot.welcomed(bot.first, A, A))
    resumed = pb.PlayResponse(resumes=[pb.Resume(offer=offered()[1])])
    bot.first.conversation.hear(resumed, pb.PlayRequest())
    assert bot.referees.running == 1


def test_a_bot_that_leaves_waits_for_no_match_that_the_only_referee_has_not_resumed(
    program: MakeProgram,
) -> None:
    bot = program(8)
    bot.welcomed(bot.first, A, A)
    bot.first.conversation.hear(pb.PlayResponse(offers=[offered()[1]]), pb.PlayRequest())
    bot.referees.lost(bot.first)
    line = bot.welcomed(bot.first, A, A)
    bot.referees.leave()
    assert drained(line)


def test_a_bot_that_leaves_several_referees_is_let_go_when_no_match_runs(
    program: MakeProgram,
) -> None:
    bot = program(8)
    lines = [bot.welcomed(bot.first, A, A, B)]
    lines.append(bot.welcomed(bot.opened(B), B, A, B))
    bot.first.conversation.hear(pb.PlayResponse(offers=[offered()[1]]), pb.PlayRequest())
    assert [said(line) for line in lines] == [[4], [4]]
    bot.referees.leave()
    assert [said(line) for line in lines] == [[0], [0]]
    gone = pb.PlayResponse(withdrawals=[pb.Withdrawal(match_id=offered()[1].match_id)])
    bot.first.conversation.hear(gone, pb.PlayRequest())
    bot.referees.heard(bot.first, gone)
    drains = [line.get_nowait() for line in lines]
    assert all(request is not None and request.HasField("drain") for request in drains)


def test_a_bot_that_leaves_waits_for_whoever_goes_on_with_matches_of_a_lost_referee(
    program: MakeProgram,
) -> None:
    bot = program(8)
    bot.welcomed(bot.first, A, A, B)
    line = bot.welcomed(bot.opened(B), B, A, B)
    bot.first.conversation.hear(pb.PlayResponse(offers=[offered()[1]]), pb.PlayRequest())
    bot.referees.lost(bot.first)
    bot.told(bot.opened(B), B)
    bot.referees.leave()
    assert said(line) == [4, 8, 0]
    resumed = pb.PlayResponse(resumes=[pb.Resume(offer=offered()[1])])
    bot.opened(B).conversation.hear(resumed, pb.PlayRequest())
    bot.referees.heard(bot.opened(B), resumed)
    request = line.get_nowait()
    assert request is not None
    assert request.HasField("drain")


def test_threads_take_turns_in_the_order_in_which_they_ask() -> None:
    turn, order = InOrder(), list[int]()

    def take(number: int) -> None:
        with turn:
            order.append(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(5)]
    with turn:
        for number, thread in enumerate(threads, start=1):
            thread.start()
            while len(turn._waiting) < number:
                thread.join(0.001)
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]
    with turn:
        pass
