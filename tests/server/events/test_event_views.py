"""What the calls of EventService show: of private events to members alone, with or without key."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from arena.builds.hosted import HostingTerms
from arena.codec.transcript import from_message
from arena.match.verify import verify
from arena.records import SignUp
from arena.server.app.store import Store
from arena.server.events.event import Admission, Event
from arena.v1 import event_pb2 as pb
from arena.v1.event_pb2_grpc import EventServiceStub
from tests.jobs import accept_build
from tests.scene import opened
from tests.server.events.conftest import LIMITS
from tests.server.events.cups import done, frozen, let_pass, played_out, queued, said, uploaded
from tests.server.events.test_ladders import LADDER, play
from tests.service_calls import bearing, refused

Sql = psycopg.Connection[Any]
READING: dict[str, Any] = {
    "GetEventLadder": pb.GetEventLadderRequest(event="cup"),
    "GetEventStandings": pb.GetEventStandingsRequest(event="cup"),
    "ListEventMatches": pb.ListEventMatchesRequest(event="cup"),
    "GetEventTranscript": pb.GetEventTranscriptRequest(event="cup", match_id="0" * 8),
}


@dataclass
class Private:
    """A private event with two entrants, and the keys of who calls."""

    store: Store
    stub: Any
    keys: dict[str, str]
    event: Event

    async def ask(self, call: str, request: Any, caller: str = "ann") -> Any:
        metadata = bearing(self.keys[caller]) if caller else ()
        return await getattr(self.stub, call)(request, metadata=metadata)

    async def refused(self, call: str, request: Any, caller: str) -> tuple[str, str]:
        metadata = bearing(self.keys[caller]) if caller else ()
        return await refused(getattr(self.stub, call)(request, metadata=metadata))


@pytest.fixture
async def private(database: str) -> AsyncIterator[Private]:
    async with opened(
        database, limits=LIMITS, sign_up=SignUp.OPEN, hosting=HostingTerms()
    ) as scene:
        store = scene.arena.store
        keys = {name: await scene.key(name) for name in ("ann", "bob", "organiser", "stranger")}
        event, code = await store.events.create(
            "cup", said(private=True, ladder=LADDER, entry=Admission.CODE), "me"
        )
        assert code is not None
        await store.organisers.add(event, "organiser", "me")
        for name in ("ann", "bob"):
            owner = await store.owners.named(name)
            await uploaded(store, owner, f"bot-{name}")
            await accept_build(store, database, f"bot-{name}")
            await store.events.enter(owner, "cup", f"bot-{name}", code=code)
        await store.ladders.keep()
        yield Private(store, EventServiceStub(scene.channel), keys, event)


def test_every_call_that_reads_an_event_is_among_those_that_are_tried() -> None:
    (service,) = pb.DESCRIPTOR.services_by_name.values()
    assert {one.name for one in service.methods} == {
        *READING,
        "ListEvents",
        "EnterEvent",
        "LeaveEvent",
    }


async def test_to_a_stranger_a_private_event_is_as_if_there_were_none(private: Private) -> None:
    for call, request in READING.items():
        unknown = type(request)()
        unknown.CopyFrom(request)
        unknown.event = "none"
        for caller in ("stranger", ""):
            code, why = await private.refused(call, request, caller)
            assert code == "NOT_FOUND", (call, caller)
            other = await private.refused(call, unknown, caller)
            assert other == (code, why.replace("cup", "none")), (call, caller)


async def test_members_and_organisers_see_a_private_event_in_the_list(private: Private) -> None:
    for caller, names in (("ann", ["cup"]), ("organiser", ["cup"]), ("stranger", []), ("", [])):
        for request in (pb.ListEventsRequest(), pb.ListEventsRequest(name="cup")):
            answer = await private.ask("ListEvents", request, caller)
            assert [one.name for one in answer.events] == names, caller
    assert (await private.ask("ListEvents", pb.ListEventsRequest())).events[0].private


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cup", "CUP"])
async def test_a_wrong_code_does_not_tell_that_there_is_a_private_event(
    private: Private, name: str
) -> None:
    enter = pb.EnterEventRequest(event=name, bot="mine", code="AAAA-AAAA-AAAA-AAAA")
    leave = pb.LeaveEventRequest(event=name)
    for call, request in (("EnterEvent", enter), ("LeaveEvent", leave)):
        there = await private.refused(call, request, "stranger")
        request.event = "none"
        absent = await private.refused(call, request, "stranger")
        assert there == (absent[0], absent[1].replace("none", name))


@pytest.mark.slow
async def test_a_member_reads_ladder_matches_and_transcripts_of_the_ladder(
    private: Private, database: str, sql: Sql
) -> None:
    for block in queued(sql)[:3]:
        await play(private.store, block)
    ladder = await private.ask("GetEventLadder", READING["GetEventLadder"])
    assert {"bot-ann", "bot-bob"} <= {line.entrant.bot for line in ladder.lines}
    assert all(line.elo_low < line.elo < line.elo_high for line in ladder.lines)
    listed = (await private.ask("ListEventMatches", READING["ListEventMatches"])).matches
    assert len(listed) == 6
    older = pb.ListEventMatchesRequest(event="cup", before_block=listed[0].block)
    assert len((await private.ask("ListEventMatches", older)).matches) == 4
    hers = pb.ListEventMatchesRequest(event="cup", bot="BOT-ann")
    found = (await private.ask("ListEventMatches", hers)).matches
    assert found
    assert all("bot-ann" in [seat.entrant.bot for seat in one.seats] for one in found)
    request = pb.GetEventTranscriptRequest(event="cup", match_id=listed[0].match_id)
    answer = await private.ask("GetEventTranscript", request)
    transcript = from_message(answer.transcript)
    verify(transcript)
    assert list(transcript.result.placing) == [seat.placing for seat in listed[0].seats]
    for caller in ("stranger", ""):
        assert (await private.refused("GetEventTranscript", request, caller))[0] == "NOT_FOUND"


@pytest.mark.slow
async def test_members_see_a_private_final_once_it_is_released_and_not_before(
    private: Private, sql: Sql
) -> None:
    store = private.store
    done(sql)
    await frozen(store, sql, private.event)
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    await played_out(store, sql, private.event)
    listing = pb.ListEventMatchesRequest(event="cup", final=True)
    standings = READING["GetEventStandings"]
    assert not (await private.ask("ListEventMatches", listing)).matches
    assert not (await private.ask("GetEventStandings", standings)).lines
    (kept,) = sql.execute("SELECT match_ids[1] FROM event_blocks LIMIT 1").fetchall()
    request = pb.GetEventTranscriptRequest(event="cup", match_id=str(kept[0]))
    assert (await private.refused("GetEventTranscript", request, "ann"))[0] == "NOT_FOUND"
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    lines = (await private.ask("GetEventStandings", standings)).lines
    assert sorted(line.entrant.bot for line in lines) == ["bot-ann", "bot-bob"]
    assert len((await private.ask("ListEventMatches", listing)).matches) == 4
    assert (await private.ask("GetEventTranscript", request)).transcript.setup.match_id
