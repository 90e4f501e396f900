"""What owners do on "Submit a bot" and "My bots", at a running referee."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import grpc
import pytest
from streamlit.testing.v1 import AppTest
from structlog.testing import capture_logs

from arena.bot.address import Address
from arena.builds import read_build
from arena.builds.hosted import HostingTerms
from arena.games import GAMES
from arena.records import Allowance, SignUp
from arena.upload_client import UploadClient
from arena_dashboard.browser import PULSE_SECONDS
from arena_dashboard.submitting import FirstSteps, StepsSeen
from tests.bots import PATIENCE, Peer
from tests.dashboard.pages import component, html, open_page, texts
from tests.referee.scene import Scene, opened

ALLOWED = Allowance(9, 9, 9)
BOT = b"from arena.bot import Bot\nclass Mine(Bot):\n    def act(self, turn): ...\n"
Open = Callable[..., AbstractAsyncContextManager[Scene]]


@pytest.fixture
def referee(arena: str) -> Open:
    """Opens a referee that the pages ask."""

    def open_at(port: int = 0, hosting: HostingTerms | None = HostingTerms()) -> Any:
        return opened(arena, sign_up=SignUp.OPEN, port=port, hosting=hosting)

    return open_at


@pytest.fixture
async def scene(referee: Open, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    with capture_logs():
        async with referee() as scene:
            monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
            yield scene


class Visitor:
    """Somebody with a browser; pages run in threads, beside the referee."""

    def __init__(self) -> None:
        self.app: AppTest

    async def open(self, page: str) -> None:
        """Come, or go to another page in the same session."""
        if hasattr(self, "app"):
            self.app.switch_page(f"views/{page}.py")
            await self.run()
        else:
            self.app = await asyncio.to_thread(open_page, page)

    async def run(self) -> None:
        await asyncio.to_thread(self.app.run)
        assert not self.app.exception

    async def press(self, label: str) -> None:
        """Press the first button with these words."""
        next(one for one in self.app.button if one.label == label).click()
        await self.run()

    async def sign_in(self, key: str) -> None:
        next(one for one in self.app.text_input if one.label == "Your key").set_value(key)
        await self.press("Sign in")

    async def upload(self, name: str) -> None:
        self.app.file_uploader[0].set_value(("mine.py", BOT, "text/x-python"))
        next(one for one in self.app.text_input if one.label == "Name of the bot").set_value(name)
        await self.press("Submit this build")

    @property
    def sees(self) -> str:
        """All text of the page."""
        more = [*self.app.success, *self.app.code, *self.app.subheader]
        return "\n".join((html(self.app), texts(self.app), *(one.value for one in more)))


async def visitor(scene: Scene, page: str, owner: str = "ann") -> Visitor:
    """Somebody who is signed in as an owner."""
    found = Visitor()
    await found.open(page)
    await found.sign_in(await scene.key(owner))
    return found


async def registered(scene: Scene, bot: str) -> str:
    """The token of a new bot of ann's."""
    await scene.key("ann")
    return await scene.token(bot, "ann")


async def uploaded(scene: Scene, bot: str, builds: int, *, accepted: bool = False) -> None:
    """Let ann upload so many builds of a bot."""
    store = scene.arena.store
    ann = await store.owners.by_key(await scene.key("ann"))
    assert ann is not None
    for number in range(builds):
        build = read_build("b.py", b"# %d" % number)
        made = await store.builds.upload(ann, bot, "", build, HostingTerms(), ALLOWED)
        if accepted:
            (version,) = [one for one in await store.bots() if one.version == made.version]
            worker = await store.workers.by_token(await store.workers.add(f"w{number}", "test"))
            assert worker is not None
            begun = await store.shifts.begin_check(worker, version.id)
            assert begun is not None
            await store.shifts.end(worker, begun.id, "", "", accepted=True)


async def test_a_visitor_is_told_what_each_limit_is_of_and_sent_to_no_file_of_a_checkout(
    scene: Scene,
) -> None:
    ann = await visitor(scene, "submit")
    assert "The arena runs up to 5 of your bots, and takes 30 uploads in 24 hours." in ann.sees
    assert "20 bots, those that the arena runs among them" in ann.sees
    assert "60 versions in 24 hours besides your uploads, 24 of one bot" in ann.sees
    assert "docs/" not in ann.sees and "`proto/`" not in ann.sees
    rules = [one.label for one in ann.app.expander if one.label.startswith("The rules of")]
    assert rules == [f"The rules of {one.title}" for one in GAMES.values()]


async def test_who_signs_in_after_another_sees_nothing_of_the_others_bots(scene: Scene) -> None:
    ann = await visitor(scene, "submit")
    await ann.upload("fox")
    assert "fox, version 1" in ann.sees
    assert "Being checked" in ann.sees and "no machine runs hosted bots" in ann.sees.lower()
    await ann.press("Sign out")
    await ann.sign_in(await scene.key("bob"))
    assert "You are <b>bob</b>" in ann.sees
    assert "fox" not in ann.sees
    assert not ann.app.warning and not ann.app.error


async def test_an_upload_without_a_file_is_told_what_is_missing(scene: Scene) -> None:
    ann = await visitor(scene, "submit")
    await ann.press("Submit this build")
    assert [one.value for one in ann.app.error] == ["Choose a file first."]


