"""What owners do from their own machine, and the operator on the arena's, by command."""

import json
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from arena.records import Block, BlockKind, SignUp, VersionId
from arena.server.requests.paging import MOST_LINES
from tests.bots import Peer
from tests.commands.running import beside, refused
from tests.databases import execute
from tests.recorded_results import finished
from tests.scene import Scene, opened

BLOCK = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
async def scene(
    database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[Scene]:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    # The referee's log would be among what the commands print.
    with capture_logs():
        async with opened(database, sign_up=SignUp.OPEN) as scene:
            monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
            yield scene


@pytest.mark.slow
async def test_an_author_signs_up_registers_and_looks_after_a_bot(
    scene: Scene, tmp_path: Path
) -> None:
    key = (await beside("signup", "Zoë from 3b")).stdout.strip()
    assert key.startswith("arena_owner_")
    path = tmp_path / "home" / "config" / "owners.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert key in path.read_text()

    made = await beside("bot", "new", "Bad Bluff", "--language", "Go", "--text", "It lies.")
    assert made.exit_code == 0, made.output
    token = made.stdout.strip()
    async with Peer(scene.port, token) as peer:
        assert (await peer.greet()).entrant.owner == "Zoë from 3b"
        shown = json.loads((await beside("bot", "show", "bad bluff", "--json")).stdout)
    (version,) = shown.pop("versions")
    assert shown == {
        "bot": "Bad Bluff",
        "text": "It lies.",
        "language": "Go",
        "link": "",
        "frozen": False,
        "paused": False,
        "pace": None,
        "shares_decisions": True,
        "shares_notes": False,
    }
    assert (version["version"], version["connected"], version["retired"]) == ("1", True, False)

    assert (await beside("bot", "new", "Bad Bluff", "--version", "2")).exit_code == 0
    assert (
        await beside("bot", "describe", "Bad Bluff", "--link", "https://x.example")
    ).stdout == ""
    assert "https://x.example" in (await beside("bot", "show", "Bad Bluff")).stdout
    kept = await beside("bot", "decisions", "Bad Bluff", "keep")
    assert "The decisions of Bad Bluff are in no data set from now on." in kept.stderr
    assert "decisions kept out of data sets" in (await beside("bot", "show", "Bad Bluff")).stdout
    rotated = await beside("bot", "rotate", "Bad Bluff", "--version", "1")
    fresh = rotated.stdout.strip()
    assert fresh.startswith("arena_")
    assert fresh != token
    assert "The token of Bad Bluff 1 is a new one." in rotated.stderr
    newest = await beside("bot", "rotate", "Bad Bluff")
    assert "The token of Bad Bluff 2 is a new one." in newest.stderr
    retired = await beside("bot", "retire", "Bad Bluff", "--version", "1")
    assert (retired.exit_code, retired.stdout) == (0, "")
    assert "Retired Bad Bluff 1." in retired.stderr
    listed = json.loads((await beside("bot", "list", "--json")).stdout)
    assert [(one["bot"], one["version"], one["retired"]) for one in listed] == [
        ("Bad Bluff", "2", False),
        ("Bad Bluff", "1", True),
    ]
    assert "retired" in (await beside("bot", "list")).stdout
    first = (await beside("bot", "list", "--limit", "1")).stdout
    assert "The first version: --limit and --search show others." in first
    assert json.loads((await beside("bot", "list", "--json", "--limit", "1")).stdout) == listed[:1]
    found = await beside("bot", "list", "--json", "--search", "bad b")
    assert json.loads(found.stdout) == listed
    assert json.loads((await beside("bot", "list", "--json", "--search", "bluff")).stdout) == []


@pytest.mark.slow
async def test_a_bot_of_many_versions_is_shown_by_its_newest_and_says_so(
    scene: Scene, database: str
) -> None:
    await beside("signup", "Ann")
    await beside("bot", "new", "fox", "--version", "v1")
    execute(
        database,
        "INSERT INTO versions (bot_id, label) SELECT id, 'v' || n "
        f"FROM bots, generate_series(2, {MOST_LINES + 5}) n WHERE folded = 'fox' ORDER BY n",
    )
    for words in (("fox",), ("fox", "--operator")):

        async def shown(*options: str, words: tuple[str, ...] = words) -> list[str]:
            text = (await beside("bot", "show", *words, *options, "--json")).stdout
            return [one["version"] for one in json.loads(text)["versions"]]

        every = [f"v{number}" for number in range(MOST_LINES + 5, 0, -1)]
        assert await shown() == every[:50]
        assert await shown("--limit", str(MOST_LINES + 4)) == every[:-1]
        assert await shown("--limit", "10000") == every
        first = (await beside("bot", "show", *words)).stdout
        assert first.endswith("The newest 50 versions: --limit shows more.\n")
        newest = (await beside("bot", "show", *words, "--limit", "1")).stdout
        assert newest.endswith("The newest version: --limit shows more.\n")


async def test_the_key_of_a_sign_up_is_printed_though_it_cannot_be_kept(
    scene: Scene, tmp_path: Path
) -> None:
    kept = tmp_path / "home" / "config" / "owners.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{")
    # Before anybody signs up: the name is still free.
    assert "owners.json cannot be used" in await refused("signup", "Ann")
    kept.unlink()
    kept.parent.rmdir()
    kept.parent.symlink_to(tmp_path / "nowhere" / "else")
    done = await beside("signup", "Ann")
    assert (done.exit_code, "owners.json cannot be used" in done.stderr) == (2, True)
    assert done.stdout.startswith("arena_owner_")


