"""SpectatorService over real gRPC: what is shown, of which matches, and to whom it is refused."""

import asyncio
import json

import grpc
import pytest

from arena.codec.game_codec import CODECS
from arena.codec.transcript import from_message
from arena.games import DEALER, make_game
from arena.match.replay import replay
from arena.match.transcript import Transcript
from arena.scheduling.ladder import TableType
from arena.server.limits.limits import Limits
from arena.v1 import game_pb2, spectator_pb2
from tests.bots import Peer
from tests.scene import Scene, good_pair, opened, playing
from tests.watching_bots import Watcher

TABLES = [
    ("bluff", {"dice_per_player": 3}, 2),
    ("bluff", {"dice_per_player": 3, "show_and_reroll": True}, 3),
    ("bluff_you", {}, 3),
    ("bloeff", {}, 4),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "options", "seats"), TABLES, ids=str)
async def test_a_spectator_is_told_what_everybody_knows_and_nothing_else(
    database: str, game: str, options: dict[str, object], seats: int
) -> None:
    ladder = TableType(game, make_game(game, options).options, seats)
    async with opened(database, ladder) as scene, Watcher(scene.port) as watcher:
        peers = [
            await scene.peer(f"bot{number}", games=[game], max_matches=2) for number in range(seats)
        ]
        async with playing(peers) as company:
            await company.go_on(2)
            await watcher.hear_until(lambda: len(watcher.ends) >= 2)
    told = {end.match_id: end.transcript for m in peers[0].heard for end in m.ends}
    checked = 0
    for match_id in watcher.ends.keys() & told.keys():
        transcript = from_message(told[match_id])
        assert watcher.moments(match_id) == moments_of(transcript)
        assert watcher.ends[match_id].result == told[match_id].result
        shown = watcher.matches[match_id]
        assert [one.bot for one in shown.entrants] == [one.bot for one in transcript.setup.entrants]
        checked += 1
    assert checked >= 1
    secrets = {value for one in told.values() for value in (one.secret, *one.entropies)}
    sent = b"".join(message.SerializeToString() for message in watcher.heard)
    assert not any(secret in sent for secret in secrets)


def moments_of(transcript: Transcript) -> list[spectator_pb2.PublicMoment]:
    """What a spectator is to be sent, by the rules: each state that looks new, with its events."""
    game, codec = transcript.setup.make_game(), CODECS[transcript.setup.game]
    found: list[spectator_pb2.PublicMoment] = []
    before = None
    unknown, sealed = 0, False
    for frame in replay(transcript):
        if frame.step is not None:
            drawn = frame.step.actor is DEALER
            unknown += drawn and sealed
            sealed = not drawn and not frame.events
        view = game.view(frame.state, None)
        if view == before and not frame.events:
            continue
        before = view
        asked = view.to_act
        moment = spectator_pb2.PublicMoment(
            match_id=transcript.setup.match_id,
            step=frame.index - unknown,
            to_act=() if asked is None else (asked,) if isinstance(asked, int) else asked,
        )
        getattr(moment.view, game.name).MergeFromString(codec.view_bytes(view))
        for event in frame.events:
            message = game_pb2.Event()
            getattr(message, game.name).MergeFromString(codec.event_bytes(event))
            moment.events.append(message)
        found.append(moment)
    return found


async def begun(scene: Scene) -> tuple[Peer, Peer]:
    """Two bots in a match that waits for its first answer."""
    one, other = await scene.peer("one", max_matches=1), await scene.peer("other", max_matches=1)
    await one.greet()
    await other.greet()
    await one.join(await one.hear_until(lambda m: m.offers))
    await other.join(await other.hear_until(lambda m: m.offers))
    return one, other


async def played(peer: Peer) -> None:
    """Play until a match is over."""
    await peer.play(until=lambda: bool(peer.ended))


async def test_who_joins_in_the_middle_gets_the_match_so_far_and_then_its_events(
    scene: Scene,
) -> None:
    one, other = await begun(scene)
    async with Watcher(scene.port) as early:
        await early.hear_until(lambda: early.matches)
        (match_id,) = early.matches
        await early.hear_until(lambda: early.moments(match_id)[-1].to_act)
        async with Watcher(scene.port, match_id=match_id.upper()) as late:
            await late.hear_until(lambda: late.moments(match_id))
            first = late.moments(match_id)[0]
            before = early.moments(match_id)
            assert first.step == before[-1].step and first.view == before[-1].view
            assert list(first.events) == [event for one in before for event in one.events]
            await asyncio.gather(*(played(peer) for peer in (one, other)))
            await early.hear_until(lambda: match_id in early.ends)
            assert await late.status() == (grpc.StatusCode.OK, "")
            assert late.moments(match_id)[1:] == early.moments(match_id)[len(before) :]
            assert late.ends[match_id].result.placing
    await one.channel.close()
    await other.channel.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ({}, True),
        ({"bot": "GOOD-one"}, True),
        ({"bot": "nobody"}, False),
        ({"game": "bluff", "seats": 2, "options_json": '{"dice_per_player": 2}'}, True),
        ({"game": "bluff", "options_json": "{}"}, False),
        ({"game": "bloeff"}, False),
        ({"seats": 3}, False),
        ({"tournament": "cup"}, False),
        ({"max_matches": 1}, True),
    ],
    ids=str,
)
async def test_only_matches_that_fit_are_shown(
    scene: Scene, wanted: dict[str, object], shown: bool
) -> None:
    async with Watcher(scene.port) as everything, Watcher(scene.port, **wanted) as watcher:
        async with good_pair(scene):
            await everything.hear_until(lambda: len(everything.ends) >= 3)
            if shown:
                await watcher.hear_until(lambda: len(watcher.ends) >= 2)
        assert bool(watcher.matches) == shown


