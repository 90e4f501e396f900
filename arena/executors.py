"""Executors for the parts of a large computation, on this machine or on a cluster.

Both are executors of `concurrent.futures`: processes of this machine, or a cluster's workers. A
part is a function of a module with its arguments, so no result depends on which worker computed
which part.

ClusterError    the cluster cannot be reached
"""

import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from arena.errors import UserError
from arena.processes import begin_worker, users_variables, worker_context

CONNECT_SECONDS: Final = 10.0
"""The time that a cluster's scheduler may take to answer, in seconds."""


class ClusterError(UserError):
    """A cluster that cannot be reached or has no workers; the message says which."""


@dataclass(frozen=True, slots=True)
class WorkPool:
    """An executor and its number of workers."""

    executor: Executor
    count: int
    """The number of parts that run at a time."""


class Once(Protocol):
    """A lock that one process takes and keeps, to run an action only once."""

    def acquire(self, blocking: bool, /) -> bool:
        """Take the lock, and return whether this succeeded."""
        ...


@contextmanager
def processes(jobs: int, begin: Callable[[Once], None] | None = None) -> Iterator[WorkPool]:
    """Run parts in `jobs` processes of this machine, which end with the context.

    With one job, the parts run in this process. Otherwise each process first calls `begin` with a
    lock that all of them share.
    """
    if jobs == 1:
        with ThreadPoolExecutor(1) as thread:
            yield WorkPool(thread, 1)
        return
    context = worker_context()
    first = (users_variables(), begin, context.Lock())
    with ProcessPoolExecutor(jobs, context, _begin, first) as executor:
        try:
            yield WorkPool(executor, jobs)
        except KeyboardInterrupt:
            # A part may take minutes: terminate the running parts instead of waiting for them.
            for child in multiprocessing.active_children():
                child.terminate()
            raise


@contextmanager
def cluster(address: str) -> Iterator[WorkPool]:
    """Run parts on the workers of a scheduler of dask.distributed. Raises ClusterError."""
    from distributed import Client  # an optional extra

    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f"No scheduler answers at {address}: {error}.") from error
    with client:
        count = sum(client.nthreads().values())
        if not count:
            raise ClusterError(f"The scheduler at {address} has no workers.")
        yield WorkPool(client.get_executor(), count)


def _begin(
    variables: Mapping[str, str | None], begin: Callable[[Once], None] | None, once: Once
) -> None:
    begin_worker(variables)
    if begin is not None:
        begin(once)
