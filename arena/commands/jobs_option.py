"""The options `--jobs` and `--cluster`: the number of local worker processes, or remote workers."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

if TYPE_CHECKING:
    from arena.executors import Once, WorkPool

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

PROGRAMS_ELSEWHERE: Final = "--cluster: programs that connect play on this machine only."
"""The refusal of a cluster for bots that are programs."""


@contextmanager
def cluster_of(address: str | None) -> Iterator["WorkPool | None"]:
    """Provide the workers of `--cluster`; None without an address.

    Raises ClusterError.
    """
    if address is None:
        yield None
        return
    from arena.executors import cluster

    with cluster(address) as workers:
        yield workers


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
