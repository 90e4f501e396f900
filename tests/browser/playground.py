"""An arena in which a person plays against bots, and what a person does at the table."""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from playwright.sync_api import Page, expect

from arena.commands.serving.children import house_tokens, person_token
from arena.commands.serving.table_option import table_types
from arena.database.rows import MatchRow
from arena.games import GAMES, KITS
from arena.local.loading import bot_file
from arena.processes import STDOUT, spawn
from arena.server.app.store import open_store
from tests import recorded_matches
from tests.browser.conftest import dashboard
from tests.free_port import free_port

# Too few for a rated match at a table of four, so that the machine is the person's.
OPPONENTS = {name: kit.opponent for name, kit in KITS.items()}
MOST_TURNS = 200
CLICKS = 100
"""After so many the next turn is there: each shows all that happened."""
T = TypeVar("T")


def in_own_loop(what: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine; the browser's loop runs in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, what).result()


def invite(database: str) -> str:
    """The code by which one owner may sign up."""

    async def make() -> str:
        async with open_store(database) as store:
            return await store.owners.invite(1, 1, "operator")

    return in_own_loop(make())


@dataclass(frozen=True)
class Playground:
    """A dashboard on which people can play."""

    database: str
    address: str
    referee: str

    def token(self, bot: str) -> str:
        """The token of a new bot."""

        async def register() -> str:
            async with open_store(self.database) as store:
                return (await store.register(bot, "somebody"))[1]

        return in_own_loop(register())

    def newest(self) -> MatchRow:
        async def read() -> MatchRow:
            async with open_store(self.database) as store:
                return (await recorded_matches.matches(store, limit=1))[0]

        return in_own_loop(read())


@contextmanager
def open_playground(database: str, home: Path) -> Iterator[Playground]:
    """A referee, an opponent for each game, and the pages."""
    tables = [f"{game}:4" for game in GAMES]
    port = free_port()
    address = f"127.0.0.1:{port}"

    async def tokens() -> tuple[dict[str, str], str]:
        async with open_store(database) as store:
            person = await person_token(store)
            assert person is not None
            return await house_tokens(store, table_types(tables)), person

    bots, person = in_own_loop(tokens())
    own = {"ARENA_DATABASE_URL": database, "ARENA_HOME": str(home), "ARENA_ADDRESS": address}
    # A person who leaves would keep them waiting at the end.
    at_once = partial(program, wait_for_matches=False)
    with ExitStack() as stack:
        options = [word for table in tables for word in ("--table", table)]
        serve = ["-m", "arena", "serve", "--port", str(port), *options]
        stack.enter_context(at_once(serve, home / "referee.log", own))
        for bot in OPPONENTS.values():
            mine = own | {"ARENA_TOKEN": bots[bot], "ARENA_CHALLENGES": "1"}
            stack.enter_context(at_once([str(bot_file(bot))], home / f"{bot}.log", mine))
        mine = {"ARENA_ADDRESS": address, "ARENA_PERSON_TOKEN": person}
        pages = stack.enter_context(dashboard(database, **mine))
        yield Playground(database, pages, address)


@contextmanager
def program(
    arguments: list[str],
    log: Path,
    environment: dict[str, str],
    *,
    wait_for_matches: bool = True,
) -> Iterator[None]:
    """A Python program that runs until the block is left."""
    command, variables = [sys.executable, *arguments], os.environ | environment
    with log.open("wb") as output:
        process = spawn(command, env=variables, stdout=output, stderr=STDOUT)
    try:
        yield
    finally:
        (process.terminate if wait_for_matches else process.kill)()
        process.wait()


def sit_down(page: Page, game: str) -> None:
    page.goto(f"/play?game={game}")
    expect(page.get_by_text(OPPONENTS[game], exact=True)).to_be_visible()
    page.get_by_role("button", name="Sit down").click()
    expect(page.locator(".person.at-table svg.table g.seat").first).to_be_visible()


def over(page: Page) -> bool:
    return page.get_by_role("link", name="Watch the replay").is_visible()


def play_on(page: Page, shot: Callable[[str], None]) -> int:
    """Play to the end: the last choice of the first step, and the first of the others, which makes
    a long match. Returns how many turns it took."""
    turns = 0
    asked = page.locator(".person.asked .choices")
    while turns < MOST_TURNS:
        expect(asked.or_(page.locator("a.replay"))).to_be_visible()
        if over(page):
            return turns
        turns += 1
        if turns == 2:
            shot("turn")
        rows, go = asked.locator(".choice-row"), asked.locator(".go")
        with page.expect_response("**/answer") as answered:
            rows.first.locator(".choice").last.click()
            if go.is_visible():
                for step in range(1, 4):
                    if go.is_disabled():
                        rows.nth(step).locator(".choice").first.click()
                if turns == 2:
                    shot("chosen")
                go.click()
        assert answered.value.status == 200
        assert not page.locator(".person .mistake").text_content()
        # Whatever is shown of the others' answers, it need not be waited for.
        for _ in range(CLICKS):
            if asked.is_visible() or over(page):
                break
            page.locator(".person .scene").click(position={"x": 5, "y": 5})
            page.wait_for_timeout(20)
    raise AssertionError("the match does not end")
