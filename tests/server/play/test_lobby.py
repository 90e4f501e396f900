"""Who counts as present while streams of the same bot come, end and take over from each other."""

from dataclasses import dataclass

import pytest
from structlog.testing import capture_logs

from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.server.play.lobby import MAX_INSTANCES, Lobby
from arena.server.play.outbox import Outbox
from arena.server.play.ports import ChallengePolicy
from arena.server.play.session import Session
from arena.server.requests.errors import ProtocolError, malformed
from arena.v1 import referee_pb2 as pb
from tests.server.ladder.arrivals import World


class Noted:
    """The ends that bots missed, by match."""

    def __init__(self) -> None:
        self.ends: list[str] = []

    def missed(self, _: Session, match_id: str) -> None:
        self.ends.append(match_id)

    def came(self, session: Session) -> None:
        pass


@dataclass
class Visit:
    """A stream in a lobby."""

    lobby: Lobby
    session: Session
    outbox: Outbox

    def offer_nothing_more(self) -> None:
        self.lobby.offer_nothing_more(self.session, self.outbox)

    def leave(self, *, goodbye: bool) -> None:
        self.lobby.leave(self.session, self.outbox, goodbye=goodbye)


class Hall:
    """A lobby, and the number of its streams that were closed for a newer one."""

    def __init__(self) -> None:
        self.world = World()
        self.missed = Noted()
        self.lobby = Lobby(self.world.director, b"the key", self.missed)
        self.taken_over = 0

    def _close(self, _: ProtocolError) -> None:
        self.taken_over += 1

    def enter(self, number: int, instance: str = "") -> Visit:
        registered = Registered(VersionId(number), Entrant(f"bot{number}", "1", "me"), house=True)
        hello = pb.Hello(protocol_version=1, games=["bluff"], instance=instance)
        return self.visit(registered, hello)

    def visit(self, registered: Registered, hello: pb.Hello) -> Visit:
        outbox = Outbox(lambda: None, lambda: None)
        session = self.lobby.enter(registered, hello, outbox, self._close)
        return Visit(self.lobby, session, outbox)

    async def offers(self, visit: Visit) -> int:
        """How many matches the stream has been offered since it was last asked."""
        self.world.timer.turn(0)
        return len(pb.PlayResponse.FromString(visit.outbox.take()).offers)


async def test_two_bots_that_are_present_are_offered_a_match() -> None:
    hall = Hall()
    one, other = hall.enter(1), hall.enter(2)
    assert await hall.offers(one) == await hall.offers(other) == 1


async def test_a_bot_that_let_an_offer_pass_is_offered_the_next_when_a_message_of_it_comes() -> (
    None
):
    hall = Hall()
    one, other = hall.enter(1), hall.enter(2)
    assert await hall.offers(one) == await hall.offers(other) == 1
    hall.world.timer.turn(20)  # for five seconds it was open, and for five more they were left out
    other.session.hear(pb.PlayRequest(answers=[pb.Answer(match_id="any")]).SerializeToString())
    assert await hall.offers(other) == 0, "its opponent may be frozen"
    one.session.hear(pb.PlayRequest(answers=[pb.Answer(match_id="any")]).SerializeToString())
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


def hello(**given: object) -> pb.Hello:
    return pb.Hello(**({"protocol_version": 1, "games": ["bluff"]} | given))  # type: ignore[arg-type]


async def welcomed(hall: Hall, greeting: pb.Hello) -> tuple[Visit, pb.Welcome]:
    """The visit of a bot that said this, and how it was welcomed."""
    registered = Registered(VersionId(1), Entrant("bot1", "1", "me"), house=True)
    visit = hall.visit(registered, greeting)
    return visit, pb.PlayResponse.FromString(visit.outbox.take()).welcome


