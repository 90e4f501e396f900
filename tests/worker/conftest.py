"""A referee with a socket, and programs that are hosted bots."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from arena.bot.address import Address
from arena.worker.known_referees import KnownReferees
from arena.worker.sandbox import HostedProgram, why_not_here
from arena.worker.shift import HostedPlace
from tests.scene import Scene, opened
from tests.server.conftest import quiet  # noqa: F401  a fixture

MakeProgram = Callable[..., HostedProgram]
MakePlace = Callable[[str], Awaitable[HostedPlace]]

GOOD_BOT = """
    from arena.bot import Bot, run
    from arena.games.bluff import Bet, Doubt, Face

    class Good(Bot):
        def act(self, turn):
            view = turn.view
            if view.can_doubt:
                return Doubt()
            face = min(Face, key=lambda face: view.lowest[face - 1])
            return Bet(view.lowest[face - 1], face)

    if __name__ == "__main__":
        run(Good)
"""
"""A bot that plays quickly and makes no fault."""


@pytest.fixture(scope="session", autouse=True)
def _confined() -> None:
    """Skip where nothing can be confined, but not in CI."""
    why_not = asyncio.run(why_not_here())
    if why_not is not None and not os.environ.get("CI"):
        pytest.skip(why_not)
    assert why_not is None, "CI must be able to confine programs"


@pytest.fixture
def program(tmp_path: Path) -> MakeProgram:
    """Makes a program of Python's text."""

    def make(text: str, *command: str, name: str = "bot") -> HostedProgram:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.py").write_text(dedent(text))
        return HostedProgram(folder, command or ("python", "bot.py"))

    return make


@pytest.fixture
async def scene(database: str, tmp_path: Path, quiet: list[Any]) -> AsyncIterator[Scene]:  # noqa: F811
    """A referee that runs Bluff for two, over a socket too."""
    async with opened(database, socket=tmp_path / "referee.sock") as scene:
        scene.log = quiet
        yield scene


@pytest.fixture
async def place(scene: Scene, tmp_path: Path) -> Callable[[str], Awaitable[HostedPlace]]:
    """Where a bot of this name plays."""

    async def make(bot: str) -> HostedPlace:
        referees = KnownReferees(Address(f"127.0.0.1:{scene.port}"))
        return HostedPlace(referees, tmp_path / "referee.sock", await scene.shift_token(bot))

    return make
