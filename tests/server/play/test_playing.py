"""Two bots play over one stream each: what a bot author may rely on."""

import pytest

from arena.codec.transcript import from_message
from arena.match.verify import verify
from arena.signatures import check_signature
from arena.v1 import referee_pb2 as pb
from tests import recorded_matches
from tests.bots import Peer
from tests.databases import unreachable
from tests.scene import OUTAGE, Scene, good_pair
from tests.waiting import until_async

NOT_RECORDED = "results not recorded yet"


@pytest.mark.slow
async def test_two_good_bots_play_on_and_on_without_a_fault(scene: Scene) -> None:
    async with good_pair(scene) as pair:
        await pair.go_on(20)
    assert len(await scene.results("good-one")) >= 20


async def test_the_welcome_says_who_one_is_and_what_will_be_offered(scene: Scene) -> None:
    async with await scene.peer("someone", games=["chess", "bluff"], max_matches=1_000) as peer:
        welcome = await peer.greet()
    assert (welcome.entrant.bot, welcome.entrant.version) == ("someone", "1")
    assert welcome.protocol_version == 1
    assert list(welcome.games) == ["bluff"]
    assert welcome.max_matches == 64


@pytest.mark.slow
async def test_an_end_opens_the_commitment_and_the_whole_match_can_be_verified(
    scene: Scene,
) -> None:
    async with good_pair(scene) as pair:
        await pair.go_on(4)
        for peer in pair.peers:
            for end in [end for message in peer.heard for end in message.ends]:
                transcript = from_message(end.transcript)
                verify(transcript)
                offer = peer.offers[end.match_id]
                assert transcript.commitment == offer.commitment
                assert transcript.setup == offer.setup
                assert transcript.opening.entropies[offer.seat] == b"0123456789abcdef"


@pytest.mark.slow
async def test_an_offer_names_only_its_own_seat_and_the_beginning_names_all(scene: Scene) -> None:
    async with good_pair(scene) as pair:
        for peer, name in zip(pair.peers, ("good-one", "good-two"), strict=True):
            named: set[str] = set()
            for message in peer.heard:
                for offer in message.offers:
                    names = [entrant.bot for entrant in offer.entrants]
                    assert (names.pop(offer.seat), names) == (name, [""])
                for begin in message.begins:
                    assert {one.bot for one in begin.entrants} == {"good-one", "good-two"}
                    named.add(begin.match_id)
                assert {turn.match_id for turn in message.turns} <= named


async def test_a_resumed_match_names_all_if_it_has_begun_and_else_only_the_own_seat(
    scene: Scene,
) -> None:
    other, bot = await scene.peer("other"), await scene.peer("bot", max_matches=1)
    async with other, bot:
        await other.greet()
        await bot.greet()
        (offer,) = (await bot.hear_until(lambda message: message.offers)).offers
        await bot.say(joins=[pb.Join(match_id=offer.match_id, entropy=bytes(8))])
        async with await scene.peer("bot", max_matches=1) as again:
            (resume,) = (await again.first_words()).resumes
            assert sum(bool(entrant.bot) for entrant in resume.offer.entrants) == 1
            await other.join(await other.hear_until(lambda message: message.offers))
            (begin,) = (await again.hear_until(lambda message: message.begins)).begins
            async with await scene.peer("bot", max_matches=1) as once_more:
                (resume,) = (await once_more.first_words()).resumes
                assert list(resume.offer.entrants) == list(begin.entrants)
                assert all(entrant.bot for entrant in begin.entrants)


@pytest.mark.slow
async def test_every_transcript_is_signed_by_the_key_of_the_welcome(scene: Scene) -> None:
    async with good_pair(scene) as pair:
        await pair.go_on(2)
        (one, _) = pair.peers
        (key,) = [m.welcome.signing_key for m in one.heard if m.HasField("welcome")]
        assert key == (await scene.arena.store.signer()).public_key
        ends = [end for message in one.heard for end in message.ends]
        assert ends
        for end in ends:
            transcript = from_message(end.transcript)
            check_signature(transcript, key)
            assert await scene.arena.store.transcript(end.match_id) == transcript


@pytest.mark.slow
async def test_an_end_arrives_only_when_the_match_is_in_the_database(scene: Scene) -> None:
    async with good_pair(scene) as pair:
        (one, _) = pair.peers
        for _ in range(5):
            await pair.go_on(1)
            last = one.ended[-1]
            assert await recorded_matches.match(scene.arena.store, last) is not None
            assert await scene.arena.store.transcript(last) is not None


@pytest.mark.slow
async def test_events_come_once_each_and_in_order_from_turn_to_turn_and_to_the_end(
    scene: Scene,
) -> None:
    async with good_pair(scene) as pair:
        await pair.go_on(4)
        one, other = pair.peers
        for match_id in set(one.ended) & set(other.ended):
            assert events_of(one, match_id) == events_of(other, match_id) != []


def events_of(peer: Peer, match_id: str) -> list[bytes]:
    """All events of a match that a bot was told, in the order of their coming."""
    return [
        event.SerializeToString()
        for message in peer.heard
        for part in [*message.turns, *message.ends]
        if part.match_id == match_id
        for event in part.events
    ]


@pytest.mark.slow
async def test_turns_say_how_much_time_is_left(scene: Scene) -> None:
    async with good_pair(scene) as pair:
        await pair.go_on(1)
        turns = [turn for message in pair.peers[0].heard for turn in message.turns]
        assert {turn.turn_ms for turn in turns} == {2_000}
        assert max(turn.bank_ms for turn in turns) == 30_000


@pytest.mark.slow
async def test_while_the_database_is_away_no_end_is_told_and_afterwards_none_is_lost(
    database: str, scene: Scene
) -> None:
    async with good_pair(scene) as pair:
        with unreachable(database):
            told = [len(peer.ended) for peer in pair.peers]
            await until_async(
                lambda: NOT_RECORDED in [line["event"] for line in scene.log], pause=0.1
            )
            # What was on its way when the line was cut may still arrive.
            assert max(len(p.ended) - t for p, t in zip(pair.peers, told, strict=True)) < 300
            assert scene.arena.writer.waiting > 0
        await pair.go_on(5)
        for peer in pair.peers:
            assert len(set(peer.ended)) == len(peer.ended)
    # What else comes due in these seconds waits too.
    for line in scene.log:
        if line["log_level"] == "error":
            assert line["event"] == NOT_RECORDED or line["event"].endswith("wait for storage")
    scene.log[:] = [OUTAGE]
