"""`--jobs`: how many processes of this machine work at the same time."""

import os
import sys
from typing import Annotated, TypeAlias

import typer

Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        help="How many processes play; all cores where that is faster, if nothing is said. The "
        "results are the same. Programs that connect play in processes of their own anyway.",
    ),
]


def processor_count() -> int:
    """How many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
