"""An agent on this machine checks its programs and compares them, in the sandbox."""

import asyncio
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from mcp import Client

from arena.agents.server import agent_server
from arena.processes import processes_of
from tests.agents.calls import account, refused, told
from tests.waiting import until
from tests.worker.conftest import GOOD_BOT

SOON = 60.0
GIVES_UP = GOOD_BOT.replace("if view.can_doubt:", "if True:").replace(
    "return Doubt()", "return Bet(view.highest, Face.STAR) if not view.can_doubt else Doubt()", 1
)
"""Opens with the highest bet that there is, which hardly ever holds."""


@pytest.fixture
def programs(tmp_path: Path) -> dict[str, str]:
    """The paths of a bot that does not know how to lose, and of one that hardly knows to win."""
    found = {}
    for name, text in (("good", GOOD_BOT), ("bad", GIVES_UP)):
        (tmp_path / f"{name}.py").write_text(dedent(text))
        found[name] = str(tmp_path / f"{name}.py")
    return found


@pytest.fixture
def server() -> Any:
    one = replace(account("127.0.0.1:1", ""), own_files=True)  # no referee is asked
    return agent_server(lambda: one, one.leave_all)


async def test_a_program_is_checked_as_an_upload_is(server: Any, tmp_path: Path) -> None:
    steps: list[str | None] = []

    async def tell(_done: float, _total: float | None, message: str | None) -> None:
        steps.append(message)

    (tmp_path / "broken.py").write_text("import no_such_module")
    broken = {"file": str(tmp_path / "broken.py")}
    async with Client(server) as client:
        answer = await client.call_tool("check", broken, progress_callback=tell)
        found = dict(answer.structured_content or {})
        assert found["accepted"] is False
        assert "no_such_module" in found["reason"]
        assert steps == ["starts"]
        assert "is no file" in await refused(client, "check", file="/dev/zero")


async def test_a_better_program_is_known_by_its_matches(
    server: Any, programs: dict[str, str]
) -> None:
    async with Client(server) as client:
        better = await told(client, "test", new=programs["good"], old=programs["bad"])
        assert better["verdict"].startswith("new is better than old"), better
        assert better["elo"] > 0
        assert better["faults"] == []


async def test_a_test_that_is_cancelled_leaves_nothing_behind(
    server: Any, programs: dict[str, str]
) -> None:
    news = asyncio.Event()

    async def tell(*_: object) -> None:
        news.set()

    both = {"new": programs["good"], "old": programs["good"], "seconds": 600}
    async with Client(server) as client:
        testing = asyncio.create_task(client.call_tool("test", both, progress_callback=tell))
        async with asyncio.timeout(SOON):
            await news.wait()
        assert _comparing()
        testing.cancel()
        await asyncio.to_thread(until, lambda: not _comparing(), SOON)


def _comparing() -> list[int]:
    found = []
    for one in processes_of(os.getpid()):
        with suppress(OSError):  # it has just ended
            if b"arena.worker.comparing" in Path(f"/proc/{one}/cmdline").read_bytes():
                found.append(one)
    return found
