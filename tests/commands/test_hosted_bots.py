"""What owners do with hosted bots by command, at a running referee."""

import json
import shlex
import warnings
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from arena.builds.hosted import HostingTerms
from arena.builds.packing import pack
from arena.records import SignUp
from tests.commands.running import beside, refused
from tests.jobs import job_in_hand
from tests.scene import Scene, opened


@pytest.fixture
async def scene(
    database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[Scene]:
    """An owner who has signed in, with two versions of a bot; the first plays."""
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    with capture_logs():
        async with opened(database, sign_up=SignUp.OPEN, hosting=HostingTerms()) as scene:
            monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
            await beside("signup", "Ann")
            for number in (1, 2):
                write("mine.py", f"NUMBER = {number}")
                done = await beside("submit", "mine.py", "--no-wait")
                assert done.exit_code == 0, done.output
            yield scene


def write(file: str, text: str) -> None:
    Path(file).write_text(text)


async def check(scene: Scene, version: str, database: str, *, accepted: bool = True) -> None:
    """Do what a worker does after a check."""
    store = scene.arena.store
    worker = await store.workers.by_token(await store.workers.add(f"w{version}", "test"))
    assert worker is not None
    (known,) = [one for one in await store.bots() if one.version == version]
    with job_in_hand(database, version_id=known.id):
        begun = await store.shifts.begin_check(worker, known.id)
        assert begun is not None
        await store.shifts.end(worker, begun.id, "", "", accepted=accepted)


async def playing_version(scene: Scene) -> str:
    """The version that the arena says plays, as its owner sees it."""
    listed = json.loads((await beside("bot", "builds", "mine", "--json")).stdout)
    return next((one["version"] for one in listed if one["plays"]), "none")


@pytest.mark.parametrize("text", ["def bot(:", "a = 1\0"])
async def test_what_python_cannot_read_is_not_uploaded(scene: Scene, text: str) -> None:
    write("mine.py", text)
    done = await beside("submit", "mine.py", "--no-wait")
    assert done.exit_code == 2
    assert "mine.py" in done.stderr and "Nothing was uploaded." in done.stderr
    assert len(json.loads((await beside("bot", "builds", "mine", "--json")).stdout)) == 2


@pytest.mark.parametrize("text", ["s = '\\d'", "a = " + "-" * 100_000 + "1"])
async def test_what_another_python_may_read_is_uploaded(scene: Scene, text: str) -> None:
    write("mine.py", text)
    with warnings.catch_warnings(action="error"):
        done = await beside("submit", "mine.py", "--no-wait")
    assert done.exit_code == 0, done.output


async def test_a_folder_is_packed_and_has_its_name(scene: Scene, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / ".git").mkdir(parents=True)
    write("mine/bot.toml", 'command = ["python", "main.py"]')
    write("mine/main.py", "import numpy")
    done = await beside("submit", "mine", "--no-wait", "--json")
    assert done.exit_code == 0, done.output
    made = json.loads(done.stdout)
    assert (made["bot"], made["version"]) == ("mine", "3")
    assert made["sha256"] == sha256(pack(folder)).hexdigest()


async def test_a_refused_version_is_marked_where_versions_are_listed(
    scene: Scene, database: str
) -> None:
    await check(scene, "1", database)
    await check(scene, "2", database, accepted=False)
    listed = json.loads((await beside("bot", "list", "--json")).stdout)
    assert {one["version"]: one["refused"] for one in listed} == {"1": False, "2": True}
    assert "refused" in (await beside("bot", "list")).stdout
    shown = await beside("bot", "show", "mine")
    assert "refused" in shown.stdout
    assert "Why a version was refused: `arena bot builds mine`." in shown.stderr
    assert (await beside("bot", "retire", "mine", "--version", "2")).exit_code == 0
    assert "retired, refused" in (await beside("bot", "list")).stdout


@pytest.mark.slow
async def test_an_older_build_plays_again_and_then_the_newer_one(
    scene: Scene, database: str
) -> None:
    for version in ("1", "2"):
        await check(scene, version, database)
    for version in ("1", "2"):
        done = await beside("bot", "roll-back", "mine", version)
        assert (done.exit_code, done.stdout) == (0, "")
        assert f"mine plays with version {version} from its next shift on." in done.stderr
        assert await playing_version(scene) == version
    audit = await scene.arena.store.owners.audit()
    assert [(one.action, one.subject) for one in audit[:2]] == [
        ("roll back", "mine 2"),
        ("roll back", "mine 1"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("bot roll-back mine ''", "Say to which version: `arena bot builds` lists them."),
        ("bot roll-back mine 1", "Version 1 of mine is retired: upload its build again."),
        (
            "bot roll-back mine 2",
            "Version 2 of mine was not accepted by its check: it cannot play.",
        ),
        ("bot roll-back mine 3", "You have uploaded no version 3 of mine: "),
        ("bot roll-back fox 1", "You have uploaded no bot fox: "),
        ("bot builds fox", "You have uploaded no bot fox: `arena bot builds` lists yours."),
        ("submit absent.py", "absent.py cannot be read (No such file or directory)."),
        ("submit .", " has no bot.toml, which says how the bot is started"),
        ("submit mine.py", "This build is version 2 of mine already: "),
        ("submit mine.py --version 2", "This build is version 2 of mine already: "),
        (
            "submit mine2.py",
            "you have no bot mine2. Say which bot mine2.py becomes: --name 'mine' ",
        ),
        ("submit mine.txt", "neither a .py file"),
        ("submit mine.py --name a/b", "'a/b' cannot name the bot"),
    ],
)
async def test_what_is_refused_is_a_sentence_and_changes_nothing(
    scene: Scene, database: str, words: str, sentence: str
) -> None:
    write("mine.txt", "pass")
    write("mine2.py", "pass")
    await check(scene, "1", database)
    assert (await beside("bot", "retire", "mine", "--version", "1")).exit_code == 0
    assert sentence in " ".join((await refused(*shlex.split(words))).split())
    assert await playing_version(scene) == "none"
