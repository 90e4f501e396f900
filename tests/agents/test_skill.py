"""The commands of docs/skill.md do what it says; that the package installs is tested elsewhere."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from arena.builds.hosted import HostingTerms
from arena.records import SignUp
from tests.scene import opened

SKILL = (Path(__file__).parents[2] / "docs/skill.md").read_text()


@pytest.mark.system  # starts many programs
@pytest.mark.slow
async def test_its_commands_lead_from_nothing_to_an_uploaded_bot(
    database: str, tmp_path: Path
) -> None:
    (bot,) = re.findall(r"```python\n(.*?)```", SKILL, re.DOTALL)
    (tmp_path / "bot.py").write_text(bot)
    install, *rest = re.findall(r"```sh\n(.*?)```", SKILL, re.DOTALL)
    assert "pip install" in install
    # Two of the scenarios, as all of them take most of a minute.
    commands = "\n".join(rest).replace("arena check", "arena check --only matches,options")
    assert "--only" in commands
    async with opened(database, hosting=HostingTerms(), sign_up=SignUp.OPEN) as scene:
        environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "ARENA_ADDRESS": f"127.0.0.1:{scene.port}",
            "ARENA_HOME": str(tmp_path / ".arena"),
            "OWNER": "Ann",
            "BOT": "mine",
        }
        process = await asyncio.create_subprocess_exec(
            *("sh", "-e", "-c", commands),
            cwd=tmp_path,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()
        assert [one.bot for one in await scene.arena.store.bots()] == ["mine"]
