"""Where the parts of a large work are done: in processes of this machine, or on a cluster's.

Both are executors of `concurrent.futures`. A part is a function of a module with its arguments, so
no result depends on who did which part.

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
"""How long a cluster's scheduler may take to answer."""


class ClusterError(UserError):
    """The cluster cannot be reached, or has no workers; the message says which."""


@dataclass(frozen=True, slots=True)
class WorkPool:
    """Workers that process the parts of a job."""

    executor: Executor
    count: int
    """How many parts are done at a time."""


class Once(Protocol):
    """A lock that one process takes, and keeps, to do what is done once."""

    def acquire(self, blocking: bool, /) -> bool: ...


@contextmanager
def processes(jobs: int, begin: Callable[[Once], None] | None = None) -> Iterator[WorkPool]:
    """Yield so many processes of this machine; one is this process itself.

    Others call `begin` first, all with the same lock.
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
            # A part may take minutes: nobody waits for what is under way.
            for child in multiprocessing.active_children():
                child.terminate()
            raise


@contextmanager
def cluster(address: str) -> Iterator[WorkPool]:
    """Yield the workers of a scheduler of dask.distributed.

    Raises ClusterError.
    """
    from distributed import Client  # of an extra

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
