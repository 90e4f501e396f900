"""What bots note beside their answers: who reads it, when, and what comes of too much of it."""

from typing import Any

import pytest

from arena.match.notes import MOST_OF_A_NOTE
from arena.v1 import owner_pb2
from arena.v1 import referee_pb2 as pb
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from tests.bots import Peer
from tests.scene import Scene, opened, playing
from tests.server.play.test_restarts import PATIENT, Silent
from tests.service_calls import bearing, refused
from tests.watching_bots import Watcher

MARK = b"between you and me"


class Noting(Peer):
    """A bot that notes something beside each answer."""

    usage = pb.Usage(input_tokens=1_000, output_tokens=20, cost_microusd=300, latency_ms=40)

    def answer(self, turn: pb.Turn) -> pb.Answer:
        answer = super().answer(turn)
        answer.note.text = b"%d: " % turn.turn_number + MARK
        answer.note.usage.CopyFrom(self.usage)
        return answer


async def notes(stub: Any, match_id: str, key: str = "") -> list[owner_pb2.SeatNote]:
    request = owner_pb2.GetNotesRequest(match_id=match_id)
    answer = await stub.GetNotes(request, metadata=bearing(key) if key else ())
    return list(answer.notes)


def turns_of(peer: Peer, match_id: str) -> list[int]:
    return [one.turn_number for m in peer.heard for one in m.turns if one.match_id == match_id]


@pytest.mark.slow
async def test_a_note_is_read_by_its_owner_after_the_match_and_by_nobody_else(scene: Scene) -> None:
    mine, other = await scene.key("me"), await scene.key("other")
    noting = Noting(scene.port, await scene.token("noting", "me"))
    rival = Peer(scene.port, await scene.token("rival", "other"))
    async with Watcher(scene.port) as watcher:
        stub = OwnerServiceStub(scene.channel)
        async with playing([noting, rival]) as company:
            await company.go_on(2)
            await watcher.hear_until(lambda: len(watcher.ends) >= 2)
        match_id = noting.ended[0]
        found = await notes(stub, match_id, mine)
        seat = noting.offers[match_id].seat
        assert [one.turn_number for one in found] == turns_of(noting, match_id)
        assert {one.seat for one in found} == {seat}
        assert [one.text for one in found] == [
            f"{one.turn_number}: {MARK.decode()}" for one in found
        ]
        assert all(one.usage == Noting.usage for one in found)
        # Nobody else: no other owner, no stranger, and no byte on any stream.
        assert await notes(stub, match_id, other) == []
        assert await notes(stub, match_id) == []
        sent = [m.SerializeToString() for m in (*noting.heard, *rival.heard, *watcher.heard)]
        assert not any(MARK in one for one in sent)
        # Until its owner shares them; then everybody, and again nobody.
        for shared in (True, False):
            request = owner_pb2.ShareNotesRequest(bot="noting", share=shared)
            await stub.ShareNotes(request, metadata=bearing(mine))
            assert bool(await notes(stub, match_id)) is shared
            (own,) = (
                await stub.ListOwnBots(owner_pb2.ListOwnBotsRequest(), metadata=bearing(mine))
            ).bots
            assert own.shares_notes is shared
        code, why = await refused(notes(stub, "11111111-2222-4333-8444-555555555555"))
        assert (code, why) == (
            "NOT_FOUND",
            "there is no match 11111111-2222-4333-8444-555555555555",
        )
        code, _ = await refused(
            stub.ShareNotes(
                owner_pb2.ShareNotesRequest(bot="noting", share=True), metadata=bearing(other)
            )
        )
        assert code == "NOT_FOUND"


class Careless(Noting):
    """A bot that tells what cannot be."""

    usage = pb.Usage(input_tokens=-1)


class Babbling(Noting):
    """A bot whose notes are too long and are no text."""

    def answer(self, turn: pb.Turn) -> pb.Answer:
        answer = super().answer(turn)
        answer.note.text = b"\0\xff" + 1_500 * b"\xc3\xa9"
        return answer


@pytest.mark.slow
async def test_no_note_costs_a_bot_a_fault_or_its_stream(database: str, quiet: list[Any]) -> None:
    async with opened(database, terms=PATIENT) as scene:  # who leaves is not absent so soon
        mine, other = await scene.key("me"), await scene.key("other")
        careless = Careless(scene.port, await scene.token("careless", "me"))
        babbling = Babbling(scene.port, await scene.token("babbling", "other"))
        async with playing([careless, babbling]) as company:
            await company.go_on(2)  # and no more: a stream of such answers is soon too many bytes
        stub = OwnerServiceStub(scene.channel)
        short, long = [await notes(stub, careless.ended[0], key) for key in (mine, other)]
        assert await scene.faults("careless") == await scene.faults("babbling") == 0
    assert short and long
    for one in short:
        assert one.text.endswith(
            "\n[usage left out: input_tokens is -1, allowed is 0 to 1,000,000,000]"
        )
        assert not one.HasField("usage")
    for one in long:
        assert one.text.startswith("\ufffd\ufffdé")
        assert one.text.endswith("é…")
        assert MOST_OF_A_NOTE - 2 <= len(one.text.encode()) <= MOST_OF_A_NOTE
        assert one.usage == Noting.usage


@pytest.mark.slow
async def test_notes_of_a_match_that_another_referee_goes_on_with_are_kept_once_each(
    database: str, quiet: list[Any]
) -> None:
    async with opened(database, terms=PATIENT) as first:
        keys = [await first.key(owner) for owner in ("me", "you")]
        tokens = [await first.token("a", "me"), await first.token("b", "you")]
        peers = [Noting(first.port, token, max_matches=1) for token in tokens]
        silent = await Silent(*peers).__aenter__()
    await silent.__aexit__()
    (match_id,) = silent.open_turns
    async with opened(database, terms=PATIENT) as second:
        stub = OwnerServiceStub(second.channel)
        back = [Noting(second.port, token, max_matches=1) for token in tokens]
        async with playing(back) as company:
            await company.told_of(match_id)  # not the first to end, if another began before
        found = [one for key in keys for one in await notes(stub, match_id, key)]
        transcript = await second.arena.store.transcript(match_id)
    assert transcript is not None
    acted = [step for step in transcript.steps if isinstance(step.actor, int)]
    assert sorted((one.turn_number, one.seat) for one in found) == [
        (number, step.actor) for number, step in enumerate(acted, start=1)
    ]
