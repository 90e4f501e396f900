"""Which streams a bot keeps to several referees, and in how many places it plays at each."""

import threading
from collections.abc import Callable
from queue import SimpleQueue

from arena.bot.address import Address
from arena.bot.conversation import Conversation
from arena.bot.referees import InOrder, Line, Outgoing, Referees
from arena.v1 import referee_pb2 as pb
from tests.bot.scribe import Scribe

A, B, C = "a:1", "b:1", "c:1"


class Program:
    """A bot with so many places, whose streams are written down and not made."""

    def __init__(self, places: int, *, alone: bool = False) -> None:
        class Small(Scribe):
            max_matches = places

        self.opened: dict[str, Conversation] = {}
        self.wanted: dict[str, Callable[[], bool]] = {}
        self.ending = threading.Event()
        self._there = threading.Condition()
        self.first = Conversation(Small)
        self.line, self.sent = Line(), SimpleQueue[pb.PlayRequest | None]()
        self.referees = Referees(self.first, self.line, self._keep, alone=alone)

    def _keep(
        self, conversation: Conversation, where: Address, line: Line, wanted: Callable[[], bool]
    ) -> None:
        with self._there:
            self.opened[where.target], self.wanted[where.target] = conversation, wanted
            self._there.notify()
        self.ending.wait()

    def welcomed(self, own: str, *addresses: str) -> None:
        outgoing: Outgoing = self.sent
        self.line.connect(outgoing)
        welcome = pb.Welcome(address=own, referees=pb.Referees(addresses=addresses))
        self.referees.heard(self.first, pb.PlayResponse(welcome=welcome))

    def told(self, *addresses: str) -> None:
        changed = pb.PlayResponse(referees=pb.Referees(addresses=addresses))
        self.referees.heard(self.first, changed)

    def places(self, *addresses: str) -> list[int]:
        """In the first referee, and in the others as soon as they are connected."""
        with self._there:
            assert self._there.wait_for(lambda: set(self.opened) >= set(addresses), 30)
        return [self.first.places, *(self.opened[address].places for address in addresses)]

    def said(self) -> list[int]:
        """The places that the first referee was told."""
        found = []
        while not self.sent.empty():
            request = self.sent.get()
            assert request is not None
            found.append(request.places.max_matches)
        return found


def test_places_are_shared_out_the_oldest_first() -> None:
    bot = Program(8)
    bot.welcomed(B, A, B, C)
    assert bot.places(A, C) == [3, 3, 2]
    assert bot.said() == [3]
    bot.told(B, C)
    assert bot.places(C) == [4, 4]
    assert not bot.wanted[A]() and bot.wanted[C]()
    bot.ending.set()


def test_a_bot_with_few_places_plays_at_the_oldest_referees_only() -> None:
    bot = Program(1)
    bot.welcomed(B, A, B)
    assert bot.places(A) == [0, 1]
    assert bot.said() == [0]
    bot.ending.set()


def test_a_bot_that_knows_one_address_plays_there() -> None:
    bot = Program(8)
    bot.welcomed("")
    bot.welcomed("", A, B)  # they are told, but this one is behind another address
    assert bot.places() == [8]
    assert bot.said() == []
    assert bot.opened == {}


def test_a_bot_at_a_unix_socket_connects_to_no_other_referee() -> None:
    bot = Program(8, alone=True)
    bot.welcomed(A, A, B)
    assert bot.places() == [8]
    assert bot.referees.next_address(Address("unix:/socket"), Address("unix:/socket")) == Address(
        "unix:/socket"
    )
    assert bot.opened == {}


def test_after_a_loss_the_given_address_and_then_the_others_are_tried() -> None:
    bot = Program(1)
    bot.welcomed(A, A, B, C)
    given = Address(A)
    order = [given]
    for _ in range(3):
        order.append(bot.referees.next_address(given, order[-1]))
    assert [address.target for address in order] == [A, B, C, A]


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