@pytest.mark.parametrize(("asked", "given"), [(-2, 1), (-1, 0), (0, 1), (1, 1), (64, 64), (65, 64)])
async def test_a_bot_plays_at_most_sixty_four_matches_and_none_only_if_it_says_so(
    asked: int, given: int
) -> None:
    visit, welcome = await welcomed(Hall(), hello(max_matches=asked))
    assert welcome.max_matches == visit.session.max_matches == given


async def test_a_welcome_names_the_games_in_order_the_key_and_what_the_referee_knows() -> None:
    visit, welcome = await welcomed(Hall(), hello(games=["chess", "bluff_you", "bluff"]))
    assert list(welcome.games) == ["bluff", "bluff_you"]
    assert visit.session.games == {"bluff", "bluff_you"}
    assert (welcome.signing_key, welcome.protocol_version) == (b"the key", 1)
    assert welcome.knows_drain
    assert welcome.entrant.bot == "bot1"


@pytest.mark.parametrize(
    ("given", "policy"),
    [
        (pb.CHALLENGE_POLICY_UNSPECIFIED, ChallengePolicy.OWN),
        (pb.CHALLENGE_POLICY_ACCEPT, ChallengePolicy.ACCEPT),
        (pb.CHALLENGE_POLICY_OWN_ONLY, ChallengePolicy.OWN_ONLY),
    ],
)
async def test_a_bot_says_which_challenges_it_plays(
    given: pb.ChallengePolicy, policy: ChallengePolicy
) -> None:
    visit, _ = await welcomed(Hall(), hello(challenges=given))
    assert visit.session.challenges is policy


async def test_the_operator_reads_which_client_a_bot_uses_cut_to_its_first_letters() -> None:
    for client, logged in (("", None), ("x" * 100, "x" * 80)):
        with capture_logs() as log:
            await welcomed(Hall(), hello(client=client))
        assert [line["client"] for line in log if line["event"] == "bot connected"] == [logged]


async def test_the_session_of_a_bot_that_is_expected_is_the_one_that_it_comes_back_to() -> None:
    hall = Hall()
    registered = Registered(VersionId(1), Entrant("bot1", "1", "me"), house=True)
    expected = hall.lobby.expect(registered, "left")
    assert hall.lobby.expect(registered, "left") is expected
    assert hall.lobby.expect(registered, "right") is not expected
    hall.world.director._roster.expect(expected)  # a block waits for it
    assert hall.enter(1, "left").session is expected


async def test_all_streams_are_closed_each_with_an_error_of_its_own_and_lose_no_end() -> None:
    hall = Hall()
    closed: list[ProtocolError] = []
    visits = []
    for number in (1, 2):
        registered = Registered(VersionId(number), Entrant(f"bot{number}", "1", "me"), house=True)
        outbox = Outbox(lambda: None, lambda: None)
        session = hall.lobby.enter(registered, hello(), outbox, closed.append)
        visits.append(Visit(hall.lobby, session, outbox))
        outbox.add_end("written", b"")
        outbox.take()
        outbox.writing = False
        outbox.add_end(f"gathered {number}", b"")
    hall.lobby.close_all(lambda: malformed("the referee is stopping"))
    for visit in visits:
        visit.leave(goodbye=False)
    # What is written comes before the error.
    assert hall.missed.ends == ["gathered 1", "gathered 2"]
    assert [error.sentence for error in closed] == ["the referee is stopping"] * 2
    assert closed[0] is not closed[1]


async def test_a_bot_that_left_for_good_takes_no_memory() -> None:
    hall = Hall()
    for instance in ("left", "right"):
        hall.enter(1, instance).leave(goodbye=True)
    assert hall.lobby._sessions == {}


@pytest.mark.parametrize(("length", "fits"), [(40, True), (41, False)])
def test_the_name_of_an_instance_has_forty_characters(length: int, fits: bool) -> None:
    hall = Hall()
    if fits:
        assert hall.enter(1, "x" * length).session.instance == "x" * length
        return
    with pytest.raises(ProtocolError, match="at most 40 characters"):
        hall.enter(1, "x" * length)
    assert hall.lobby.connected == 0
