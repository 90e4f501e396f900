"""Organisers do everything about their events over the wire, and nobody else does anything."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from arena.clients.event_client import EventClient
from arena.clients.organiser_client import OrganiserClient
from arena.database.errors import RequestRefusedError
from arena.database.keys import new_key
from arena.server.events.event_file import EXAMPLE
from arena.server.events.finals.archive import zipped
from arena.server.events.finals.archive_check import check
from arena.server.events.organisers import MOST_UNFINISHED
from arena.server.notices.webhooks import MOST_OF_ORGANISERS
from arena.v1 import organiser_pb2 as pb
from tests.jobs import accept_build
from tests.server.events.conftest import Course
from tests.server.events.cups import frozen, let_pass, played_out, said, uploaded
from tests.waiting import until_async

RUBRIC = "[place]\nmost = 10\n"
REQUESTS: dict[str, Any] = {
    "MoveEvent": pb.MoveEventRequest(event="cup"),
    "CancelEvent": pb.CancelEventRequest(event="cup"),
    "WithdrawBot": pb.WithdrawBotRequest(event="cup", bot="bot-team"),
    "ListParticipants": pb.ListParticipantsRequest(event="cup"),
    "GetLastCheck": pb.GetLastCheckRequest(event="cup", bot="bot-team"),
    "EnrollPeople": pb.EnrollPeopleRequest(event="cup"),
    "MovePerson": pb.MovePersonRequest(event="cup", person="Ann Real", team="Other"),
    "RemovePerson": pb.RemovePersonRequest(event="cup", person="Ann Real"),
    "ExcusePerson": pb.ExcusePersonRequest(event="cup", person="Ann Real"),
    "GetProgress": pb.GetProgressRequest(event="cup"),
    "GetGrades": pb.GetGradesRequest(event="cup", rubric=RUBRIC),
    "AddEventWebhook": pb.AddEventWebhookRequest(event="cup", url="https://example.org/hook"),
    "RemoveEventWebhook": pb.RemoveEventWebhookRequest(event="cup", url="https://example.org/hook"),
    "ListEventWebhooks": pb.ListEventWebhooksRequest(event="cup"),
    "GetArchivedEvent": pb.GetArchivedEventRequest(event="cup"),
    "ListArchivedTranscripts": pb.ListArchivedTranscriptsRequest(event="cup"),
    "SendMessage": pb.SendMessageRequest(event="cup", text="Hello.", owners=["Team"]),
}
"""A call of each kind about the event."""


def test_every_call_about_an_event_is_among_those_that_are_tried() -> None:
    (service,) = pb.DESCRIPTOR.services_by_name.values()
    assert {one.name for one in service.methods} == {
        *REQUESTS,
        "ListOrganisedEvents",
        "CreateEvent",
    }


@pytest.mark.slow
@pytest.mark.parametrize("call", REQUESTS)
async def test_only_the_organisers_of_an_event_are_answered(course: Course, call: str) -> None:
    request = REQUESTS[call]
    before = await course.scene.arena.store.owners.audit()
    for caller in ("other", "stranger", "captain", "member"):
        code, why = await course.refused(call, request, caller)
        assert (code, why) == (
            "PERMISSION_DENIED",
            "You do not organise cup: the operator names its organisers.",
        )
    assert (await course.refused(call, request, ""))[0] == "UNAUTHENTICATED"
    course.keys["unknown"] = new_key()
    code, why = await course.refused(call, request, "unknown")
    assert (code, why.partition(":")[0]) == ("UNAUTHENTICATED", "no owner has this key")
    unknown = type(request)()
    unknown.CopyFrom(request)
    unknown.event = "none"
    code, why = await course.refused(call, unknown)
    assert (code, why) == (
        "NOT_FOUND",
        "There is no event none that you may see: `arena event list` has them.",
    )
    assert await course.scene.arena.store.owners.audit() == before
    store = course.scene.arena.store
    event, _ = await store.events.named("cup")
    await store.organisers.remove(event, "organiser", "me")
    for caller in ("organiser", "assistant"):
        assert (await course.refused(call, request, caller))[0] == "PERMISSION_DENIED"


async def test_an_owner_makes_events_once_the_operator_allows_it(course: Course) -> None:
    soon = datetime.now(UTC)
    toml = EXAMPLE
    for number, old in enumerate(("2026-12-01T08", "2026-12-18T18", "2026-12-19T18")):
        toml = toml.replace(old, (soon + timedelta(days=number + 1)).strftime("%Y-%m-%dT08"))
    request = pb.CreateEventRequest(name="mine", toml=toml.replace('"open"', '"code"'))
    code, why = await course.refused("CreateEvent", request, "stranger")
    assert (code, why) == ("PERMISSION_DENIED", "You may not make events: ask the operator.")
    # A text takes time to read: the right is asked about first.
    no_toml = pb.CreateEventRequest(name="mine", toml="no TOML")
    code, why = await course.refused("CreateEvent", no_toml, "stranger")
    assert (code, why) == ("PERMISSION_DENIED", "You may not make events: ask the operator.")
    # Organising one event is no permission to make others.
    assert (await course.refused("CreateEvent", request))[0] == "PERMISSION_DENIED"
    store = course.scene.arena.store
    await store.organisers.allow("stranger", "me")
    wrong = pb.CreateEventRequest(name="mine", toml=toml.replace("seats = 2", "seats = 99"))
    code, why = await course.refused("CreateEvent", wrong, "stranger")
    assert (code, "final.seats is 99" in why) == ("INVALID_ARGUMENT", True)
    made = await course.ask("CreateEvent", request, "stranger")
    assert (made.event.name, made.event.needs_code, len(made.code)) == ("mine", True, 19)
    assert made.event.seed == b""
    assert (await course.refused("CreateEvent", request, "stranger"))[0] == "ALREADY_EXISTS"
    listed = await course.ask("ListOrganisedEvents", pb.ListOrganisedEventsRequest(), "stranger")
    assert ([one.name for one in listed.events], listed.may_create) == (["mine"], True)
    audit = (await store.owners.audit(1))[0]
    assert (audit.actor, audit.action, audit.subject) == ("stranger", "create event", "mine")
    await store.organisers.allow("stranger", "me", allowed=False)
    request.name = "another"
    assert (await course.refused("CreateEvent", request, "stranger"))[0] == "PERMISSION_DENIED"


@pytest.mark.slow
async def test_an_owner_has_only_so_many_events_that_are_not_over(course: Course) -> None:
    store = course.scene.arena.store
    await store.organisers.allow("stranger", "me")
    owner = await course.by("stranger")
    for number in range(MOST_UNFINISHED):
        await store.events.create(f"cup-{number}", said(), "me", owner)
    request = pb.CreateEventRequest(name="more", toml=EXAMPLE)
    code, why = await course.refused("CreateEvent", request, "stranger")
    assert (code, why) == ("FAILED_PRECONDITION", "You organise 20 events that are not over.")
    await store.events.cancel("cup-0", "me", "")
    await store.events.create("more", said(), "me", owner)


async def test_each_sees_only_the_events_that_it_organises(course: Course) -> None:
    for caller, names in (
        *(("organiser", ["cup"]), ("assistant", ["cup"])),
        *(("other", ["cup-of-another"]), ("captain", [])),
    ):
        found = await course.ask("ListOrganisedEvents", pb.ListOrganisedEventsRequest(), caller)
        assert ([one.name for one in found.events], found.may_create) == (names, False)
    await course.ask("CancelEvent", pb.CancelEventRequest(event="cup", why="rain"))
    over = await course.ask("ListOrganisedEvents", pb.ListOrganisedEventsRequest(), "organiser")
    assert [one.name for one in over.events] == ["cup"]


async def test_an_organiser_moves_dates_and_the_audit_names_who_of_the_team_did_it(
    course: Course,
) -> None:
    later = round((datetime.now(UTC) + timedelta(days=9)).timestamp() * 1000)
    moved = await course.ask(
        "MoveEvent", pb.MoveEventRequest(event="CUP", results_ms=later), "assistant"
    )
    assert (moved.event.name, moved.event.results_ms) == ("cup", later)
    for wrong in (0, 2**62):
        earlier = pb.MoveEventRequest(event="cup", final_ms=wrong)
        assert (await course.refused("MoveEvent", earlier))[0] == "INVALID_ARGUMENT"
    await course.ask("CancelEvent", pb.CancelEventRequest(event="cup", why="rain"))
    request = pb.CancelEventRequest(event="cup-of-another", why="x" * 501)
    code, _ = await course.refused("CancelEvent", request, "other")
    assert code == "INVALID_ARGUMENT"
    audit = await course.scene.arena.store.owners.audit(2)
    assert [(one.actor, one.action) for one in audit] == [
        ("organiser", "cancel event"),
        ("organiser (Assistant)", "move event"),
    ]


@pytest.mark.slow
async def test_an_organiser_follows_the_final_grades_it_and_gets_its_archive(
    course: Course, sql: "psycopg.Connection[Any]", tmp_path: Path
) -> None:
    store, scene = course.scene.arena.store, course.scene
    for caller, bot in (("captain", "bot-team"), ("stranger", "lone")):
        owner = await course.by(caller)
        await uploaded(store, owner, bot)
        await accept_build(store, scene.database, bot)
        await store.events.enter(owner, "cup", bot)
    await course.ask("ExcusePerson", pb.ExcusePersonRequest(event="cup", person="Bob Real"))
    asked = pb.GetGradesRequest(event="cup", rubric=RUBRIC)
    code, why = await course.refused("GetGrades", asked)
    assert (code, "are not fixed yet" in why) == ("FAILED_PRECONDITION", True)
    before = await course.ask("GetProgress", pb.GetProgressRequest(event="cup"))
    assert (before.bots, before.blocks, before.ended_ms) == (2, 2, 0)
    await frozen(store, sql, (await store.events.named("cup"))[0])
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    await played_out(store, sql, (await store.events.named("cup"))[0])
    over = await course.ask("GetProgress", pb.GetProgressRequest(event="cup"))
    assert (over.played, over.ended_ms > 0) == (2, True)
    archived = pb.GetArchivedEventRequest(event="cup")
    code, why = await course.refused("GetArchivedEvent", archived)
    assert (code, "cup is not released" in why) == ("FAILED_PRECONDITION", True)
    listed = pb.ListArchivedTranscriptsRequest(event="cup")
    assert (await course.refused("ListArchivedTranscripts", listed))[0] == "FAILED_PRECONDITION"
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    # The referee may be at it at the same moment.
    released = "SELECT FROM events WHERE released_at IS NOT NULL"
    await until_async(lambda: sql.execute(released).fetchall())
    code, why = await course.refused("GetProgress", pb.GetProgressRequest(event="cup"))
    assert (code, "cup is released" in why) == ("FAILED_PRECONDITION", True)
    graded = await course.ask("GetGrades", asked)
    ann, bob = graded.grades
    assert (ann.person.name, ann.owner, ann.most) == ("Ann Real", "Team", 10)
    assert [one.name for one in ann.criteria] == ["place"]
    assert (bob.person.excused, bob.explained) == (True, "Excused.")
    channel = EventClient.at(f"127.0.0.1:{scene.port}", {})
    key = course.keys["organiser"]
    client = OrganiserClient(lambda call, request: channel.organise(key, call, request))
    file = tmp_path / "cup.zip"
    signed = await asyncio.to_thread(client.archived_event, "cup")
    found = await asyncio.to_thread(lambda: list(client.archived_transcripts("cup")))
    file.write_bytes(b"".join(zipped(signed, found)))
    assert check(file).matches == 4
    last = pb.ListArchivedTranscriptsRequest(event="cup", after=3)
    assert len((await course.ask("ListArchivedTranscripts", last)).transcripts) == 1
    wrong = pb.GetGradesRequest(event="cup", rubric="[rungs]\nnobody = 1")
    code, why = await course.refused("GetGrades", wrong)
    assert (code, "there is no house bot nobody" in why) == ("INVALID_ARGUMENT", True)


async def test_a_private_event_is_unknown_to_who_is_not_of_it_and_known_to_its_organisers(
    course: Course, sql: "psycopg.Connection[Any]"
) -> None:
    sql.execute("UPDATE events SET private = true WHERE name = 'cup'")
    request = pb.ListParticipantsRequest(event="cup")
    for caller in ("other", "stranger"):
        code, why = await course.refused("ListParticipants", request, caller)
        assert (code, why) == (
            "NOT_FOUND",
            "There is no event cup that you may see: `arena event list` has them.",
        )
    assert (await course.refused("ListParticipants", request, "captain"))[0] == "PERMISSION_DENIED"
    assert (await course.ask("ListParticipants", request)).event.name == "cup"
    organiser = await course.by("organiser")
    assert (await course.scene.arena.store.event_views.named(organiser.id, "cup")).name == "cup"


async def test_a_message_to_nobody_is_refused(course: Course) -> None:
    request = pb.SendMessageRequest(event="cup", text="Hello.")
    assert await course.refused("SendMessage", request) == (
        "INVALID_ARGUMENT",
        "Name the recipients: `owners` must list owners who take part.",
    )


async def test_operators_organise_all_events_and_their_members_none(
    course: Course, sql: "psycopg.Connection[Any]"
) -> None:
    store = course.scene.arena.store
    stranger = await course.by("stranger")
    course.keys["helper"] = await store.owners.add_member(stranger, "Helper")
    sql.execute("UPDATE owners SET operator_since = now() WHERE name IN ('stranger', 'Team')")
    sql.execute("UPDATE events SET private = true")
    listed = await course.ask("ListOrganisedEvents", pb.ListOrganisedEventsRequest(), "stranger")
    assert [one.name for one in listed.events] == ["cup-of-another", "cup"]
    request = pb.SendMessageRequest(event="cup", text="Hello.", owners=["Team"])
    await course.ask("SendMessage", request, "stranger")
    (found,) = await store.messages.to(await course.by("captain"))
    assert found.sender == "the operator"
    assert (await store.owners.audit(1))[0].actor == "operator stranger"
    assert (await course.refused("SendMessage", request, "helper"))[0] == "NOT_FOUND"
    # The role of an operator does not pass to the next of a team.
    for call in ("MovePerson", "RemovePerson"):
        code, why = await course.refused(call, REQUESTS[call])
        assert (code, "who stays the captain" in why) == ("INVALID_ARGUMENT", True)


async def test_organisers_webhooks_are_public_ones_and_they_see_none_of_the_operators(
    course: Course,
) -> None:
    store = course.scene.arena.store
    cup, _ = await store.events.named("cup")
    inside = "http://10.0.0.1/hook?secret"
    await store.webhooks.add(cup.id, "cup", inside, "me")
    add, remove = pb.AddEventWebhookRequest, pb.RemoveEventWebhookRequest
    for url, wrong in ((inside, "not on the public internet"), ("ftp://x", "has an address such")):
        code, why = await course.refused("AddEventWebhook", add(event="cup", url=url))
        assert (code, wrong in why) == ("INVALID_ARGUMENT", True)
    code, why = await course.refused("RemoveEventWebhook", remove(event="cup", url=inside))
    assert (code, "no such webhook" in why) == ("INVALID_ARGUMENT", True)
    urls = [f"https://example.org/{number}" for number in range(MOST_OF_ORGANISERS)]
    for url in urls:
        made = await course.ask("AddEventWebhook", add(event="cup", url=url))
        assert made.secret.startswith("whsec_")
    more = add(event="cup", url="https://example.org/more")
    code, why = await course.refused("AddEventWebhook", more)
    assert (code, "remove one first" in why) == ("INVALID_ARGUMENT", True)
    asked = pb.ListEventWebhooksRequest(event="cup")
    listed = (await course.ask("ListEventWebhooks", asked)).webhooks
    assert [one.url for one in listed] == urls
    await course.ask("RemoveEventWebhook", remove(event="cup", url=urls[0]))
    assert [one.url for one in await store.webhooks.of_event(cup.id)] == [inside, *urls[1:]]


async def test_an_event_has_so_many_webhooks_of_organisers_also_at_once(course: Course) -> None:
    store = course.scene.arena.store
    cup, _ = await store.events.named("cup")

    async def add(number: int) -> str:
        url = f"https://example.org/{number}"
        return await store.webhooks.add(cup.id, "cup", url, "me", public_only=True)

    for number in range(MOST_OF_ORGANISERS - 1):
        await add(number)
    numbers = range(MOST_OF_ORGANISERS - 1, MOST_OF_ORGANISERS + 3)
    outcomes = await asyncio.gather(*map(add, numbers), return_exceptions=True)
    refused = [str(one) for one in outcomes if isinstance(one, RequestRefusedError)]
    assert len(refused) == 3 and all("remove one first" in why for why in refused)
