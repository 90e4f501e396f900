"""The options `--jobs` and `--cluster`: the number of local worker processes, or remote workers."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from arena.commands.errors import CommandError

# These are imported on use: not all commands with these options play matches.
if TYPE_CHECKING:
    from arena.executors import Once, WorkPool
    from arena.local.playing import Where

Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        help="How many processes work; all cores where that is faster, if nothing is said. The "
        "results are the same. Programs that connect play in processes of their own anyway.",
    ),
]

Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="The workers of this scheduler of dask.distributed (tcp://HOST:8786) do it instead: "
        "`pip install 'bluff-arena\\[cluster]'` here and there. The results are the same.",
    ),
]


def check_cluster(address: str | None, *, programs: bool) -> None:
    """Raise CommandError if programs that connect would play on a cluster."""
    if address is not None and programs:
        raise CommandError("--cluster: programs that connect play on this machine only.")


@contextmanager
def where_of(
    jobs: int | None, address: str | None, logs: Path | None, *, if_it_pays: bool = False
) -> Iterator["Where"]:
    """Provide the `Where` that `--jobs` and `--cluster` ask for; programs log to `logs`.

    Raises ClusterError.
    """
    from arena.executors import cluster
    from arena.local.playing import Where

    with nullcontext() if address is None else cluster(address) as workers:
        yield Where(jobs or processor_count(), if_it_pays, workers, logs)


@contextmanager
def workers_of(
    jobs: int, address: str | None, begin: "Callable[[Once], None] | None" = None
) -> Iterator["WorkPool"]:
    """Provide the workers of `--cluster`, or else `jobs` processes that call `begin` first.

    Raises ClusterError.
    """
    from arena.executors import cluster, processes

    with processes(jobs, begin) if address is None else cluster(address) as workers:
        yield workers


def processor_count() -> int:
    """Return the number of processors that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