@pytest.mark.slow
async def test_no_more_matches_are_shown_at_once_than_were_asked_for(scene: Scene) -> None:
    async with Watcher(scene.port, max_matches=1) as watcher, good_pair(scene):
        await watcher.hear_until(lambda: len(watcher.ends) >= 3)
    # One follows the other: when a match is shown, those before it are over.
    for message in watcher.heard:
        assert len(message.matches) <= 1 + len(message.ends)
    assert len(watcher.matches) <= len(watcher.ends) + 1


UNMET: list[tuple[dict[str, object], grpc.StatusCode, str]] = [
    ({"match_id": "7"}, grpc.StatusCode.INVALID_ARGUMENT, "not a UUID"),
    ({"match_id": "0" * 8 + "-0000-4000-8000-" + "0" * 12}, grpc.StatusCode.NOT_FOUND, "not"),
    ({"game": "chess"}, grpc.StatusCode.INVALID_ARGUMENT, "the games are"),
    ({"game": "bluff", "options_json": "["}, grpc.StatusCode.INVALID_ARGUMENT, "not JSON"),
    ({"game": "bluff", "options_json": "[]"}, grpc.StatusCode.INVALID_ARGUMENT, "object"),
    (
        {
            "game": "bluff",
            "options_json": json.dumps(dict.fromkeys(map(str, range(20_000)), 1)),
        },
        grpc.StatusCode.INVALID_ARGUMENT,
        "at most 20000 characters",
    ),
    ({"options_json": "{}"}, grpc.StatusCode.INVALID_ARGUMENT, "needs `game`"),
    ({"seats": -1}, grpc.StatusCode.INVALID_ARGUMENT, "0 for any"),
    ({"max_matches": 1001}, grpc.StatusCode.INVALID_ARGUMENT, "1 to 1000"),
]


async def test_a_request_that_cannot_be_met_is_refused_with_the_reason(scene: Scene) -> None:
    for wanted, code, words in UNMET:
        watcher = Watcher(scene.port, **wanted)
        ended, sentence = await watcher.status()
        await watcher.channel.close()
        assert (ended, words in sentence) == (code, True), (str(wanted)[:60], sentence)


async def test_bytes_that_are_no_request_are_refused(scene: Scene) -> None:
    call = scene.channel.unary_stream("/arena.v1.SpectatorService/Watch")(b"\xff")
    assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "no arena.v1.WatchRequest" in await call.details()


async def test_no_stream_is_opened_while_showing_takes_more_than_its_share_of_the_time(
    database: str,
) -> None:
    limits = Limits(watching_share=1e-6, watching_burst_seconds=1e-6, refusal_seconds=0.01)
    async with opened(database, limits=limits) as scene:
        one, other = await begun(scene)
        async with Watcher(scene.port) as watcher:
            await watcher.hear_until(lambda: watcher.matches)
            second = Watcher(scene.port)
            code, words = await second.status()
            assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert words.startswith("spectator limit reached: come back in")
            assert int(dict(await second.call.trailing_metadata())["retry-after"]) >= 1
            await second.channel.close()
        await one.channel.close()
        await other.channel.close()


async def test_an_address_has_only_so_many_spectators(database: str) -> None:
    limits = Limits(watching_an_address=1, refusal_seconds=0.01)
    async with opened(database, limits=limits) as scene:
        async with Watcher(scene.port):
            second = Watcher(scene.port)
            code, words = await second.status()
            await second.channel.close()
            assert code is grpc.StatusCode.RESOURCE_EXHAUSTED and "too many spectators" in words
        # The place of one that left is free again, as soon as the referee noticed.
        while True:
            third = Watcher(scene.port)
            try:
                await third.hear()
                break
            except grpc.aio.AioRpcError:
                pass
            finally:
                await third.channel.close()


@pytest.mark.slow
async def test_a_spectator_that_does_not_read_is_dropped_and_play_goes_on(database: str) -> None:
    limits = Limits(watching_waits=20, refusal_seconds=0.01)
    async with opened(database, limits=limits) as scene:
        watcher = Watcher(scene.port)
        # It reads nothing: what fits into the network's buffers is written, and then no more.
        async with good_pair(scene) as pair:
            await pair.go_on(150)
        code, words = await watcher.status()
        await watcher.channel.close()
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED and "read faster" in words


async def test_a_stream_ends_with_a_status_when_the_referee_stops(database: str) -> None:
    async with opened(database) as scene:
        watcher = Watcher(scene.port)
        await watcher.hear()
    code, words = await watcher.status()
    await watcher.channel.close()
    assert code is grpc.StatusCode.UNAVAILABLE
    assert "stopping" in words or words == "Cancelling all calls"  # gRPC's own may be first


@pytest.mark.slow
async def test_the_activity_counts_bots_and_matches(scene: Scene) -> None:
    async with Watcher(scene.port) as watcher:
        idle = await watcher.stub.GetActivity(spectator_pb2.GetActivityRequest())
        assert (idle.connected_bots, idle.running_matches, idle.recorded_matches) == (0, 0, 0)
        async with good_pair(scene):
            busy = await watcher.stub.GetActivity(spectator_pb2.GetActivityRequest())
            assert busy.connected_bots == 2 and busy.recorded_matches >= 3