async def test_an_arena_that_hosts_no_bots_says_so_where_one_would_upload(
    referee: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with capture_logs():
        async with referee(hosting=None) as scene:
            monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
            ann = await visitor(scene, "submit")
            assert "This arena runs no bots of others: register yours" in ann.sees
            assert not ann.app.file_uploader


async def test_a_new_token_is_shown_once_and_takes_the_place_of_the_old_one(scene: Scene) -> None:
    old = await registered(scene, "fox")
    ann = await visitor(scene, "own_bots")
    await ann.press("New token")
    assert "The new token of fox 1, shown only now" in ann.sees
    (token,) = [one.value for one in ann.app.code if one.value.startswith("arena_")]
    async with Peer(scene.port, token) as peer:
        assert (await peer.greet()).entrant.bot == "fox"
    async with Peer(scene.port, old) as peer:
        with pytest.raises(grpc.aio.AioRpcError):
            await peer.greet()
    await ann.run()
    assert token not in ann.sees


async def test_a_bot_is_retired_after_a_second_thought(scene: Scene) -> None:
    token = await registered(scene, "fox")
    ann = await visitor(scene, "own_bots")
    await ann.press("Retire")
    assert "Tick the box" in ann.sees
    assert "retired</span>" not in ann.sees
    ann.app.checkbox[0].check()
    await ann.press("Retire")
    assert "retired</span>" in ann.sees
    assert "Retire" not in {one.label for one in ann.app.button}
    async with Peer(scene.port, token) as peer:
        with pytest.raises(grpc.aio.AioRpcError):
            await peer.greet()


async def test_more_versions_than_a_page_has_are_on_the_next(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await registered(scene, "owl")
    for number in range(20):
        await scene.arena.store.register("fox", "ann", f"r{number}")
    ann = await visitor(scene, "own_bots")
    assert "vr19<" in ann.sees and "vr0<" in ann.sees and "owl" not in ann.sees
    assert ">First<" not in ann.sees
    (token,) = re.findall(r'href="my-bots\?page=(\d+)"', ann.sees)
    ann.app.query_params["page"] = token
    await ann.run()
    assert ">owl<" in ann.sees and "fox" not in ann.sees
    assert 'href="my-bots"' in ann.sees and ">More<" not in ann.sees


async def test_an_older_build_plays_again_when_one_rolls_back(scene: Scene) -> None:
    await uploaded(scene, "fox", 2, accepted=True)
    ann = await visitor(scene, "own_bots")
    box = next(one for one in ann.app.selectbox if one.label == "Let another build play")
    assert list(box.options) == ["1"]
    await ann.press("Roll back")
    box = next(one for one in ann.app.selectbox if one.label == "Let another build play")
    assert list(box.options) == ["2"]
    known = await scene.arena.store.owners.by_key(await scene.key("ann"))
    assert known is not None
    builds = await scene.arena.store.builds.of(known, "fox")
    assert [(one.version, one.plays) for one in builds] == [("2", False), ("1", True)]


async def test_while_the_referee_is_away_the_build_that_was_seen_stays_and_is_looked_for_again(
    referee: Open,
) -> None:
    with capture_logs():
        async with referee() as scene:
            await uploaded(scene, "fox", 1)
            client = UploadClient(Address(f"127.0.0.1:{scene.port}"))
            steps = FirstSteps(client, await scene.key("ann"), "fox", "1", uploaded=True)
            before = await asyncio.to_thread(steps.look)
            assert before.build is not None and before.build.state == "checking"
        found = await asyncio.to_thread(steps.look)
        assert "cannot be reached" in found.why_old
        assert found.build == before.build and not found.final
        async with referee(port=scene.port), asyncio.timeout(PATIENCE):
            while found.why_old:
                found = await asyncio.to_thread(steps.look)
        assert found == before


async def test_while_the_database_is_away_the_first_steps_that_were_seen_stay(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = await registered(scene, "fox")
    client = UploadClient(Address(f"127.0.0.1:{scene.port}"))
    steps = FirstSteps(client, await scene.key("ann"), "fox", "1", uploaded=False)
    async with Peer(scene.port, token) as peer:
        await peer.greet()
        before = await asyncio.to_thread(steps.look)
    assert [one.name for one in before.steps if one.done] == ["connected"]
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    found = await asyncio.to_thread(steps.look)
    assert found.why_old == "The database does not answer: check that it is running."
    assert found.steps == before.steps and not found.final


@pytest.mark.parametrize("page", ["submit", "own_bots"])
def test_a_page_that_came_while_the_referee_was_away_looks_for_it_again(
    page: str, arena: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_ADDRESS", "127.0.0.1:1")
    app = open_page(page)
    assert not app.exception
    assert "127.0.0.1:1 cannot be reached" in texts(app)
    assert component(app, "pulse") == {"seconds": PULSE_SECONDS}


async def test_a_key_that_is_not_valid_any_more_is_not_tried_again(scene: Scene) -> None:
    client = UploadClient(Address(f"127.0.0.1:{scene.port}"))
    steps = FirstSteps(client, "arena_owner_guess", "fox", "1", uploaded=True)
    found = await asyncio.to_thread(steps.look)
    assert found == StepsSeen(why_old=found.why_old, stranger=True)
    assert "No owner has this key" in found.why_old and found.final
    assert await asyncio.to_thread(steps.look) is found
