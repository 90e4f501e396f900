"""What owners do on "Submit a bot" and "My bots", at a running referee."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import grpc
import pytest
import streamlit as st
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest
from structlog.testing import capture_logs

from arena.bot.address import Address
from arena.builds.build import read_build
from arena.builds.hosted import BuildState, HostingTerms
from arena.clients.upload_client import UploadClient, UploadTerms
from arena.games import GAMES
from arena.records import Allowance, SignUp
from arena_dashboard.browser import PULSE_SECONDS
from arena_dashboard.owners.kept_sign_in import cookie_name
from arena_dashboard.uploads.submitting import FirstSteps, StepsSeen
from arena_dashboard.uploads.uploads import limits_in_words
from tests.bots import PATIENCE, Peer
from tests.dashboard.pages import component, html, open_page, texts
from tests.jobs import job_in_hand
from tests.scene import Scene, opened

pytestmark = pytest.mark.slow

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

    async def upload(self, name: str, file: str = "mine.py") -> None:
        self.app.file_uploader[0].set_value((file, BOT, "text/x-python"))
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
            with job_in_hand(os.environ["ARENA_DATABASE_URL"], version_id=version.id):
                begun = await store.shifts.begin_check(worker, version.id)
                assert begun is not None
                await store.shifts.end(worker, begun.id, "", "", accepted=True)


async def test_a_visitor_is_told_what_each_limit_is_of_and_sent_to_no_file_of_a_checkout(
    scene: Scene,
) -> None:
    ann = await visitor(scene, "submit")
    assert "The arena runs up to 5 of your bots, and takes 30 uploads in 24 hours." in ann.sees
    assert "20 bots in all" in ann.sees
    assert "60 new versions, at most 24 of one bot" in ann.sees
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
    told = ["“The build” is missing: choose a .py or a .zip file."]
    assert [one.value for one in ann.app.error] == told


async def test_the_upload_box_tells_the_limit_of_each_kind_of_file(scene: Scene) -> None:
    ann = await visitor(scene, "submit")
    box = ann.app.file_uploader[0]
    assert box.label == "The build: a .py file of up to 1 MiB, or a .zip of up to 20 MiB"
    box.set_value(("mine.py", b"#" * 1_048_577, "text/x-python"))
    await ann.press("Submit this build")
    (why,) = [one.value for one in ann.app.error]
    assert "The .py file has 1,048,577 bytes, and 1,048,576 are allowed" in why


@pytest.mark.parametrize(
    ("build_bytes", "words"),
    [
        (1_572_864, "a .py file of up to 1 MiB, or a .zip of up to 1.5 MiB"),
        (524_288, "a .py file or a .zip, up to 0.5 MiB"),
    ],
)
def test_limits_of_files_are_those_of_the_operator(build_bytes: int, words: str) -> None:
    assert limits_in_words(UploadTerms(True, build_bytes, 30, 20, 5)) == words


async def test_who_has_bots_says_which_one_a_build_becomes(scene: Scene) -> None:
    await registered(scene, "fox")
    ann = await visitor(scene, "submit")
    await ann.upload("")
    (why,) = [one.value for one in ann.app.error]
    assert why.startswith("“Which bot it becomes” is missing: choose one of your bots, or fill in")
    assert "1 to 40 letters of any script" in why
    box = next(one for one in ann.app.selectbox if one.label == "Which bot it becomes")
    box.set_value("fox")
    await ann.upload("owl")
    (why,) = [one.value for one in ann.app.error]
    assert why.startswith("Is it a new version of fox, or a new bot owl?")
    assert "mine, version 1" not in ann.sees and "owl, version 1" not in ann.sees


@pytest.mark.parametrize("name", ["a/b", "", " "])
async def test_a_build_whose_bot_gets_no_name_is_told_the_field_and_what_is_allowed(
    name: str, scene: Scene
) -> None:
    ann = await visitor(scene, "submit")
    await ann.upload(name, file="(1).py")
    (why,) = [one.value for one in ann.app.error]
    assert why.startswith("“Name of the bot”: ") and "use 1 to 40 letters of any script" in why


async def test_an_empty_field_of_a_form_is_named_with_what_is_allowed(scene: Scene) -> None:
    anybody = Visitor()
    await anybody.open("submit")
    told = {
        "Sign up": "“Your name” is missing: use 1 to 40 letters of any script",
        "Sign in": "“Your key” is missing: it begins with arena_owner_",
    }
    for form, words in told.items():
        await anybody.press(form)
        (why,) = [one.value for one in anybody.app.error]
        assert why.startswith(words)
    ann = await visitor(scene, "submit")
    await ann.press("Register")
    (why,) = [one.value for one in ann.app.error]
    assert why.startswith("The name of the bot is missing: use 1 to 40 letters of any script")


async def test_an_arena_that_hosts_no_bots_says_so_where_one_would_upload(
    referee: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with capture_logs():
        async with referee(hosting=None) as scene:
            monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
            ann = await visitor(scene, "submit")
            assert "This arena runs no uploaded bots: register yours" in ann.sees
            assert not ann.app.file_uploader


@pytest.mark.parametrize("page", ["submit", "my_bots"])
@pytest.mark.parametrize("remembered", [False, True], ids=["here", "by the browser"])
async def test_an_owner_who_is_banned_can_sign_out(
    page: str, remembered: bool, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    if remembered:
        cookies = {cookie_name(): await scene.key("ann")}
        monkeypatch.setattr(ContextProxy, "cookies", property(lambda _: cookies))
        await scene.arena.store.owners.ban("ann", "operator")
        ann = Visitor()
        await ann.open(page)
    else:
        ann = await visitor(scene, page)
        await scene.arena.store.owners.ban("ann", "operator")
        await ann.run()
    assert "The operator has banned the owner ann." in ann.sees
    assert [one.label for one in ann.app.button].count("Sign out") == 1
    await ann.press("Sign out")
    assert "banned" not in ann.sees
    await ann.sign_in(await scene.key("bob"))
    assert not ann.app.warning and not ann.app.error


async def test_a_new_token_is_shown_once_and_takes_the_place_of_the_old_one(scene: Scene) -> None:
    old = await registered(scene, "fox")
    ann = await visitor(scene, "my_bots")
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


async def test_an_owner_is_led_to_where_a_bot_loses_most(scene: Scene) -> None:
    await registered(scene, "fox")
    ann = await visitor(scene, "my_bots")
    assert "Where fox loses most" in [one.label for one in ann.app.expander]
    ann.app.session_state["leak fox"] = True
    await ann.run()
    assert "Only decisions in Bluff have values, and this bot has made none yet." in ann.sees


async def test_a_bot_is_retired_after_a_second_thought(scene: Scene) -> None:
    token = await registered(scene, "fox")
    ann = await visitor(scene, "my_bots")
    await ann.press("Retire")
    assert "Tick “For good" in ann.sees
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
    ann = await visitor(scene, "my_bots")
    assert "vr19<" in ann.sees and "vr0<" in ann.sees and "owl" not in ann.sees
    assert ">First<" not in ann.sees
    (token,) = re.findall(r'href="my-bots\?page=(\d+)"', ann.sees)
    ann.app.query_params["page"] = token
    await ann.run()
    assert ">owl<" in ann.sees and "fox" not in ann.sees
    assert 'href="my-bots"' in ann.sees and ">More<" not in ann.sees


async def test_an_older_build_plays_again_when_one_rolls_back(scene: Scene) -> None:
    await uploaded(scene, "fox", 2, accepted=True)
    ann = await visitor(scene, "my_bots")
    box = next(one for one in ann.app.selectbox if one.label == "Let another build play")
    assert list(box.options) == ["1"]
    await ann.press("Let it play")
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
            assert before.build is not None and before.build.state is BuildState.CHECKING
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
    st.cache_resource.clear()
    found = await asyncio.to_thread(steps.look)
    assert found.why_old == "The database does not answer: check that it is running."
    assert found.steps == before.steps and not found.final


@pytest.mark.slow
@pytest.mark.parametrize("page", ["submit", "my_bots"])
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


async def test_an_owner_reads_messages_as_text_and_marks_them_as_read(scene: Scene) -> None:
    key = await scene.key("Ann")
    await scene.arena.store.messages.send_as_operator("Ann", "<b>Fix</b> your bot.", "me")
    visitor = Visitor()
    await visitor.open("my_bots")
    await visitor.sign_in(key)
    assert "&lt;b&gt;Fix&lt;/b&gt; your bot." in html(visitor.app)
    assert "New messages" in [one.value for one in visitor.app.subheader]
    await visitor.press("Mark as read")
    assert "New messages" not in [one.value for one in visitor.app.subheader]
    assert "&lt;b&gt;Fix&lt;/b&gt; your bot." in html(visitor.app)
