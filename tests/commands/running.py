"""The `arena` command, run in this process."""

import asyncio
from collections.abc import Mapping

from click.testing import Result
from typer.testing import CliRunner

from arena.cli import application


def arena(*words: object, given: str | None = None, env: Mapping[str, str] | None = None) -> Result:
    """Run a command; `given` is what it reads from its input."""
    arguments = [*map(str, words)]
    return CliRunner().invoke(application(arguments), arguments, given, env)


async def beside(*words: object, given: str | None = None) -> Result:
    """Run a command in a thread, while the event loop goes on."""
    return await asyncio.to_thread(arena, *words, given=given)


async def refused(*words: object, given: str | None = None) -> str:
    """Run a command that is refused; return why."""
    done = await beside(*words, given=given)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    return done.stderr
