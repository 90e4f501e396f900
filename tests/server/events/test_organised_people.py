"""Organisers enrol people over the wire, see who takes part, and write to them."""

from typing import Any

import psycopg
import pytest

from arena.database.keys import new_key, token_hash
from arena.v1 import organiser_pb2 as pb
from tests.jobs import accept_build
from tests.server.events.conftest import Course
from tests.server.events.cups import enrolled, uploaded


async def test_participants_have_their_people_builds_and_reasons(
    course: Course, sql: "psycopg.Connection[Any]"
) -> None:
    store, scene = course.scene.arena.store, course.scene
    captain, loner = await course.by("captain"), await course.by("stranger")
    for owner, bot in ((captain, "bot-team"), (loner, "lone")):
        await uploaded(store, owner, bot)
        await store.events.enter(owner, "cup", bot)
    await accept_build(store, scene.database, "bot-team")
    sql.execute(
        "UPDATE hosted_versions SET state = 'refused', reason = E'It ended.\\nmore\\nNameError'"
        " WHERE state = 'checking'"
    )
    sql.execute(
        "INSERT INTO version_counts SELECT versions.id, 7, 2 FROM versions JOIN bots"
        " ON bots.id = bot_id WHERE bots.name = 'bot-team'"
    )
    event, _ = await store.events.named("cup")
    await enrolled(store, event, "name,email\nCarl Real,c@example.org\n")
    answer = await course.ask("ListParticipants", pb.ListParticipantsRequest(event="cup"))
    team, lone, carl = answer.participants
    assert [(one.matches, one.faults) for one in (team, lone, carl)] == [(7, 2), (0, 0), (0, 0)]
    assert (team.owner, team.bot, team.plays, team.newest) == ("Team", "bot-team", "1", "1")
    assert [(one.name, one.captain) for one in team.people] == [
        ("Ann Real", True),
        ("Bob Real", False),
    ]
    assert (lone.owner, lone.plays, lone.newest) == ("stranger", "", "1")
    assert (lone.reason, list(lone.people)) == ("It ended.\nNameError", [])
    assert team.last_seen_ms > team.entered_ms - 60_000
    assert (carl.owner, carl.bot, carl.last_seen_ms) == ("cup 3", "", 0)
    assert [one.email for one in carl.people] == ["c@example.org"]
    check = await course.ask("GetLastCheck", pb.GetLastCheckRequest(event="cup", bot="LONE"))
    assert (check.version, check.reason) == ("1", "It ended.\nmore\nNameError")
    await uploaded(store, loner, "elsewhere")
    other = pb.GetLastCheckRequest(event="cup", bot="elsewhere")
    code, why = await course.refused("GetLastCheck", other)
    assert (code, why) == ("NOT_FOUND", "No bot elsewhere is entered in cup.")


@pytest.mark.slow
async def test_no_call_of_others_has_a_real_name(course: Course) -> None:
    """Whatever a stranger or another organiser may ask is answered without one."""
    store = course.scene.arena.store
    event, _ = await store.events.named("cup")
    request = pb.ListParticipantsRequest(event="cup-of-another")
    answer = await course.ask("ListParticipants", request, "other")
    assert "Real" not in str(answer)
    await course.ask("MovePerson", pb.MovePersonRequest(event="cup", person="Ann Real", team="X"))
    await course.ask("RemovePerson", pb.RemovePersonRequest(event="cup", person="Bob Real"))
    assert not any("Real" in str(line) for line in await store.owners.audit())
    assert "Real" not in str(await store.events.entries(event))


async def test_people_are_enrolled_with_keys_that_the_caller_has_made(course: Course) -> None:
    store = course.scene.arena.store
    key = new_key()
    people = [
        pb.NewPerson(name="Ann Real", team="Team", key_sha256=token_hash(new_key())),
        pb.NewPerson(name="Dan", key_sha256=token_hash(key)),
    ]
    request = pb.EnrollPeopleRequest(event="cup", people=people, only_tell=True)
    told = await course.ask("EnrollPeople", request)
    assert [(one.index, one.owner, one.captain) for one in told.added] == [(1, "cup 3", True)]
    assert await store.owners.by_key(key) is None
    request.only_tell = False
    added = await course.ask("EnrollPeople", request)
    assert added.added == told.added
    dan = await store.owners.by_key(key)
    assert dan is not None and dan.name == "cup 3"
    assert len((await course.ask("EnrollPeople", request, "assistant")).added) == 0


def enrolling(**person: Any) -> pb.EnrollPeopleRequest:
    """To add one person to the roster of the cup."""
    whole = {"name": "Dan", "key_sha256": token_hash(new_key())} | person
    return pb.EnrollPeopleRequest(event="cup", people=[pb.NewPerson(**whole)])


async def test_what_is_wrong_with_a_person_is_named_and_nobody_is_added(course: Course) -> None:
    store = course.scene.arena.store
    event, _ = await store.events.named("cup")
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"name": " "}, "INVALID_ARGUMENT", "Person 1 of the roster has no name."),
        ({"name": "x" * 101}, "INVALID_ARGUMENT", "has a name of more than 100 characters"),
        ({"student_number": "1\x1b"}, "INVALID_ARGUMENT", "has a number that cannot be shown"),
        ({"key_sha256": b"short"}, "INVALID_ARGUMENT", "The SHA-256 of a key has 32 bytes."),
        ({"team": "stranger"}, "ALREADY_EXISTS", "There is an owner stranger already"),
        ({"team": "house"}, "INVALID_ARGUMENT", "The name house is the operator's"),
    ]
    for person, code, why in cases:
        found, told = await course.refused("EnrollPeople", enrolling(**person))
        assert (found, why in told) == (code, True), (person, told)
        assert len(await store.rosters.of(event)) == 2
    await course.ask("EnrollPeople", enrolling(email="\n"))  # white space around is none
    assert len(await store.rosters.of(event)) == 3


async def test_a_key_that_somebody_has_is_nobody_elses(course: Course) -> None:
    taken = pb.NewPerson(name="Dan", key_sha256=token_hash(course.keys["stranger"]))
    request = pb.EnrollPeopleRequest(event="cup", people=[taken])
    code, why = await course.refused("EnrollPeople", request)
    assert (code, "somebody's already" in why) == ("INVALID_ARGUMENT", True)
    same = [pb.NewPerson(name=name, key_sha256=token_hash("key")) for name in ("Dan", "Eve")]
    request = pb.EnrollPeopleRequest(event="cup", people=same)
    code, why = await course.refused("EnrollPeople", request)
    assert (code, "a key of their own" in why) == ("INVALID_ARGUMENT", True)


async def test_an_organiser_writes_to_who_takes_part_and_to_nobody_else(course: Course) -> None:
    store = course.scene.arena.store
    request = pb.SendMessageRequest(event="cup", text="Enter, please.", owners=["team"])
    await course.ask("SendMessage", request, "assistant")
    (found,) = await store.messages.to(await course.by("member"))
    assert found.text == "Enter, please."
    assert found.sender == "organiser (Assistant), organiser of A cup"
    request.owners.append("stranger")
    code, why = await course.refused("SendMessage", request)
    assert (code, why) == ("NOT_FOUND", "No owner stranger takes part in cup.")
    assert await store.messages.to(await course.by("stranger")) == []
    request = pb.SendMessageRequest(event="cup", text=" ", owners=["Team"])
    assert (await course.refused("SendMessage", request))[0] == "INVALID_ARGUMENT"
    assert len(await store.messages.to(await course.by("captain"))) == 1
