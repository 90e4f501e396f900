"""How streams begin and end: hellos, tokens, bytes that are nothing, and streams taken over."""

import asyncio
from contextlib import suppress
from typing import Any

import grpc
import pytest

from arena.server.limits.channel_options import OPTIONS
from arena.server.play.terms import Patience, Terms
from arena.v1 import referee_pb2 as pb
from tests.bots import PATIENCE, Peer
from tests.databases import execute
from tests.scene import Scene, good_pair, opened
from tests.service_calls import bearing

PLAY = "/arena.v1.RefereeService/Play"


async def refusal(peer: Peer) -> tuple[grpc.StatusCode, str]:
    """The status of a stream whose token is refused.

    Nothing is written: where grpc.aio writes while the stream ends, each status becomes INTERNAL.
    """
    async with peer:
        return await peer.status()


async def status_of(peer: Peer) -> tuple[grpc.StatusCode, str]:
    async with peer:
        with suppress(EOFError, grpc.aio.AioRpcError):
            await peer.greet()
        return await peer.status()


@pytest.mark.parametrize("token", [None, "", "  "], ids=["nothing", "empty", "blank"])
async def test_without_a_token_one_is_told_so_and_how_to_send_it(
    scene: Scene, token: str | None
) -> None:
    code, why = await refusal(Peer(scene.port, token))
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert why.startswith("no token was sent: ")
    assert '"authorization": "Bearer <token>"' in why


async def test_a_token_that_is_rotated_while_its_stream_is_let_in_is_refused(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, gate = await scene.token("fox"), scene.arena.gate
    admit = gate.admit
    async with Peer(scene.port, token) as before:
        await before.greet()

        async def slowly(*asked: Any) -> Any:
            registered = await admit(*asked)
            await scene.arena.store.rotate_token("fox")
            await before.status()  # so all open streams are looked at
            return registered

        monkeypatch.setattr(gate, "admit", slowly)
        code, why = await refusal(Peer(scene.port, token))
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert "no bot has this token" in why


async def test_an_unknown_a_retired_and_an_old_token_are_refused(scene: Scene) -> None:
    old = await scene.token("rotated")
    await scene.arena.store.rotate_token("rotated")
    retired = await scene.token("retired")
    await scene.arena.store.retire("retired")
    for token in ("nobody's", old):
        code, why = await refusal(Peer(scene.port, token))
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert "no bot has this token" in why
    code, why = await refusal(Peer(scene.port, retired))
    assert code is grpc.StatusCode.PERMISSION_DENIED
    assert "retired" in why


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ("rotate_token", grpc.StatusCode.UNAUTHENTICATED, "no bot has this token"),
        ("retire", grpc.StatusCode.PERMISSION_DENIED, "retired"),
    ],
)
async def test_a_token_that_is_replaced_and_a_version_that_is_retired_end_the_open_stream(
    scene: Scene, change: str, status: grpc.StatusCode, words: str
) -> None:
    async with good_pair(scene), await scene.peer("former") as former:
        await former.greet()
        await getattr(scene.arena.store, change)("former")
        async with asyncio.timeout(PATIENCE):
            code, why = await former.status()
    assert code is status
    assert words in why


async def test_only_the_streams_of_the_version_that_is_named_are_looked_at_again(
    scene: Scene, database: str
) -> None:
    async with await scene.peer("named") as named, await scene.peer("other") as other:
        await named.greet()
        await other.greet()
        # Nobody is told of this.
        execute(database, "UPDATE tokens SET sha256 = sha256(sha256)")
        bots = await scene.arena.store.bots()
        (id_,) = (one.id for one in bots if one.bot == "named")
        execute(database, f"NOTIFY arena_tokens, '{id_}'")
        async with asyncio.timeout(PATIENCE):
            assert (await named.status())[0] is grpc.StatusCode.UNAUTHENTICATED
        assert scene.arena.lobby.connected == 1
        execute(database, "NOTIFY arena_tokens")
        async with asyncio.timeout(PATIENCE):
            assert (await other.status())[0] is grpc.StatusCode.UNAUTHENTICATED


async def test_a_match_survives_a_token_that_is_replaced(database: str) -> None:
    patient = Terms(patience=Patience(join_seconds=5, grace_seconds=20))
    async with opened(database, terms=patient) as scene, await scene.peer("stays") as stays:
        async with await scene.peer("rotated", max_matches=1) as former:
            await former.greet()
            await stays.greet()
            for peer in (former, stays):
                await peer.join(await peer.hear_until(lambda message: message.offers))
            begun = await former.hear_until(lambda message: message.begins)
            scene.tokens["rotated"], _ = await scene.arena.store.rotate_token("rotated")
            code, _ = await former.status()
            assert code is grpc.StatusCode.UNAUTHENTICATED
        async with await scene.peer("rotated") as again:
            (resumed,) = (await again.first_words()).resumes
            assert resumed.offer.match_id == begun.begins[0].match_id


