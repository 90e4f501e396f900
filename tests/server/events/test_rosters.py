"""A roster makes teams with keys; real names are the organiser's alone."""

from typing import Any

import psycopg
import pytest

from arena.database.errors import EventRefusedError, NameTakenError
from arena.database.names import LONGEST
from arena.server.app.store import Store
from arena.server.events.event import Admission
from arena.server.events.rosters import (
    CAPTAIN,
    MEMBER,
    Enrollee,
    RosterError,
    read_roster,
)
from tests.server.events.cups import said, signed_up, uploaded

FILE = """\ufeffTeam,Name,Number
The Bobs,Bob Roberts,1001
The Bobs,Bob Roberts,1002
,Ann Archer,1003
"""


def test_a_roster_of_a_spreadsheet_may_have_semicolons() -> None:
    assert read_roster("\ufeffname;team\r\nAnn, B.;A\r\n") == [Enrollee("Ann, B.", "", "", "A")]


def test_a_roster_is_read_by_its_head() -> None:
    assert read_roster(FILE) == [
        Enrollee("Bob Roberts", "", "1001", "The Bobs"),
        Enrollee("Bob Roberts", "", "1002", "The Bobs"),
        Enrollee("Ann Archer", "", "1003", ""),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "names its columns: name, and any of email, number, team; found nothing"),
        ("name,age\nAnn,3", "found name, age"),
        ("email\na@b", "found email"),
        ("name,team\nAnn", "Line 2 of the roster has not 2 columns"),
        ("name\nAnn,x", "Line 2 of the roster has not 1 columns"),
        ("name,team\n,A", "Line 2 of the roster has no name"),
        ("name\n", "has nobody on it"),
    ],
)
def test_what_is_wrong_with_a_roster_is_named(text: str, why: str) -> None:
    with pytest.raises(RosterError, match=why):
        read_roster(text)


async def test_teams_get_a_captain_and_members_with_keys_of_their_own(store: Store) -> None:
    event, _ = await store.events.create("cup", said(entry=Admission.ROSTER), "me")
    added = await store.rosters.enroll(event, read_roster(FILE), "me")
    assert [(one.team, one.role) for one in added] == [
        ("The Bobs", CAPTAIN),
        ("The Bobs", MEMBER),
        ("cup 3", CAPTAIN),
    ]
    owners = [await store.owners.by_key(one.key) for one in added]
    assert [one and (one.name, one.member) for one in owners] == [
        ("The Bobs", ""),
        ("The Bobs", "Bob Roberts"),
        ("cup 3", ""),
    ]
    captain, member, _ = owners
    assert captain is not None and member is not None
    await uploaded(store, member, "ours")
    with pytest.raises(EventRefusedError, match="have the names of its roster"):
        await store.events.enter(member, "cup", "ours", team="Others")
    await store.events.enter(member, "cup", "ours")
    people = await store.rosters.of(event)
    assert [(row.name, row.student_number, row.team, row.bot) for row in people] == [
        ("Bob Roberts", "1001", "The Bobs", "ours"),
        ("Bob Roberts", "1002", "The Bobs", "ours"),
        ("Ann Archer", "1003", "cup 3", None),
    ]


async def test_a_longer_roster_adds_those_who_are_new(store: Store) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await store.rosters.enroll(event, read_roster(FILE), "me")
    assert await store.rosters.enroll(event, read_roster(FILE), "me") == []
    longer = f"{FILE}the bobs,Carl,1004\n,Dan,1005\n"
    added = await store.rosters.enroll(event, read_roster(longer), "me")
    assert [(one.person.name, one.team, one.role) for one in added] == [
        ("Carl", "The Bobs", MEMBER),
        ("Dan", "cup 5", CAPTAIN),
    ]


async def test_a_team_named_as_another_owner_enrolls_nobody(
    store: Store, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await signed_up(store, "The Bobs")
    with pytest.raises(NameTakenError, match="name the team otherwise"):
        await store.rosters.enroll(event, read_roster(f"name,team\nAnn,A\n{'Bob,The Bobs'}"), "me")
    assert await store.rosters.of(event) == []
    assert sql.execute("SELECT count(*) FROM owners").fetchone() == (1,)


async def test_only_owners_of_the_roster_enter_where_the_organiser_says_so(store: Store) -> None:
    event, _ = await store.events.create("cup", said(entry=Admission.ROSTER), "me")
    stranger = await signed_up(store, "stranger")
    await uploaded(store, stranger, "strange")
    with pytest.raises(EventRefusedError, match="stranger is not on the roster of cup"):
        await store.events.enter(stranger, "cup", "strange")
    (ann,) = await store.rosters.enroll(event, read_roster("name\nAnn"), "me")
    owner = await store.owners.by_key(ann.key)
    assert owner is not None
    await uploaded(store, owner, "anns")
    await store.events.enter(owner, "cup", "anns")


async def test_owners_of_the_roster_need_no_code(store: Store) -> None:
    event, _ = await store.events.create("cup", said(entry=Admission.CODE), "me")
    (ann,) = await store.rosters.enroll(event, read_roster("name\nAnn"), "me")
    owner = await store.owners.by_key(ann.key)
    assert owner is not None
    await uploaded(store, owner, "anns")
    await store.events.enter(owner, "cup", "anns")


async def test_two_members_with_one_name_and_names_that_are_too_long_are_told_apart(
    store: Store,
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    long = "A very long name that somebody really has, and more"
    lines = [("Cap", "1"), (long, "2"), (long, "3"), ("Cap", "4")]
    people = [Enrollee(name, "", number, "T") for name, number in lines]
    added = await store.rosters.enroll(event, people, "me")
    members = [await store.owners.by_key(one.key) for one in added]
    assert [one and one.member for one in members] == [
        "",
        long[:40].strip(),
        f"{long[:38].strip()} 2",
        "Cap",
    ]


async def test_people_are_known_though_a_longer_roster_tells_more_of_them(store: Store) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await store.rosters.enroll(event, read_roster("name,team\nAnn,A\nBob,B\n"), "me")
    more = read_roster("name,email,number,team\nANN,a@x,1,A\nBob,b@x,2,B\nBob,c@x,3,B\n")
    added = await store.rosters.enroll(event, more, "me")
    assert [one.person.email for one in added] == ["c@x"]


async def test_people_without_a_team_get_one_though_the_events_name_is_long(store: Store) -> None:
    event, _ = await store.events.create("a" * LONGEST, said(), "me")
    added = await store.rosters.enroll(event, read_roster("name\nAnn\nBob\n"), "me")
    assert [one.team for one in added] == ["a" * (LONGEST - 2) + " 1", "a" * (LONGEST - 2) + " 2"]
