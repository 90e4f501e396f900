"""A roster makes teams with keys; real names are the organiser's alone."""

import asyncio
from typing import Any

import psycopg
import pytest

from arena.database.errors import NameTakenError, NotFoundError, RequestRefusedError
from arena.database.names import LONGEST
from arena.server.app.store import Store
from arena.server.events.event import Admission, EntryLimits
from arena.server.events.roster_file import Enrollee, RosterError, read_roster
from tests.database_locks import waiting
from tests.databases import plain
from tests.server.events.cups import enrolled, said, signed_up, uploaded

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
        ("name,team\nAnn", "Line 2 of the roster does not have 2 columns"),
        ("name\nAnn,x", "Line 2 of the roster does not have 1 columns"),
        ("name,team\n,A", "Line 2 of the roster has no name"),
        ("name\n", "has nobody on it"),
    ],
)
def test_what_is_wrong_with_a_roster_is_named(text: str, why: str) -> None:
    with pytest.raises(RosterError, match=why):
        read_roster(text)


async def test_teams_get_a_captain_and_members_with_keys_of_their_own(store: Store) -> None:
    event, _ = await store.events.create("cup", said(entry=Admission.ROSTER), "me")
    added = await enrolled(store, event, read_roster(FILE))
    assert [(one.team, one.captain) for one in added] == [
        ("The Bobs", True),
        ("The Bobs", False),
        ("cup 3", True),
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
    with pytest.raises(RequestRefusedError, match="have the names of its roster"):
        await store.events.enter(member, "cup", "ours", team="Others")
    await store.events.enter(member, "cup", "ours")
    people = await store.rosters.of(event)
    assert [(row.name, row.student_number, row.team, row.captain) for row in people] == [
        ("Bob Roberts", "1001", "The Bobs", True),
        ("Bob Roberts", "1002", "The Bobs", False),
        ("Ann Archer", "1003", "cup 3", True),
    ]
    participants = await store.organisers.participants(event)
    assert [(row.owner, row.bot) for row in participants] == [("The Bobs", "ours"), ("cup 3", None)]


async def test_a_longer_roster_adds_those_who_are_new(store: Store) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await enrolled(store, event, read_roster(FILE))
    assert await enrolled(store, event, read_roster(FILE)) == []
    longer = f"{FILE}the bobs,Carl,1004\n,Dan,1005\n"
    added = await enrolled(store, event, read_roster(longer))
    assert [(one.person.name, one.team, one.captain) for one in added] == [
        ("Carl", "The Bobs", False),
        ("Dan", "cup 5", True),
    ]


async def test_a_team_named_as_another_owner_enrolls_nobody(
    store: Store, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await signed_up(store, "The Bobs")
    with pytest.raises(NameTakenError, match="choose another name"):
        await enrolled(store, event, read_roster(f"name,team\nAnn,A\n{'Bob,The Bobs'}"))
    assert await store.rosters.of(event) == []
    assert sql.execute("SELECT count(*) FROM owners").fetchone() == (1,)


async def test_only_owners_of_the_roster_enter_where_the_organiser_says_so(store: Store) -> None:
    event, _ = await store.events.create("cup", said(entry=Admission.ROSTER), "me")
    stranger = await signed_up(store, "stranger")
    await uploaded(store, stranger, "strange")
    with pytest.raises(RequestRefusedError, match="stranger is not on the roster of cup"):
        await store.events.enter(stranger, "cup", "strange")
    (ann,) = await enrolled(store, event, read_roster("name\nAnn"))
    owner = await store.owners.by_key(ann.key)
    assert owner is not None
    await uploaded(store, owner, "anns")
    await store.events.enter(owner, "cup", "anns")


async def test_owners_of_the_roster_need_no_code(store: Store) -> None:
    event, _ = await store.events.create("cup", said(entry=Admission.CODE), "me")
    (ann,) = await enrolled(store, event, read_roster("name\nAnn"))
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
    added = await enrolled(store, event, people)
    members = [await store.owners.by_key(one.key) for one in added]
    assert [one and one.member for one in members] == [
        "",
        long[:40].strip(),
        f"{long[:38].strip()} 2",
        "Cap",
    ]


async def test_people_are_known_though_a_longer_roster_tells_more_of_them(store: Store) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await enrolled(store, event, read_roster("name,team\nAnn,A\nBob,B\n"))
    more = read_roster("name,email,number,team\nANN,a@x,1,A\nBob,b@x,2,B\nBob,c@x,3,B\n")
    added = await enrolled(store, event, more)
    assert [one.person.email for one in added] == ["c@x"]


async def test_a_team_that_gets_people_from_both_sides_at_once_stays_in_its_limit(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(limits=EntryLimits(members=2)), "me")
    await enrolled(store, event, "name,team\nAnn,A\n")
    with psycopg.connect(plain(database)) as captain:  # who adds a member, too
        ((owner,),) = captain.execute("SELECT id FROM owners WHERE name = 'A' FOR UPDATE")
        enrolling = asyncio.create_task(enrolled(store, event, "name,team\nBob,A\n"))
        await waiting(sql, 1)
        captain.execute(
            "INSERT INTO owner_members (owner_id, name, folded, sha256)"
            " VALUES (%s, 'Eve', 'eve', sha256('eve'))",
            [owner],
        )
    with pytest.raises(RequestRefusedError, match="The team A would have more than 2 people"):
        await enrolling


async def test_people_without_a_team_get_one_though_the_events_name_is_long(store: Store) -> None:
    event, _ = await store.events.create("a" * LONGEST, said(), "me")
    added = await enrolled(store, event, read_roster("name\nAnn\nBob\n"))
    assert [one.team for one in added] == ["a" * (LONGEST - 2) + " 1", "a" * (LONGEST - 2) + " 2"]


async def key_holder(store: Store, key: str) -> tuple[str, str] | None:
    """The name of the owner and of the member who have a key."""
    found = await store.owners.by_key(key)
    return None if found is None else (found.name, found.member)


async def test_a_member_moves_to_another_team_with_the_key(store: Store) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    _, bob, _, dan = await enrolled(store, event, "name,team\nAnn,A\nBob,A\nCarl,C\nDan,C\n")
    owner = await store.owners.by_key(bob.key)
    assert owner is not None
    page = await store.sign_ins.stay(owner)
    await store.rosters.move(event, "bob", "c", "me")
    assert await key_holder(store, bob.key) == ("C", "Bob")
    assert await key_holder(store, page) is None
    with pytest.raises(RequestRefusedError, match="Bob is in the team C already"):
        await store.rosters.move(event, "Bob", "C", "me")
    await store.rosters.move(event, "Dan", "D", "me")
    assert await key_holder(store, dan.key) == ("D", "")
    people = [(row.name, row.team, row.captain) for row in await store.rosters.of(event)]
    assert people == [
        ("Ann", "A", True),
        ("Bob", "C", False),
        ("Carl", "C", True),
        ("Dan", "D", True),
    ]
    await store.rosters.move(event, "Bob", "D", "me")
    assert await key_holder(store, bob.key) == ("D", "Bob")


async def test_the_next_of_a_team_becomes_captain_with_the_own_key_when_the_captain_goes(
    store: Store,
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    ann, bob, eve = await enrolled(store, event, "name,team\nAnn,A\nBob,A\nEve,A\n")
    captain = await store.owners.by_key(ann.key)
    assert captain is not None
    page = await store.sign_ins.stay(captain)
    await store.rosters.move(event, "Ann", "B", "me")
    assert await key_holder(store, ann.key) == ("B", "")
    assert await key_holder(store, page) is None
    assert await key_holder(store, bob.key) == ("A", "")
    assert await key_holder(store, eve.key) == ("A", "Eve")
    await store.rosters.remove(event, "Bob", "me")
    assert await key_holder(store, bob.key) is None
    assert await key_holder(store, eve.key) == ("A", "")
    await store.rosters.remove(event, "Eve", "me")
    assert await key_holder(store, eve.key) is None
    assert [row.name for row in await store.rosters.of(event)] == ["Ann"]
    audit = [(line.action, line.actor) for line in await store.owners.audit(3)]
    assert audit == [("remove person", "me"), ("remove person", "me"), ("move person", "me")]


async def test_an_identity_stays_with_whoever_becomes_captain_and_leaves_with_the_old_one(
    store: Store, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await enrolled(store, event, "name,team\nAnn,A\nBob,A\n")
    sql.execute(
        "INSERT INTO owner_identities (issuer, subject, owner_id, member_id)"
        " SELECT 'x', 'ann', id, NULL FROM owners WHERE name = 'A'"
        " UNION ALL SELECT 'x', 'bob', owner_id, id FROM owner_members WHERE name = 'Bob'"
    )
    await store.rosters.remove(event, "Ann", "me")
    left = sql.execute("SELECT subject, member_id FROM owner_identities").fetchall()
    assert left == [("bob", None)]


async def test_a_person_is_found_by_number_then_address_then_name_and_must_be_one(
    store: Store,
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    roster = "name,email,number\nAnn,a@x.org,1\nAnn,b@x.org,2\n7,c@x.org,3\nBob,d@x.org,7\n"
    await enrolled(store, event, roster)
    with pytest.raises(NotFoundError, match="2 people on the roster of cup are named ann"):
        await store.rosters.excuse(event, "ann", "me")
    for nobody in ("Zoe", "", " "):
        with pytest.raises(NotFoundError, match="Nobody on the roster of cup"):
            await store.rosters.excuse(event, nobody, "me")
    await store.rosters.excuse(event, "B@X.org", "me")
    await store.rosters.excuse(event, "7", "me")
    excused = [row.email for row in await store.rosters.of(event) if row.excused]
    assert excused == ["b@x.org", "d@x.org"]
    await store.rosters.excuse(event, "7", "me", excused=False)
    assert [row.email for row in await store.rosters.of(event) if row.excused] == ["b@x.org"]


async def test_whom_the_captain_removed_has_no_key_to_move_with(store: Store) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    ann, _ = await enrolled(store, event, "name,team\nAnn,A\nBob,A\n")
    captain = await store.owners.by_key(ann.key)
    assert captain is not None
    await store.owners.remove_member(captain, "Bob")
    with pytest.raises(RequestRefusedError, match="Bob has no key any more"):
        await store.rosters.move(event, "Bob", "B", "me")
    await store.rosters.remove(event, "Bob", "me")
    (bob,) = await enrolled(store, event, "name,team\nBob,A\n")
    assert await key_holder(store, bob.key) == ("A", "Bob")


async def test_lines_of_a_roster_keep_their_numbers_when_others_are_removed(store: Store) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await enrolled(store, event, "name,team\nAnn,A\nBob,B\nCarl,C\n")
    await store.rosters.remove(event, "Ann", "me")
    await enrolled(store, event, "name,team\nDan,D\n")
    assert [(row.number, row.name) for row in await store.rosters.of(event)] == [
        (2, "Bob"),
        (3, "Carl"),
        (4, "Dan"),
    ]


async def test_members_are_named_by_what_a_name_may_have_of_the_real_one(store: Store) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    real = ("Ann", "Bea O'Brien", "Dr. Carl (Charly) Cook", "???", "!!!", "Ze\u0301 <b>")
    roster = "name,team\n" + "".join(f"{name},A\n" for name in real)
    added = await enrolled(store, event, roster)
    members = [await key_holder(store, one.key) for one in added[1:]]
    assert members == [
        ("A", "Bea O Brien"),
        ("A", "Dr. Carl Charly Cook"),
        ("A", "member"),
        ("A", "member 2"),
        ("A", "Z\u00e9 b"),
    ]
    assert [row.name for row in await store.rosters.of(event)] == list(real)
