"""A session: what a bot's messages count for, and what goes with a stream that ends."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import grpc
import pytest

from arena.codec.bot_side import write_action
from arena.match.replay import replay
from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.server.play.compiled import IN_PYTHON
from arena.server.play.outbox import Outbox
from arena.server.play.remote_player import RemotePlayer
from arena.server.play.session import MAX_MATCHES, MAX_STRAYS, Session
from arena.server.requests.errors import ProtocolError
from arena.v1 import referee_pb2 as pb
from tests.server.play.hosted_matches import MATCH_ID, Scene

ENTROPY = bytes(16)
GAMES = frozenset(["bluff"])


@dataclass
class Table:
    """A bot's session, and a match of Bluff in which it has the first seat."""

    left: list[Session] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    """Its places, whenever they changed."""
    missed: list[str] = field(default_factory=list)
    overflows: int = 0

    def __post_init__(self) -> None:
        registered = Registered(VersionId(1), Entrant("bot", "1", "owner"), False)
        self.session = Session(
            0,
            registered,
            "",
            IN_PYTHON,
            self.left.append,
            lambda session: self.changed.append(session.max_matches),
            lambda _, match_id: self.missed.append(match_id),
            lambda _: None,
        )
        self.outbox = self.connect()
        self.scene = Scene()

    def connect(self) -> Outbox:
        """A stream of the bot begins."""
        outbox = Outbox(lambda: None, lambda: None)
        self.session.attach(outbox, GAMES, 4)
        return outbox

    def offered(self) -> RemotePlayer:
        """The match is offered to the bot and to another."""
        self.scene.bots[0] = cast(Any, self.session.player())
        self.scene.table.open()
        return self.session._seats[MATCH_ID]

    def playing(self) -> pb.Turn:
        """The match has begun, and the bot is asked its first turn."""
        self.offered()
        self.session.hear(
            pb.PlayRequest(joins=[pb.Join(match_id=MATCH_ID, entropy=ENTROPY)]).SerializeToString()
        )
        self.scene.bots[1].join()
        (turn,) = self.heard().turns
        return turn

    def heard(self, outbox: Outbox | None = None) -> pb.PlayResponse:
        """What was sent since it was last asked."""
        return pb.PlayResponse.FromString((outbox or self.outbox).take())


STRAYS: list[Callable[[], pb.PlayRequest]] = [
    lambda: pb.PlayRequest(),
    lambda: pb.PlayRequest(answers=[pb.Answer(match_id="nothing")]),
    lambda: pb.PlayRequest(joins=[pb.Join(match_id="nothing", entropy=ENTROPY)]),
    lambda: pb.PlayRequest(declines=[pb.Decline(match_id="nothing")]),
]


@pytest.mark.parametrize("request_", STRAYS, ids=["empty", "answers", "joins", "declines"])
def test_a_thousand_messages_about_nothing_are_harmless_and_one_more_is_not(
    request_: Callable[[], pb.PlayRequest],
) -> None:
    table, message = Table(), request_()
    for _ in range(MAX_STRAYS):
        _hear(table.session, message)
    with pytest.raises(ProtocolError, match="more than 1000 answers") as refused:
        _hear(table.session, message)
    assert refused.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_an_answer_that_counts_makes_up_for_one_that_does_not() -> None:
    table = Table()
    turn = table.playing()
    nothing = pb.PlayRequest(answers=[pb.Answer(match_id="nothing")])
    for _ in range(MAX_STRAYS):
        _hear(table.session, nothing)
    answer = pb.Answer(match_id=turn.match_id, turn_number=turn.turn_number)
    _hear(table.session, pb.PlayRequest(answers=[answer]))
    _hear(table.session, nothing)
    with pytest.raises(ProtocolError):
        _hear(table.session, nothing)


def test_good_answers_are_not_saved_up() -> None:
    table = Table()
    turn = table.playing()
    answer = pb.Answer(match_id=turn.match_id, turn_number=turn.turn_number)
    _hear(table.session, pb.PlayRequest(answers=[answer]))
    assert table.session._strays == 0


def test_a_legal_answer_and_a_decline_in_time_are_no_strays() -> None:
    table = Table()
    turn = table.playing()
    player: Any = table.session._seats[MATCH_ID]
    choice = next(table.scene.table.setup.make_game().choices(player._open_turn.view))
    answer = pb.Answer(match_id=turn.match_id, turn_number=turn.turn_number)
    write_action("bluff", choice, answer.action)
    _hear(table.session, pb.PlayRequest(answers=[answer]))
    assert table.session._strays == 0
    assert not table.heard().refusals
    _hear(table.session, pb.PlayRequest(declines=[pb.Decline(match_id=MATCH_ID)]))
    assert table.session._strays == 1, "it is too late"
    other = Table()
    other.offered()
    other.session.hear(pb.PlayRequest(declines=[pb.Decline(match_id=MATCH_ID)]).SerializeToString())
    assert other.session._strays == 0
    assert [outcome.value for outcome in other.scene.outcomes] == ["declined"]