async def test_an_owner_signs_in_on_another_machine_by_option_and_by_line(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = json.loads((await beside("signup", "Ann", "--json")).stdout)
    for number, (option, given) in enumerate(
        [(["--key", told["key"]], None), ([], told["key"] + "\n")]
    ):
        monkeypatch.setenv("ARENA_HOME", str(tmp_path / f"other{number}"))
        said = await refused("bot", "list")
        assert "you are not signed in at 127.0.0.1:" in said
        assert f"other{number}/config/owners.json" in said.replace("\n", "")
        done = await beside("login", *option, given=given)
        assert done.exit_code == 0, done.output
        assert "You are the owner Ann" in done.stderr
        assert told["key"] not in done.output
        assert (await beside("bot", "list", "--json")).stdout == "[]\n"


@pytest.mark.slow
async def test_what_is_refused_is_a_sentence_and_changes_nothing(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "home" / "config" / "owners.json"
    assert "No owner has this key" in await refused("login", "--key", "arena_owner_guess")
    assert "This is no key" in await refused("login", given="\n")
    assert "cannot name the owner" in await refused("signup", "<b>")
    assert not kept.exists()
    await beside("signup", "Ann")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("ARENA_HOME", str(tmp_path / "elsewhere"))
        assert "There is an owner Ann already" in await refused("signup", "ANN")
    before = kept.read_bytes()
    for name in ("Ann", "Bob"):
        assert "you are the owner Ann at 127.0.0.1:" in await refused("signup", name)
    assert kept.read_bytes() == before
    assert "cannot name the bot" in await refused("bot", "new", "a/b")
    assert "You have no bot fox" in await refused("bot", "show", "fox")
    assert "say what to change" in await refused("bot", "describe", "fox")
    await beside("bot", "new", "fox")
    assert "The link is no address of a page" in await refused(
        "bot", "describe", "fox", "--link", "javascript:alert(1)"
    )
    kept.write_text("{")
    assert "owners.json cannot be used (it is not JSON)" in await refused("bot", "list")


async def test_keys_are_kept_by_address(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    await beside("signup", "Ann")
    assert "cannot be reached" in await refused("signup", "Bob", "--address", "127.0.0.1:1")
    assert "not signed in at 127.0.0.1:1" in await refused(
        "bot", "list", "--address", "127.0.0.1:1"
    )
    assert (
        await beside("bot", "list", "--address", f"http://127.0.0.1:{scene.port}/")
    ).exit_code == 0


@pytest.mark.slow
async def test_the_operator_invites_bans_freezes_and_the_audit_says_so(scene: Scene) -> None:
    code = json.loads((await beside("invite", "new", "--uses", 2, "--json")).stdout)["code"]
    (invite,) = json.loads((await beside("invite", "list", "--json")).stdout)
    assert invite["uses_left"] == 2
    assert code not in (await beside("invite", "list")).output
    assert (await beside("invite", "withdraw", invite["invite"])).exit_code == 0
    await beside("signup", "Ann")
    await beside("bot", "new", "Лиса")
    for option in ((), ("--operator",)):
        for words in (("list",), ("show", "лиса")):
            assert "Лиса" in (await beside("bot", *words, *option, "--json")).stdout
    await beside("bot", "retire", "Лиса")
    await beside("bot", "new", "fox")
    block = finished((VersionId(1), VersionId(2)), Block(BLOCK, BlockKind.SEAT, 1))
    await scene.arena.store.record([block])
    added = await beside("worker", "add", "desk")
    assert added.stdout.startswith("arena_worker_")
    for words in (
        ("worker", "remove", "desk"),
        ("block", "void", BLOCK, "--reason", "a bug"),
        ("bot", "freeze", "fox"),
        ("bot", "freeze", "fox", "--undo"),
        ("owner", "ban", "ann"),
        ("owner", "ban", "ann", "--undo"),
        ("bot", "rotate", "fox", "--operator"),
        ("bot", "retire", "fox", "--operator"),
        ("bot", "register", "owl", "--owner", "bob"),
    ):
        done = await beside(*words)
        assert done.exit_code == 0, words
        # What a script reads is on stdout: a token, and nothing that only tells what was done.
        assert all(line.startswith("arena_") for line in done.stdout.splitlines())
    key = (await beside("owner", "reset-key", "bob")).stdout.strip()
    assert (await beside("login", "--key", key)).exit_code == 0
    owners = json.loads((await beside("owner", "list", "--json")).stdout)
    assert [(one["owner"], one["bots"], one["key"]) for one in owners] == [
        ("Ann", 0, True),
        ("bob", 1, True),
    ]
    audit = json.loads((await beside("audit", "--json")).stdout)
    assert [(one["action"], one["subject"]) for one in reversed(audit)] == [
        ("invite", "1"),
        ("withdraw invite", "1"),
        ("sign up", "Ann"),
        ("register", "Лиса 1"),
        ("retire", "Лиса"),
        ("register", "fox 1"),
        ("add worker", "desk"),
        ("remove worker", "desk"),
        ("void block", BLOCK),
        ("freeze", "fox"),
        ("unfreeze", "fox"),
        ("ban", "Ann"),
        ("unban", "Ann"),
        ("rotate token", "fox 1"),
        ("retire", "fox"),
        ("register", "owl 1"),
        ("reset key", "bob"),
    ]
    actors = {one["actor"].partition(" ")[0] for one in audit}
    assert actors == {"operator", "Ann"}
    assert [one["details"] for one in audit if one["action"] == "void block"] == [
        {"reason": "a bug"}
    ]
    assert "There is no block guess" in await refused("block", "void", "guess")
    assert "There is no owner carl" in await refused("owner", "ban", "carl")
    listed = json.loads((await beside("bot", "list", "--operator", "--json")).stdout)
    assert [(one["bot"], one["owner"], one["retired"]) for one in listed] == [
        ("fox", "Ann", True),
        ("owl", "bob", False),
        ("Лиса", "Ann", True),
    ]


async def test_an_owner_reads_what_the_operator_wrote_and_then_it_is_not_new(scene: Scene) -> None:
    await beside("signup", "Zoe")
    assert "Nobody has written to you" in (await beside("messages")).stdout
    sent = await beside("owner", "message", "zoe", "Two\nlines.")
    assert sent.exit_code == 0, sent.output
    shown = (await beside("messages")).stdout
    assert "the operator (new):\n  Two\n  lines.\n" in shown
    (found,) = json.loads((await beside("messages", "--json")).stdout)
    assert (found["from"], found["text"], found["read"]) == ("the operator", "Two\nlines.", True)
    assert "There is no owner Nobody" in await refused("owner", "message", "Nobody", "Hello.")


async def test_an_owner_has_notices_of_bots_posted(scene: Scene) -> None:
    await beside("signup", "Zoe")
    await beside("bot", "new", "fox")
    url = "https://example.org/hook"
    made = await beside("bot", "webhook", url, "--bot", "fox")
    assert made.stdout.startswith("whsec_"), made.output
    assert "You have this webhook already" in await refused("bot", "webhook", url, "--bot", "fox")
    assert "not on the public internet" in await refused("bot", "webhook", "http://127.0.0.1/")
    assert "You have no bot owl" in await refused("bot", "webhook", url, "--bot", "owl")
    (found,) = json.loads((await beside("bot", "webhooks", "--json")).stdout)
    assert found == {"url": url, "bot": "fox", "delivered": 0, "waiting": 0, "failure": ""}
    assert url in (await beside("bot", "webhooks")).stdout
    assert "no such webhook" in await refused("bot", "webhook", url, "--remove")
    assert (await beside("bot", "webhook", url, "--bot", "fox", "--remove")).exit_code == 0
    assert json.loads((await beside("bot", "webhooks", "--json")).stdout) == []
