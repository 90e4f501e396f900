"""Who counts as present while streams of the same bot come, end and take over from each other."""

import pytest

from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.referee.errors import ProtocolError
from arena.referee.lobby import MAX_INSTANCES, Lobby, Visit
from arena.referee.outbox import Outbox
from arena.referee.session import Session
from arena.v1 import referee_pb2 as pb
from tests.hosting.arrivals import World


class NothingMissed:
    """Where no bot ever misses an end."""

    def missed(self, session: Session, match_id: str) -> None:
        raise AssertionError

    def came(self, session: Session) -> None:
        pass


class Hall:
    """A lobby, and the number of its streams that were closed for a newer one."""

    def __init__(self) -> None:
        self.world = World()
        self.lobby = Lobby(self.world.director, b"the key", NothingMissed())
        self.taken_over = 0

    def _close(self, _: ProtocolError) -> None:
        self.taken_over += 1

    def enter(self, number: int, instance: str = "") -> Visit:
        registered = Registered(VersionId(number), Entrant(f"bot{number}", "1", "me"), house=True)
        hello = pb.Hello(protocol_version=1, games=["bluff"], instance=instance)
        return self.lobby.enter(registered, hello, Outbox(lambda: None), self._close)

    async def offers(self, visit: Visit) -> int:
        """How many matches the stream has been offered since it was last asked."""
        self.world.timer.turn(0)
        return len(pb.PlayResponse.FromString(await visit.outbox.take()).offers)


async def test_two_bots_that_are_present_are_offered_a_match() -> None:
    hall = Hall()
    one, other = hall.enter(1), hall.enter(2)
    assert await hall.offers(one) == await hall.offers(other) == 1


async def test_a_stream_that_was_taken_over_leaves_without_taking_the_bot_with_it() -> None:
    hall = Hall()
    older, newer = hall.enter(1), hall.enter(1)
    older.offer_nothing_more()
    older.leave(goodbye=True)
    assert (hall.taken_over, hall.lobby.connected) == (1, 1)
    hall.enter(2)
    assert await hall.offers(newer) == 1


async def test_a_bot_that_closed_its_side_is_offered_nothing_more() -> None:
    hall = Hall()
    closing = hall.enter(1)
    closing.offer_nothing_more()
    other = hall.enter(2)
    assert await hall.offers(closing) == await hall.offers(other) == 0


@pytest.mark.parametrize("goodbye", [True, False])
async def test_a_bot_that_left_is_no_opponent(goodbye: bool) -> None:
    hall = Hall()
    hall.enter(1).leave(goodbye=goodbye)
    other = hall.enter(2)
    assert hall.lobby.connected == 1
    assert await hall.offers(other) == 0


async def test_only_the_instances_that_are_connected_count_towards_the_limit() -> None:
    hall = Hall()
    for number in range(2 * MAX_INSTANCES):
        hall.enter(1, f"gone {number}").leave(goodbye=True)
    for number in range(MAX_INSTANCES):
        hall.enter(1, f"here {number}")
    with pytest.raises(ProtocolError, match=f"{MAX_INSTANCES} instances of bot1"):
        hall.enter(1, "one more")
    assert hall.lobby.connected == MAX_INSTANCES


@pytest.mark.parametrize("instance", ["left\0", "left\nright", "\u202eleft"])
def test_an_instance_whose_name_cannot_be_printed_is_refused(instance: str) -> None:
    with pytest.raises(ProtocolError, match="printable characters only"):
        Hall().enter(1, instance)