def test_a_new_stream_begins_without_strays() -> None:
    table = Table()
    for _ in range(MAX_STRAYS):
        _hear(table.session, pb.PlayRequest())
    table.connect()
    for _ in range(MAX_STRAYS):
        _hear(table.session, pb.PlayRequest())


def test_a_request_to_leave_is_passed_on_once_and_repeated_is_a_stray() -> None:
    table = Table()
    for _ in range(3):
        _hear(table.session, pb.PlayRequest(drain=pb.Drain()))
    assert table.left == [table.session]
    assert table.session._strays == 2
    table.connect()
    _hear(table.session, pb.PlayRequest(drain=pb.Drain()))
    assert table.left == [table.session] * 2
    assert table.session._strays == 0


def test_places_that_the_bot_has_already_are_a_stray() -> None:
    table = Table()
    for places in (4, 2, 2, 65, MAX_MATCHES, -1, 0):
        _hear(table.session, pb.PlayRequest(places=pb.Places(max_matches=places)))
    assert table.changed == [2, MAX_MATCHES, 0]
    assert table.session._strays == 4


@pytest.mark.parametrize(("size", "fits"), [(7, False), (8, True), (64, True), (65, False)])
def test_entropy_has_eight_to_sixty_four_bytes(size: int, fits: bool) -> None:
    table = Table()
    table.offered()
    request = pb.PlayRequest(joins=[pb.Join(match_id=MATCH_ID, entropy=bytes(size))])
    if fits:
        _hear(table.session, request)
        assert table.scene.table._entropies == {0: bytes(size)}
        return
    with pytest.raises(ProtocolError, match=f"8 to 64 bytes, not {size}"):
        _hear(table.session, request)
    assert table.scene.table._entropies == {}


def test_a_second_join_of_a_match_is_a_stray_and_changes_nothing() -> None:
    table = Table()
    table.offered()
    for entropy in (ENTROPY, b"x" * 16):
        join = pb.Join(match_id=MATCH_ID, entropy=entropy)
        _hear(table.session, pb.PlayRequest(joins=[join]))
    assert table.scene.table._entropies == {0: ENTROPY}
    assert table.session._strays == 1


def test_a_second_hello_ends_the_stream() -> None:
    with pytest.raises(ProtocolError, match="only in the first message"):
        Table().session.hear(
            pb.PlayRequest(hello=pb.Hello(), declines=[pb.Decline()]).SerializeToString()
        )


def test_matches_are_counted_for_the_stream() -> None:
    table = Table()
    assert (table.session.idle, table.outbox.matches) == (True, 0)
    table.offered()
    assert (table.session.idle, table.outbox.matches) == (False, 1)
    table.heard()
    newer = table.connect()
    assert newer.matches == 1
    table.scene.table.break_off("a test")
    assert (table.session.idle, newer.matches) == (True, 0)
    (withdrawal,) = table.heard(newer).withdrawals
    assert (withdrawal.match_id, withdrawal.reason) == (MATCH_ID, "a test")


def test_no_more_matches_are_counted_for_the_stream_than_the_bot_has_places() -> None:
    table = Table()
    table.offered()
    newer = Outbox(lambda: None, lambda: None)
    table.session.attach(newer, GAMES, 0)
    assert newer.matches == 0


def test_after_a_goodbye_offers_are_declined_and_matches_wait() -> None:
    table = Table()
    table.offered()
    table.session.detach(goodbye=True)
    assert [outcome.value for outcome in table.scene.outcomes] == ["declined"]
    assert not table.session.up
    assert table.session.rated_places == 0
    other = Table()
    other.playing()
    other.session.detach(goodbye=True)
    assert other.scene.outcomes == []


def test_a_bot_that_is_cut_off_has_not_declined() -> None:
    table = Table()
    table.offered()
    table.session.detach(goodbye=False)
    assert [outcome.value for outcome in table.scene.outcomes] == ["not joined"]


def test_who_has_drained_is_let_go_when_its_last_match_is_told() -> None:
    table = Table()
    table.offered()
    table.session.drained()
    assert not table.outbox.closed
    table.scene.table.break_off("a test")
    assert table.outbox.closed
    newer = table.connect()
    assert not newer.closed
    table.session.drained()
    assert newer.closed, "nothing was left to be told"


def test_a_bot_that_came_back_after_it_had_drained_stays() -> None:
    table = Table()
    table.offered()
    table.session.drained()
    newer = table.connect()
    table.scene.table.break_off("a test")
    assert not newer.closed


def test_what_a_bot_that_is_away_is_sent_is_lost_and_its_end_is_noted() -> None:
    table = Table()
    table.playing()
    table.session.detach(goodbye=False)
    table.scene.timer.turn(40)  # the turn is over, and its fault is told to nobody
    assert table.heard() == pb.PlayResponse()
    table.scene.timer.turn(120)
    table.scene.announce()
    assert table.missed == [MATCH_ID]
    assert table.session.idle


