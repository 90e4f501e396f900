"""One run of the agent: any command, in its working directory, for a limited time."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.local.loading import search_path
from arena.local.programs.bounded_log import BoundedLog
from arena.processes import STDOUT, TimeoutExpired, how_it_ended, program_environment, spawn_program


def run_agent(
    command: Sequence[str],
    work: Path,
    log: Path,
    seconds: float,
    variables: Mapping[str, str],
) -> dict[str, Any]:
    """Run the agent; on return it and all processes that it started have ended.

    Args:
        command: Its words.
        work: Its working directory.
        log: The file for what it prints.
        seconds: How long it may take.
        variables: Further variables of its environment.

    Returns:
        `how` it ended, its exit `code` (None if it hit the time limit), and its `seconds`.
    """
    begun = time.monotonic()
    bound = BoundedLog(log)
    with bound as output:
        process = spawn_program(
            command,
            env=program_environment({"PATH": search_path(), **variables}),
            stdout=output,
            stderr=STDOUT,
            cwd=work,
        )
    code: int | None = None
    try:
        code = process.wait(seconds)
        how = how_it_ended(code)
    except TimeoutExpired:
        how = f"was ended after {seconds:g} s"
    finally:
        process.kill()
        process.wait()
        bound.close()
    return {"how": how, "code": code, "seconds": round(time.monotonic() - begun, 1)}