async def test_the_operator_reads_which_copy_of_a_bot_comes_and_goes(scene: Scene) -> None:
    async with await scene.peer("copied", instance="left") as copy:
        await copy.greet()
        await copy.call.done_writing()
        await copy.status()
    lines = [line for line in scene.log if line.get("bot") == "copied 1"]
    assert [(line["event"], line["instance"]) for line in lines] == [
        ("bot connected", "left"),
        ("bot disconnected", "left"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hello", "words"),
    [
        ({"protocol_version": 2}, "protocol version 1"),
        ({"protocol_version": 0}, "protocol version 1"),
        ({"games": []}, "bluff"),
        ({"games": ["chess"]}, "bluff"),
        ({"instance": "x" * 41}, "40 characters"),
    ],
    ids=str,
)
async def test_a_hello_that_cannot_be_served_is_refused_with_what_would_do(
    scene: Scene, hello: dict[str, Any], words: str
) -> None:
    async with good_pair(scene):
        code, why = await status_of(await scene.peer("newcomer", **hello))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert words in why


async def test_a_first_message_without_a_hello_ends_the_stream(scene: Scene) -> None:
    async with await scene.peer("rude") as rude:
        await rude.say(answers=[pb.Answer()])
        code, why = await rude.status()
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "hello" in why


async def test_a_second_hello_ends_the_stream(scene: Scene) -> None:
    async with good_pair(scene), await scene.peer("twice") as twice:
        await twice.greet()
        await twice.say(hello=pb.Hello(**twice.hello))
        code, why = await twice.status()
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "only in the first message" in why


@pytest.mark.slow
async def test_a_stream_that_says_nothing_is_closed_after_a_while(database: str) -> None:
    async with opened(database, hello_seconds=0.5) as scene, await scene.peer("silent") as silent:
        code, why = await silent.status()
    assert code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert "hello" in why


@pytest.mark.slow
@pytest.mark.parametrize("greeted", [False, True], ids=["at once", "after the hello"])
async def test_bytes_that_are_no_message_end_the_stream_with_a_sentence(
    scene: Scene, greeted: bool
) -> None:
    metadata = bearing(await scene.token("garbler"))
    async with good_pair(scene), await scene.peer("unused") as other:
        call = other.channel.stream_stream(PLAY)(metadata=metadata)
        if greeted:
            hello = pb.Hello(protocol_version=1, games=["bluff"])
            await call.write(pb.PlayRequest(hello=hello).SerializeToString())
            await call.read()
        await call.write(b"\xff\xff\xff garbage")
        with suppress(grpc.aio.AioRpcError):
            while await call.read() is not grpc.aio.EOF:
                pass
        assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "PlayRequest" in await call.details()


@pytest.mark.slow
async def test_a_huge_message_ends_the_stream_and_harms_nobody(scene: Scene) -> None:
    async with good_pair(scene), await scene.peer("huge") as huge:
        await huge.greet()
        await huge.say(answers=[pb.Answer(match_id="x" * 300_000)])
        code, _ = await huge.status()
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.slow
@pytest.mark.parametrize("length", [0, 7, 65])
async def test_entropy_of_a_wrong_length_ends_the_stream(scene: Scene, length: int) -> None:
    async with good_pair(scene), await scene.peer("careless") as careless:
        await careless.greet()
        offer = (await careless.hear_until(lambda message: message.offers)).offers[0]
        await careless.say(joins=[pb.Join(match_id=offer.match_id, entropy=b"x" * length)])
        code, why = await careless.status()
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "8 to 64 bytes" in why


@pytest.mark.slow
async def test_a_newer_stream_of_the_same_instance_takes_over(scene: Scene) -> None:
    async with (
        good_pair(scene),
        await scene.peer("double") as older,
        await scene.peer("double") as newer,
    ):
        await older.greet()
        await newer.greet()
        code, why = await older.status()
        assert code is grpc.StatusCode.ABORTED
        assert "took over" in why
        await newer.play(until=lambda: len(newer.ended) >= 2)
        assert await scene.faults("double") == 0


@pytest.mark.slow
async def test_copies_under_names_of_their_own_play_side_by_side(scene: Scene) -> None:
    async with (
        good_pair(scene),
        await scene.peer("copied", instance="left") as left,
        await scene.peer("copied", instance="right") as right,
    ):
        await left.greet()
        await right.greet()
        async with asyncio.TaskGroup() as tasks:
            for copy in (left, right):
                tasks.create_task(copy.play(until=lambda copy=copy: bool(copy.ended)))
        assert not set(left.ended) & set(right.ended)


@pytest.mark.slow
async def test_there_is_a_bound_to_the_copies_of_a_version(hasty: Scene) -> None:
    async with good_pair(hasty):
        copies = []
        for number in range(8):
            copies.append(await hasty.peer("many", instance=f"{number}"))
            await copies[-1].greet()
        code, why = await status_of(await hasty.peer("many", instance="8"))
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "8 instances" in why
        async with copies[0]:
            copies[0].call.cancel()
        await asyncio.wait_for(until_forgotten(hasty, copies), PATIENCE)
        for copy in copies:
            await copy.channel.close()


async def until_forgotten(scene: Scene, copies: list[Peer]) -> None:
    """A place is free again as soon as a copy is gone and its matches are over."""
    while True:
        async with await scene.peer("many", instance="new") as again:
            try:
                await again.greet()
            except (EOFError, grpc.aio.AioRpcError):
                continue
            return


@pytest.mark.slow
async def test_a_bot_that_hangs_up_politely_gets_an_ok(scene: Scene) -> None:
    async with good_pair(scene), await scene.peer("polite") as polite:
        await polite.greet()
        await polite.call.done_writing()
        code, _ = await polite.status()
    assert code is grpc.StatusCode.OK


async def test_when_the_referee_stops_streams_end_with_unavailable(database: str) -> None:
    async with opened(database) as scene:
        peer = await scene.peer("waiting")
        await peer.greet()
        listening = asyncio.create_task(peer.status())
    code, why = await listening
    assert code is grpc.StatusCode.UNAVAILABLE
    assert "running matches will go on" in why
    await peer.channel.close()


@pytest.mark.slow
async def test_no_second_referee_can_share_the_port(scene: Scene) -> None:
    with pytest.raises(RuntimeError, match="Failed to bind"):
        grpc.aio.server(options=OPTIONS).add_insecure_port(f"127.0.0.1:{scene.port}")