def test_a_bot_that_is_there_misses_no_end() -> None:
    table = Table()
    table.playing()
    table.scene.timer.turn(600)
    assert table.scene.outcomes
    table.scene.announce()
    assert [end.match_id for end in table.heard().ends] == [MATCH_ID]
    assert table.missed == []


@pytest.mark.parametrize(
    ("loss", "missed"), [("lost", [MATCH_ID]), ("taken over", [MATCH_ID]), ("goodbye", [])]
)
def test_an_end_is_noted_as_missed_when_its_stream_is_lost_soon_after(
    loss: str, missed: list[str]
) -> None:
    table = Table()
    table.playing()
    table.scene.timer.turn(600)
    table.scene.announce()
    table.heard()
    if loss == "taken over":
        table.connect()
    else:
        table.session.detach(goodbye=loss == "goodbye")
    assert table.missed == missed
    table.connect()
    table.session.detach(goodbye=False)
    assert table.missed == missed, "once"


def test_an_answer_to_a_turn_that_is_not_open_changes_nothing() -> None:
    table = Table()
    turn = table.playing()
    for number in (turn.turn_number - 1, turn.turn_number + 1):
        answer = pb.Answer(match_id=MATCH_ID, turn_number=number)
        _hear(table.session, pb.PlayRequest(answers=[answer]))
    assert not table.heard().refusals
    assert table.session._strays == 2
    answer = pb.Answer(match_id=MATCH_ID, turn_number=turn.turn_number)
    _hear(table.session, pb.PlayRequest(answers=[answer, answer]))
    assert len(table.heard().refusals) == 1, "an answer without an action is a fault, once"
    assert table.session._strays == 2


def test_who_comes_back_is_told_all_anew_once() -> None:
    table = Table()
    turn = table.playing()
    table.session.detach(goodbye=False)
    again = table.heard(newer := table.connect())
    (resume,) = again.resumes
    assert (resume.offer.match_id, resume.entropy) == (MATCH_ID, ENTROPY)
    assert [(one.turn_number, one.view) for one in again.turns] == [(turn.turn_number, turn.view)]
    assert not again.offers
    assert table.heard(newer) == pb.PlayResponse()


def test_who_comes_back_after_its_last_turn_is_told_all_events_with_the_end() -> None:
    table = Table()
    table.playing()
    while not table.scene.outcomes:
        table.scene.timer.turn(60)
        if table.scene.bots[1].turns and not table.scene.outcomes:
            table.scene.bots[1].act()
    table.heard()
    newer = table.connect()
    table.heard(newer)
    table.scene.announce()
    (end,) = table.heard(newer).ends
    frames = replay(table.scene.transcript)
    assert len(end.events) == sum(len(frame.events) for frame in frames) > 0


def test_who_comes_back_while_a_match_is_offered_is_offered_it_again() -> None:
    table = Table()
    table.offered()
    (offer,) = table.heard().offers
    again = table.heard(table.connect())
    assert list(again.offers) == [offer]
    assert not again.resumes


def test_a_turn_whose_time_is_over_is_not_asked_again_while_others_still_think() -> None:
    table = Table()
    table.scene = Scene("skull", 3)
    table.scene.table._play._clocks.spend(0, 32_000)  # all of its bank
    player = table.offered()
    assert player.join(ENTROPY)
    for bot in table.scene.bots[1:]:
        bot.join()
    assert len(table.heard().turns) == 1
    table.session.detach(goodbye=False)
    table.scene.timer.turn(2)
    again = table.heard(table.connect())
    assert (len(again.resumes), len(again.turns)) == (1, 0)


@pytest.mark.parametrize("answered", [False, True])
def test_a_turn_that_is_answered_is_not_asked_again(answered: bool) -> None:
    table = Table()
    turn = table.playing()
    if answered:
        player: Any = table.session._seats[MATCH_ID]
        choice = next(table.scene.table.setup.make_game().choices(player._open_turn.view))
        player._open_turn = None
        assert table.scene.table.answer(0, turn.turn_number, choice)
    assert len(table.heard(table.connect()).turns) == (0 if answered else 1)


def test_a_match_of_another_referee_comes_over_the_stream_that_is_open() -> None:
    table = Table()
    table.scene.bots[0] = cast(Any, table.session.player())
    table.scene.table.resume([ENTROPY, b"another's entropy"], [], lambda _seat, _reply: None)
    heard = table.heard()
    (resume,), (turn,) = heard.resumes, heard.turns
    assert resume.entropy == ENTROPY
    assert all(entrant.bot for entrant in resume.offer.entrants)
    assert turn.match_id == resume.offer.match_id == MATCH_ID
    assert not table.scene.table._play._clocks._expected & {0}  # its clock runs


def test_places_change_between_none_and_the_most() -> None:
    table = Table()
    for wanted in (3, -1, 1_000, 0):
        _hear(table.session, pb.PlayRequest(places=pb.Places(max_matches=wanted)))
    assert table.changed == [3, 0, MAX_MATCHES, 0]
    assert table.session._strays == 0


def _hear(session: Session, request: pb.PlayRequest) -> None:
    session.hear(request.SerializeToString())
