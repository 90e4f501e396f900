"""An event by command: the organiser's, the owners', and whoever checks its archive."""

import asyncio
import csv
import json
import stat
import zipfile
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from structlog.testing import capture_logs

from arena.builds.hosted import HostingTerms
from arena.clients.organiser_client import OrganiserClient
from arena.commands.events.roster import enroll, keys_file
from arena.records import SignUp
from arena.server.events.roster_file import read_roster
from arena.server.events.serving.organiser_calls import Organiser, OrganiserCalls
from tests.commands.running import beside, refused
from tests.jobs import accept_build
from tests.recorded_results import finished
from tests.scene import Scene, opened
from tests.server.events.cups import let_pass, played_out, said, uploaded
from tests.stores import sql as sql

FILE = """
title = "A cup"
text = "For **all**."
entry = "code"
game = "bluff"
options = {{dice_per_player = 2}}
[limits]
builds = 9
[final]
blocks = 2
[dates]
opens = {opens}
freeze = {freeze}
final = {freeze}
results = {results}
"""


@pytest.fixture
async def scene(
    database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[Scene]:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    with capture_logs():  # the referee's log would be among what the commands print
        async with opened(database, sign_up=SignUp.OPEN, hosting=HostingTerms()) as scene:
            monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
            yield scene


def event_file(folder: Path, days: int = 1) -> Path:
    now = datetime.now(UTC).replace(microsecond=0)
    file = folder / "event.toml"
    moments = {"opens": -1, "freeze": days, "results": days + 1}
    dates = {name: (now + timedelta(days=by)).isoformat() for name, by in moments.items()}
    file.write_text(FILE.format(**dates))
    return file


@pytest.mark.slow
async def test_an_event_from_its_announcement_to_an_archive_that_anybody_checks(
    scene: Scene, sql: "psycopg.Connection[Any]", tmp_path: Path
) -> None:
    store = scene.arena.store
    example = await beside("event", "example")
    (tmp_path / "example.toml").write_text(example.stdout)
    assert "[dates]" in example.stdout
    pages = ("--dashboard", "https://arena.example/")
    made = await beside("event", "create", "cup", "--from", event_file(tmp_path), *pages)
    assert made.exit_code == 0, made.output
    assert "https://arena.example/events?name=cup&code=" in made.stderr
    code = made.stdout.strip().splitlines()[-1]
    assert "arena event enter cup BOT --code CODE" in made.stderr
    key_of_ann = (await beside("signup", "ann")).stdout.strip()
    owners = [await store.owners.by_key(key) for key in (key_of_ann, await scene.key("bob"))]
    for owner in owners:
        assert owner is not None
        await uploaded(store, owner, f"bot-{owner.name}")
        await accept_build(store, scene.database, f"bot-{owner.name}")
    assert owners[1] is not None
    await store.events.enter(owners[1], "cup", "bot-bob", code=code, team="The Bobs")
    told = await refused("event", "enter", "cup", "bot-ann")
    assert "A code is needed of cup" in told
    entered = await beside("event", "enter", "cup", "bot-ann", "--code", code)
    assert "Its version 1 would play the final now" in entered.stdout, entered.output
    assert "Builds left today (UTC): 8 of 9." in entered.stderr
    assert (
        "At most 9 builds of a bot in a day (UTC)" in (await beside("event", "show", "cup")).stdout
    )
    shown = json.loads((await beside("event", "show", "cup", "--json")).stdout)
    assert shown["limits"] == {"members": None, "builds": 9, "bots": None}
    assert 80_000 < shown["left"] <= 86_400
    assert (shown["phase"], shown["entries"], shown["seed"]) == ("open", 2, "")
    assert "A cup" in (await beside("event", "list")).stdout
    lines = json.loads((await beside("event", "entries", "cup", "--json")).stdout)
    assert [(one["bot"], one["team"], one["state"]) for one in lines] == [
        ("bot-bob", "The Bobs", "accepted"),
        ("bot-ann", "ann", "accepted"),
    ]
    later = (datetime.now(UTC) + timedelta(days=3)).isoformat()
    assert json.loads((await beside("event", "progress", "cup", "--json")).stdout)["ended"] is None
    told = (await beside("event", "progress", "cup")).stdout
    assert "2 bots, 2 deal blocks, 4 matches" in told
    assert "One slot of a worker takes about 2 s" in told
    moved = await beside("event", "move", "cup", "--results", later)
    assert moved.exit_code == 0, moved.output
    file = tmp_path / "cup.zip"
    assert "cup is not released" in await refused("event", "archive", "cup", file)

    let_pass(sql, "cup", 1.1)
    await store.finals.keep(store.record)
    await played_out(store, sql, (await store.events.named("cup"))[0])
    assert "cup is not released" in await refused("event", "archive", "cup", file)
    done = json.loads((await beside("event", "progress", "cup", "--json")).stdout)
    assert (done["phase"], done["played"], done["blocks"]) == ("final", 2, 2)
    assert datetime.fromisoformat(done["ended"]) <= datetime.now(UTC)
    assert "all is played since" in (await beside("event", "progress", "cup")).stdout
    let_pass(sql, "cup", 2)
    await store.finals.keep(store.record)

    assert "cup is released" in await refused("event", "progress", "cup")
    written = await beside("event", "archive", "cup", file)
    assert "2 entries, 4 matches" in written.stdout, written.output
    assert "exists: name another file" in await refused("event", "archive", "cup", file)
    checked = await beside("event", "verify", file)
    assert "1 pairing, 4 matches refereed again" in checked.stdout, checked.output
    key = (await store.signer()).public_key.hex()
    found = json.loads((await beside("event", "verify", file, "--key", key, "--json")).stdout)
    assert (found["matches"], found["signed_by"]) == (4, key)
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        document = json.loads(archive.read("event.json"))
        document["standings"].reverse()
        other.writestr("event.json", json.dumps(document))
        other.writestr("event.sig", archive.read("event.sig"))
        other.writestr("transcripts.jsonl", archive.read("transcripts.jsonl"))
    wrong = await beside("event", "verify", tmp_path / "other.zip")
    assert wrong.exit_code == 1
    assert wrong.stderr.startswith(f"Wrong: event.json is not signed by the key {key}")
    published = found["commitment"]
    assert (
        published
        == json.loads((await beside("event", "show", "cup", "--json")).stdout)["commitment"]
    )
    assert (await beside("event", "verify", file, "--commitment", published)).exit_code == 0
    wrong = await beside("event", "verify", file, "--commitment", "00" * 32)
    assert (wrong.exit_code, f"was committed to {published}" in wrong.stderr) == (1, True)


async def test_what_is_wrong_with_an_event_is_told_before_anything_is_made(
    scene: Scene, tmp_path: Path
) -> None:
    assert "The freeze is over already" in await refused(
        "event", "create", "cup", "--from", event_file(tmp_path, days=0)
    )
    nowhere = tmp_path / "nowhere.toml"
    assert "nowhere.toml cannot be read" in await refused(
        "event", "create", "cup", "--from", nowhere
    )
    assert "There is no event cup" in await refused("event", "cancel", "cup")
    assert "there is no event cup" in await refused("event", "show", "cup")
    assert "say which date" in await refused("event", "move", "cup")
    assert "a date is written as" in await refused("event", "move", "cup", "--final", "soon")
    assert "64 hexadecimal digits" in await refused("event", "verify", nowhere, "--key", "x")
    assert "cannot be read" in await refused("event", "verify", nowhere)
    assert "There is no event yet" in (await beside("event", "list")).stdout


async def test_an_event_is_cancelled_and_bots_are_withdrawn(scene: Scene, tmp_path: Path) -> None:
    await beside("event", "create", "cup", "--from", event_file(tmp_path))
    assert "No bot mine is entered" in await refused("event", "withdraw", "cup", "mine")
    done = await beside("event", "cancel", "cup", "--why", "rain")
    assert done.exit_code == 0, done.output
    shown = json.loads((await beside("event", "show", "cup", "--json")).stdout)
    assert shown["phase"] == "cancelled"


@pytest.mark.slow
async def test_a_roster_writes_keys_for_a_course_once(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DASHBOARD", "https://arena.example")
    await beside("event", "create", "course", "--from", event_file(tmp_path))
    file, keys = tmp_path / "people.csv", tmp_path / "keys.csv"
    file.write_text("name,email,team\nAnn,ann@example.org,A\nBob,bob@example.org,A\n")
    slips = tmp_path / "slips.html"
    done = await beside("event", "roster", "course", file, "--keys", keys, "--slips", slips)
    assert "Enrolled 2 of 2 people in 1 team;" in done.stdout, done.output
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    ann, bob = list(csv.DictReader(keys.read_text().splitlines()))
    assert (ann["role"], bob["role"]) == ("captain", "member")
    printed = slips.read_text()
    assert stat.S_IMODE(slips.stat().st_mode) == 0o600
    assert printed.count("<section>") == 2
    assert ann["key"] in printed and bob["key"] in printed
    assert printed.count("My bots</b> of <b>https://arena.example</b>") == 2
    again = await beside("event", "roster", "course", file, "--keys", tmp_path / "more.csv")
    assert "All 2 people are on the roster already; no file is written." in again.stdout
    file.write_text("name,email,team\nCarl,carl@example.org,A\n")
    assert "exists: name another file" in await refused(
        "event", "roster", "course", file, "--keys", keys
    )
    more = tmp_path / "more.csv"
    assert "There is no event none" in await refused(
        "event", "roster", "none", file, "--keys", more
    )
    assert not more.exists()
    assert f"{slips} exists" in await refused(
        "event", "roster", "course", file, "--keys", more, "--slips", slips
    )
    assert "name two files" in await refused(
        "event", "roster", "course", file, "--keys", more, "--slips", more
    )
    assert not more.exists()
    people = json.loads((await beside("event", "people", "course", "--json")).stdout)
    assert [(one["name"], one["team"], one["bot"]) for one in people] == [
        ("Ann", "A", None),
        ("Bob", "A", None),
    ]
    assert "Not entered: A." in (await beside("event", "people", "course")).stdout
    # The captain looks after the team from any machine.
    await beside("login", "--key", ann["key"])
    assert "Bob" in (await beside("team", "list")).stdout
    added = await beside("team", "add", "Carl", "--json")
    key = json.loads(added.stdout)["key"]
    assert (await beside("login", "--key", key)).exit_code == 0
    assert "Only the captain of A may do that" in await refused("team", "remove", "Bob")
    assert "is not in your team" in (await beside("team", "remove", "carl")).stdout
    assert "No owner has this key" in await refused("team", "list")


@pytest.mark.slow
async def test_grades_are_of_the_people_of_the_roster_for_the_build_of_the_freeze(
    scene: Scene, sql: "psycopg.Connection[Any]", tmp_path: Path
) -> None:
    store = scene.arena.store
    await beside("event", "create", "course", "--from", event_file(tmp_path))
    people, keys = tmp_path / "people.csv", tmp_path / "keys.csv"
    people.write_text("name,number,team\nAnn,1,A\nBob,2,A\nCarl,3,C\nDan,4,D\n")
    await beside("event", "roster", "course", people, "--keys", keys)
    owners = {}
    for line in csv.DictReader(keys.read_text().splitlines()):
        owners.setdefault(line["team"], await store.owners.by_key(line["key"]))
    house, _ = await store.register("random", "house", house=True)
    for team in ("A", "C"):
        owner = owners[team]
        assert owner is not None
        await uploaded(store, owner, f"bot-{team}")
        await accept_build(store, scene.database, f"bot-{team}")
        await store.events.enter(owner, "course", f"bot-{team}")
    versions = {one.bot: one.id for one in await store.bots()}
    # A beats the rung in all of 20 matches.
    mine = (versions["bot-A"], house.version_id)
    won = [finished(mine, minute=number, dice_per_player=2) for number in range(20)]
    await store.record(won)
    rubric = tmp_path / "rubric.toml"
    rubric.write_text("[rungs]\nrandom = 10\n[loss]\nmost = 5\n[place]\nmost = 20\n")
    assert "are not fixed yet" in await refused("event", "grades", "course", "--rubric", rubric)
    let_pass(sql, "course", 1.1)
    await store.finals.keep(store.record)
    await played_out(store, sql, (await store.events.named("course"))[0])
    early = await beside("event", "grades", "course", "--rubric", rubric)
    assert "The final is not released" in early.stderr, early.output
    assert "no place in the final" in early.stdout
    assert "No decision is analysed of bot-A, bot-C" in early.stderr
    let_pass(sql, "course", 1)
    await store.finals.keep(store.record)
    graded = json.loads(
        (await beside("event", "grades", "course", "--rubric", rubric, "--json")).stdout
    )
    assert [(one["name"], one["team"]) for one in graded] == [
        ("Ann", "A"),
        ("Bob", "A"),
        ("Carl", "C"),
        ("Dan", "D"),
    ]
    ann, bob, carl, dan = graded
    assert ann["points"] == bob["points"] >= 10
    assert "beats random for certain, 100.0%" in ann["explained"]
    assert "no match against random" in carl["explained"]
    assert (dan["points"], dan["explained"]) == (0, "No bot is entered.")
    plain = await beside("event", "grades", "course", "--rubric", rubric)
    head = "name,email,number,team,random,loss,place,points,of,explained\nAnn,,1,A,"
    assert plain.stdout.startswith(head)
    for form, head in (("canvas", "Student,ID,"), ("moodle", "Full name,Email address,")):
        done = await beside("event", "grades", "course", "--rubric", rubric, "--form", form)
        assert done.stdout.startswith(head), done.output
    misspelt = tmp_path / "misspelt.toml"
    misspelt.write_text("[rungs]\nrandm = 10\n")
    assert "there is no house bot randm" in await refused(
        "event", "grades", "course", "--rubric", misspelt
    )
    printed = await beside("event", "rubric")
    assert "[rungs]" in printed.stdout
    assert "cannot be read" in await refused(
        "event", "grades", "course", "--rubric", tmp_path / "none"
    )


async def test_webhooks_are_added_listed_and_removed(scene: Scene, tmp_path: Path) -> None:
    await beside("event", "create", "cup", "--from", event_file(tmp_path))
    url = "http://127.0.0.1:9/hook"
    made = await beside("event", "webhook", "cup", url)
    assert made.stdout.strip().splitlines()[-1].startswith("whsec_"), made.output
    assert "has this webhook already" in await refused("event", "webhook", "cup", url)
    assert url in (await beside("event", "webhooks", "cup")).stdout
    (found,) = json.loads((await beside("event", "webhooks", "cup", "--json")).stdout)
    assert found["url"] == url
    assert (await beside("event", "webhook", "cup", url, "--remove")).exit_code == 0
    assert json.loads((await beside("event", "webhooks", "cup", "--json")).stdout) == []


@pytest.mark.slow
async def test_an_organiser_runs_a_course_from_any_machine_by_the_same_commands(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store, file = scene.arena.store, event_file(tmp_path)
    await beside("signup", "Lecturer")
    assert (await beside("event", "organiser", "list")).stdout == (
        "Only the operator, on the arena's own machine.\n"
    )
    assert (await beside("event", "organiser", "allow", "lecturer")).exit_code == 0
    assert "Lecturer" in (await beside("event", "organiser", "list")).stdout
    there = ("--address", f"127.0.0.1:{scene.port}")
    monkeypatch.delenv("ARENA_DATABASE_URL")  # another machine
    assert "may be busy" not in await refused("event", "cancel", "cup", *there)
    made = await beside("event", "create", "course", "--from", file, *there)
    assert made.exit_code == 0, made.output
    people, keys, slips = tmp_path / "people.csv", tmp_path / "keys.csv", tmp_path / "slips.html"
    people.write_text("name,number,team\nAnn Real,1,A\nBob,2,A\n")
    # Without an arena on this machine, ARENA_ADDRESS says where it is.
    done = await beside("event", "roster", "course", people, "--keys", keys, "--slips", slips)
    assert "Enrolled 2 of 2 people in 1 team;" in done.stdout, done.output
    ann, bob = list(csv.DictReader(keys.read_text().splitlines()))
    assert (ann["role"], bob["role"], ann["key"] in slips.read_text()) == (
        "captain",
        "member",
        True,
    )
    owner = await store.owners.by_key(ann["key"])
    assert owner is not None and owner.name == "A"
    await uploaded(store, owner, "ours")
    await store.events.enter(owner, "course", "ours")
    (entry,) = json.loads((await beside("event", "entries", "course", "--json")).stdout)
    assert (entry["bot"], entry["state"], entry["matches"]) == ("ours", "checking", 0)
    assert (
        "1 of 1 bots have no accepted build" in (await beside("event", "entries", "course")).stdout
    )
    assert "ours 1: checking" in (await beside("event", "log", "course", "ours")).stdout
    organised = json.loads((await beside("event", "organised", "--json")).stdout)
    assert [one["name"] for one in organised] == ["course"]
    moved = await beside("event", "person", "move", "course", "2", "--team", "B")
    assert moved.exit_code == 0, moved.output
    await beside("event", "person", "excuse", "course", "Bob")
    listed = (await beside("event", "people", "course", "--csv")).stdout.splitlines()
    assert listed == [
        "name,email,number,team,role,excused,bot,plays,state",
        "Ann Real,,1,A,captain,False,ours,,checking",
        "Bob,,2,B,captain,True,,,",
    ]
    assert "say to whom" in await refused("event", "message", "course", "Hello.")
    sent = await beside("event", "message", "course", "Enter.", "--not-entered", "--no-build")
    assert sent.stderr == "Sent to A, B.\n", sent.output
    assert (await beside("login", "--key", bob["key"])).exit_code == 0
    assert "Lecturer, organiser of A cup (new):" in (await beside("messages")).stdout
    # Bob is no organiser.
    for words in (("people",), ("entries",), ("cancel",)):
        assert "You do not organise course" in await refused("event", *words, "course")
    assert (await store.events.named("course"))[0].cancelled_at is None


async def test_keys_are_kept_whatever_happens_while_people_are_enrolled(
    scene: Scene, tmp_path: Path
) -> None:
    store, loop = scene.arena.store, asyncio.get_running_loop()
    await store.events.create("course", said(), "me")
    calls = OrganiserCalls(store).calls

    def ask(call: str, request: Any) -> Any:
        """Answer, and interrupt the command as soon as people are enrolled."""
        answering = calls[call](request, Organiser("me"))

        async def answer() -> Any:
            return await answering

        found = asyncio.run_coroutine_threadsafe(answer(), loop).result()
        if call == "EnrollPeople" and not request.only_tell:
            raise KeyboardInterrupt
        return found

    client, keys = OrganiserClient(ask), tmp_path / "keys.csv"

    def command() -> None:
        _, drafted = client.new_keys("course", read_roster("name\nAnn\nBob\n"))
        with pytest.raises(KeyboardInterrupt):
            enroll(client, "course", drafted, {keys: keys_file(drafted)})

    await asyncio.to_thread(command)
    lines = list(csv.DictReader(keys.read_text().splitlines()))
    assert [line["name"] for line in lines] == ["Ann", "Bob"]
    for line in lines:
        assert await store.owners.by_key(line["key"]) is not None
